// SPDX-License-Identifier: Apache-2.0
// Calls that may change the header after data were put: the library then writes it anew, record count and all, so it
// has to know what was put. In define mode they are the library's alone. A file that Weir makes keeps the names that it
// has.
//
//: put_att(_[a-z]+)?|copy_att | the library's; in data mode after a flush, and counted
//: rename_(att|dim|var) | the same; refused of what a file that Weir makes has already
//: del_att | the library's; refused likewise
#include <optional>
#include <string_view>

#include "pnetcdf/files.hpp"
#include "pnetcdf/original_calls.hpp"

namespace weir::bridge {

namespace {

// What the call returns that is not to be made.
using Refusal = std::optional<int>;

Refusal before_change(int ncid) {
  BridgedFile* const file = bridged(ncid);
  if (file == nullptr || !file->written_by_weir()) return std::nullopt;
  if (const int problem = file->flush_before(BridgedFile::NextAccess::redefines); problem != NC_NOERR) return problem;
  if (file->intercept().written() == nullptr) file->pass(Reason::definition);
  return std::nullopt;
}

Refusal if_kept(int ncid, bool (*keeps)(const Schema& written, int number, const char* name), int number,
                const char* name = nullptr) {
  BridgedFile* const file = bridged(ncid);
  const Schema* const written = file != nullptr ? file->intercept().written() : nullptr;
  if (written == nullptr || !keeps(*written, number, name)) return std::nullopt;
  return file->refuse("definitions cannot be renamed or deleted after data were put");
}

bool keeps_dim(const Schema& written, int dim, const char*) {
  return dim >= 0 && dim < std::ssize(written.dimensions());
}

bool keeps_var(const Schema& written, int var, const char*) {
  return var >= 0 && var < std::ssize(written.variables());
}

bool keeps_att(const Schema& written, int var, const char* name) {
  const bool known = var == NC_GLOBAL || keeps_var(written, var, nullptr);
  return known && name != nullptr && written.find_attribute(var, name) != nullptr;
}

}  // namespace

#define UNLESS(REFUSED, ncid, ...)                                      \
  {                                                                     \
    return at_file(ncid, [&] {                                          \
      if (const Refusal refusal = REFUSED) return *refusal;             \
      if (const Refusal refusal = before_change(ncid)) return *refusal; \
      return __VA_ARGS__;                                               \
    });                                                                 \
  }
#define AFTER_FLUSH(ncid, ...) UNLESS(Refusal(), ncid, __VA_ARGS__)
#define PUT_ATT(suffix, ctype)                                                                             \
  WEIR_BRIDGED ncmpi_put_att##suffix(int ncid, int varid, const char* name, nc_type xtype, MPI_Offset len, \
                                     const ctype* op)                                                      \
      AFTER_FLUSH(ncid, WEIR_ORIGINAL(ncmpi_put_att##suffix)(ncid, varid, name, xtype, len, op))

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

WEIR_BRIDGED ncmpi_put_att_text(int ncid, int varid, const char* name, MPI_Offset len, const char* op){
    AFTER_FLUSH(ncid, WEIR_ORIGINAL(ncmpi_put_att_text)(ncid, varid, name, len, op))}

WEIR_BRIDGED ncmpi_copy_att(int ncid_in, int varid_in, const char* name, int ncid_out, int varid_out){
    AFTER_FLUSH(ncid_out, WEIR_ORIGINAL(ncmpi_copy_att)(ncid_in, varid_in, name, ncid_out, varid_out))}

// A variable that the file has can get no fill value by that name either.
WEIR_BRIDGED ncmpi_rename_att(int ncid, int varid, const char* name, const char* newname) {
  const auto refused = [&] {
    const bool fills = newname != nullptr && std::string_view(newname) == "_FillValue";
    const Refusal filling = fills ? if_kept(ncid, keeps_var, varid) : std::nullopt;
    return filling ? filling : if_kept(ncid, keeps_att, varid, name);
  };
  UNLESS(refused(), ncid, WEIR_ORIGINAL(ncmpi_rename_att)(ncid, varid, name, newname))
}

WEIR_BRIDGED ncmpi_rename_dim(int ncid, int dimid, const char* name){
    UNLESS(if_kept(ncid, keeps_dim, dimid), ncid, WEIR_ORIGINAL(ncmpi_rename_dim)(ncid, dimid, name))}

WEIR_BRIDGED ncmpi_rename_var(int ncid, int varid, const char* name){
    UNLESS(if_kept(ncid, keeps_var, varid), ncid, WEIR_ORIGINAL(ncmpi_rename_var)(ncid, varid, name))}

WEIR_BRIDGED ncmpi_del_att(int ncid, int varid, const char* name) {
  return at_file(ncid, [&] {
    const Refusal refusal = if_kept(ncid, keeps_att, varid, name);
    return refusal ? *refusal : WEIR_ORIGINAL(ncmpi_del_att)(ncid, varid, name);
  });
}

}  // namespace weir::bridge
