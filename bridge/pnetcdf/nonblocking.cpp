// SPDX-License-Identifier: Apache-2.0
// iput and bput of var, var1, vara, vars, varm and varn, in all types and with derived datatypes: posted here, written
// at wait_all. iget goes to the underlying library, in some cases at wait_all, and so does any call that the library
// would refuse.
//
//: [ib]put_var[1amsn]?(_[a-z]+)? | kept until `wait_all`
//: iget_var[1amsn]?(_[a-z]+)? | the library's, and counted; of records it does not know of yet kept until `wait_all`
#include "pnetcdf/forms.hpp"
#include "pnetcdf/original_calls.hpp"
#include "pnetcdf/put_calls.hpp"
#include "pnetcdf/types.hpp"

#define POST(call, FORM, BUFFER_DECLARED, BUFFER_PASSED, BUFFERED, ...)                         \
  WEIR_BRIDGED ncmpi_##call(int ncid, int varid DECLARE_##FORM BUFFER_DECLARED, int* request) { \
    const auto library_call = [&] {                                                             \
      return WEIR_ORIGINAL(ncmpi_##call)(ncid, varid PASS_##FORM BUFFER_PASSED, request);       \
    };                                                                                          \
    BridgedFile* const file = bridged(ncid);                                                    \
    if (file == nullptr) return library_call();                                                 \
    const Access access{ACCESS_##FORM, .buffer = {__VA_ARGS__}};                                \
    return post_put(*file, access, BUFFERED, request, library_call);                            \
  }
#define POST_GET(call, FORM, BUFFER_DECLARED, BUFFER_PASSED, ...)                               \
  WEIR_BRIDGED ncmpi_##call(int ncid, int varid DECLARE_##FORM BUFFER_DECLARED, int* request) { \
    const auto library_call = [&] {                                                             \
      return WEIR_ORIGINAL(ncmpi_##call)(ncid, varid PASS_##FORM BUFFER_PASSED, request);       \
    };                                                                                          \
    BridgedFile* const file = bridged(ncid);                                                    \
    if (file == nullptr) return library_call();                                                 \
    const Access access{ACCESS_##FORM, .buffer = {__VA_ARGS__}};                                \
    return post_get(*file, access, request, library_call);                                      \
  }
#define ONE_TYPE(FORM, suffix, ctype, wtype)                                                           \
  POST(iput_##FORM##suffix, FORM, OF_TYPE(const ctype), OF_BUFFER, false, .values = op, .type = wtype) \
  POST(bput_##FORM##suffix, FORM, OF_TYPE(const ctype), OF_BUFFER, true, .values = op, .type = wtype)  \
  POST_GET(iget_##FORM##suffix, FORM, OF_TYPE(ctype), OF_BUFFER, .values = op, .type = wtype)
#define FLEXIBLE(FORM)                                                                                        \
  POST(iput_##FORM, FORM, OF_DATATYPE(const void), OF_DATATYPE_BUFFER, false, .values = op, .flexible = true, \
       .count = bufcount, .datatype = buftype)                                                                \
  POST(bput_##FORM, FORM, OF_DATATYPE(const void), OF_DATATYPE_BUFFER, true, .values = op, .flexible = true,  \
       .count = bufcount, .datatype = buftype)                                                                \
  POST_GET(iget_##FORM, FORM, OF_DATATYPE(void), OF_DATATYPE_BUFFER, .values = op, .flexible = true,          \
           .count = bufcount, .datatype = buftype)
#define ALL_TYPES(FORM) WEIR_EACH_TYPE(ONE_TYPE, FORM) FLEXIBLE(FORM)

namespace weir::bridge {

WEIR_EACH_FORM(ALL_TYPES)

}  // namespace weir::bridge
