// SPDX-License-Identifier: Apache-2.0
// Calls that may change the header after data were put: the library then writes it anew, record count and all, so it
// has to know what was put. In define mode they are the library's alone.
//
//: put_att(_[a-z]+)?|copy_att|rename_(att|dim|var) | the library's; in data mode after a landing, and counted
#include "pnetcdf/files.hpp"
#include "pnetcdf/original_calls.hpp"

#define AFTER_LOOK(ncid, ...)                                                                                \
  {                                                                                                          \
    if (BridgedFile* file = bridged(ncid); file != nullptr && file->carries()) {                             \
      if (file->started()) return file->refuse("a definition changes after data were put");                  \
      if (const int trouble = file->look(BridgedFile::Then::redefines); trouble != NC_NOERR) return trouble; \
      file->pass(Reason::definition);                                                                        \
    }                                                                                                        \
    return __VA_ARGS__;                                                                                      \
  }
#define PUT_ATT(suffix, ctype)                                                                             \
  WEIR_BRIDGED ncmpi_put_att##suffix(int ncid, int varid, const char* name, nc_type xtype, MPI_Offset len, \
                                     const ctype* op)                                                      \
      AFTER_LOOK(ncid, WEIR_ORIGINAL(ncmpi_put_att##suffix)(ncid, varid, name, xtype, len, op))

namespace weir::bridge {

PUT_ATT(, void)
PUT_ATT(_schar, signed char)
PUT_ATT(_uchar, unsigned char)
PUT_ATT(_ubyte, unsigned char)
PUT_ATT(_short, short)
PUT_ATT(_ushort, unsigned short)
PUT_ATT(_int, int)
PUT_ATT(_uint, unsigned int)
PUT_ATT(_long, long)
PUT_ATT(_float, float)
PUT_ATT(_double, double)
PUT_ATT(_longlong, long long)
PUT_ATT(_ulonglong, unsigned long long)

WEIR_BRIDGED ncmpi_put_att_text(int ncid, int varid, const char* name, MPI_Offset len, const char* op)
    AFTER_LOOK(ncid, WEIR_ORIGINAL(ncmpi_put_att_text)(ncid, varid, name, len, op))

        WEIR_BRIDGED ncmpi_copy_att(int ncid_in, int varid_in, const char* name, int ncid_out, int varid_out)
            AFTER_LOOK(ncid_out, WEIR_ORIGINAL(ncmpi_copy_att)(ncid_in, varid_in, name, ncid_out, varid_out))

                WEIR_BRIDGED ncmpi_rename_att(int ncid, int varid, const char* name, const char* newname)
                    AFTER_LOOK(ncid, WEIR_ORIGINAL(ncmpi_rename_att)(ncid, varid, name, newname))

                        WEIR_BRIDGED ncmpi_rename_dim(int ncid, int dimid, const char* name)
                            AFTER_LOOK(ncid, WEIR_ORIGINAL(ncmpi_rename_dim)(ncid, dimid, name))

                                WEIR_BRIDGED ncmpi_rename_var(int ncid, int varid, const char* name)
                                    AFTER_LOOK(ncid, WEIR_ORIGINAL(ncmpi_rename_var)(ncid, varid, name))

}  // namespace weir::bridge
