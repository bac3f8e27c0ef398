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

// A call that posts a request: name is what follows ncmpi_, POSTS what makes the request.
#define POSTED(call, FORM, BUFFER_DECLARED, BUFFER_PASSED, POSTS, ...)                          \
  WEIR_BRIDGED ncmpi_##call(int ncid, int varid DECLARE_##FORM BUFFER_DECLARED, int* request) { \
    const auto library_call = [&] {                                                             \
      return WEIR_ORIGINAL(ncmpi_##call)(ncid, varid PASS_##FORM BUFFER_PASSED, request);       \
    };                                                                                          \
    BridgedFile* const file = bridged(ncid);                                                    \
    if (file == nullptr) return library_call();                                                 \
    const Access access{ACCESS_##FORM, .buffer = {__VA_ARGS__}};                                \
    return POSTS;                                                                               \
  }
#define IPUT post_put(*file, access, false, request, library_call)
#define BPUT post_put(*file, access, true, request, library_call)
#define IGET post_get(*file, access, request, library_call)

#define ONE_TYPE(FORM, suffix, ctype, wtype)                                                            \
  POSTED(iput_##FORM##suffix, FORM, OF_TYPE(const ctype), OF_BUFFER, IPUT, .values = op, .type = wtype) \
  POSTED(bput_##FORM##suffix, FORM, OF_TYPE(const ctype), OF_BUFFER, BPUT, .values = op, .type = wtype) \
  POSTED(iget_##FORM##suffix, FORM, OF_TYPE(ctype), OF_BUFFER, IGET, .values = op, .type = wtype)
#define FLEXIBLE(FORM)                                                                                         \
  POSTED(iput_##FORM, FORM, OF_DATATYPE(const void), OF_DATATYPE_BUFFER, IPUT, .values = op, .flexible = true, \
         .count = bufcount, .datatype = buftype)                                                               \
  POSTED(bput_##FORM, FORM, OF_DATATYPE(const void), OF_DATATYPE_BUFFER, BPUT, .values = op, .flexible = true, \
         .count = bufcount, .datatype = buftype)                                                               \
  POSTED(iget_##FORM, FORM, OF_DATATYPE(void), OF_DATATYPE_BUFFER, IGET, .values = op, .flexible = true,       \
         .count = bufcount, .datatype = buftype)
#define ALL_TYPES(FORM) WEIR_EACH_TYPE(ONE_TYPE, FORM) FLEXIBLE(FORM)

namespace weir::bridge {

WEIR_EACH_FORM(ALL_TYPES)

}  // namespace weir::bridge
