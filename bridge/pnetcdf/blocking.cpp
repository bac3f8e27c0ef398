// SPDX-License-Identifier: Apache-2.0
// put and get of var, var1, vara, vars, varm and varn, in all types and of derived datatypes, collective and
// independent; vard. One line a form: the types come from WEIR_EACH_TYPE.
//
//: put_var[1amsnd]?(_[a-z]+)?_all | written by Weir
//: get_var[1amsnd]?(_[a-z]+)?_all | the library, after a flush; Weir in files opened to read, where it is much
//: (put|get)_var[1amsnd]?(_[a-z]+)? | the library's, and counted: independent mode
#include "pnetcdf/forms.hpp"
#include "pnetcdf/original_calls.hpp"
#include "pnetcdf/put_calls.hpp"
#include "pnetcdf/read_files.hpp"
#include "pnetcdf/types.hpp"

// A put or get of one form and type: name is what follows ncmpi_, PUTS what the bridge does.
#define PUT(name, FORM, BUFFER_DECLARED, BUFFER_PASSED, PUTS, ...)                                                \
  WEIR_BRIDGED ncmpi_##name(int ncid, int varid DECLARE_##FORM BUFFER_DECLARED) {                                 \
    const auto library_call = [&] { return WEIR_ORIGINAL(ncmpi_##name)(ncid, varid PASS_##FORM BUFFER_PASSED); }; \
    BridgedFile* const file = bridged(ncid);                                                                      \
    if (file == nullptr) return library_call();                                                                   \
    const Access access{ACCESS_##FORM, .buffer = {__VA_ARGS__}};                                                  \
    return PUTS(*file, {&access, 1}, library_call);                                                               \
  }
#define GET_ALONE(name, FORM, BUFFER_DECLARED, BUFFER_PASSED)                                                     \
  WEIR_BRIDGED ncmpi_##name(int ncid, int varid DECLARE_##FORM BUFFER_DECLARED) {                                 \
    const auto library_call = [&] { return WEIR_ORIGINAL(ncmpi_##name)(ncid, varid PASS_##FORM BUFFER_PASSED); }; \
    BridgedFile* const file = bridged(ncid);                                                                      \
    return file == nullptr ? library_call() : get_alone(*file, library_call);                                     \
  }
#define GET_ALL(name, FORM, BUFFER_DECLARED, BUFFER_PASSED, ...)                                                  \
  WEIR_BRIDGED ncmpi_##name(int ncid, int varid DECLARE_##FORM BUFFER_DECLARED) {                                 \
    const auto library_call = [&] { return WEIR_ORIGINAL(ncmpi_##name)(ncid, varid PASS_##FORM BUFFER_PASSED); }; \
    BridgedFile* const file = bridged(ncid);                                                                      \
    if (file != nullptr) return get_all(*file, library_call);                                                     \
    ReadFile* const reader = numbered<ReadFile>().find(ncid);                                                     \
    if (reader == nullptr) return library_call();                                                                 \
    const Access access{ACCESS_##FORM, .buffer = {__VA_ARGS__}};                                                  \
    return reader->get(access, library_call);                                                                     \
  }

#define ONE_TYPE(FORM, suffix, ctype, wtype)                                                                 \
  PUT(put_##FORM##suffix, FORM, OF_TYPE(const ctype), OF_BUFFER, put_alone, .values = op, .type = wtype)     \
  GET_ALONE(get_##FORM##suffix, FORM, OF_TYPE(ctype), OF_BUFFER)                                             \
  PUT(put_##FORM##suffix##_all, FORM, OF_TYPE(const ctype), OF_BUFFER, put_all, .values = op, .type = wtype) \
  GET_ALL(get_##FORM##suffix##_all, FORM, OF_TYPE(ctype), OF_BUFFER, .values = op, .type = wtype)

#define FLEXIBLE(FORM)                                                                                              \
  PUT(put_##FORM, FORM, OF_DATATYPE(const void), OF_DATATYPE_BUFFER, put_alone, .values = op, .flexible = true,     \
      .count = bufcount, .datatype = buftype)                                                                       \
  GET_ALONE(get_##FORM, FORM, OF_DATATYPE(void), OF_DATATYPE_BUFFER)                                                \
  PUT(put_##FORM##_all, FORM, OF_DATATYPE(const void), OF_DATATYPE_BUFFER, put_all, .values = op, .flexible = true, \
      .count = bufcount, .datatype = buftype)                                                                       \
  GET_ALL(get_##FORM##_all, FORM, OF_DATATYPE(void), OF_DATATYPE_BUFFER, .values = op, .flexible = true,            \
          .count = bufcount, .datatype = buftype)
#define ALL_TYPES(FORM) WEIR_EACH_TYPE(ONE_TYPE, FORM) FLEXIBLE(FORM)

namespace weir::bridge {

WEIR_EACH_FORM(ALL_TYPES)

// vard: an MPI datatype says where in the file.
#define DECLARE_vard , MPI_Datatype filetype
#define PASS_vard , filetype
#define ACCESS_vard .form = Access::Form::datatype, .var = varid, .filetype = filetype
PUT(put_vard, vard, OF_DATATYPE(const void), OF_DATATYPE_BUFFER, put_alone, .values = op, .flexible = true,
    .count = bufcount, .datatype = buftype)
GET_ALONE(get_vard, vard, OF_DATATYPE(void), OF_DATATYPE_BUFFER)
PUT(put_vard_all, vard, OF_DATATYPE(const void), OF_DATATYPE_BUFFER, put_all, .values = op, .flexible = true,
    .count = bufcount, .datatype = buftype)
GET_ALL(get_vard_all, vard, OF_DATATYPE(void), OF_DATATYPE_BUFFER, .values = op, .flexible = true, .count = bufcount,
        .datatype = buftype)

}  // namespace weir::bridge
