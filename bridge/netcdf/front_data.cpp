// SPDX-License-Identifier: Apache-2.0
// The exported calls for data and for values of attributes: every form in every type.
#include "netcdf/front.hpp"
#include "netcdf/packed_calls.hpp"

using weir::bridge::files;
using weir::bridge::NetcdfFile;
using weir::bridge::packed;
using weir::bridge::PackedFile;
namespace of_packed = weir::bridge::of_packed;
namespace intercepted = weir::bridge::intercepted;
using intercepted::Form;

// X(form, (parameters), (arguments), region)
#define WEIR_VAR(X, ...) X(var, (), (), (intercepted::Region{})__VA_OPT__(, ) __VA_ARGS__)
#define WEIR_VAR1(X, ...)                 \
  X(var1, (const size_t* start), (start), \
    (intercepted::Region{start, nullptr, nullptr, nullptr})__VA_OPT__(, ) __VA_ARGS__)
#define WEIR_VARA(X, ...)                                             \
  X(vara, (const size_t* start, const size_t* count), (start, count), \
    (intercepted::Region{start, count, nullptr, nullptr})__VA_OPT__(, ) __VA_ARGS__)
#define WEIR_VARS(X, ...)                                                                              \
  X(vars, (const size_t* start, const size_t* count, const ptrdiff_t* stride), (start, count, stride), \
    (intercepted::Region{start, count, stride, nullptr})__VA_OPT__(, ) __VA_ARGS__)
#define WEIR_VARM(X, ...)                                                                            \
  X(varm, (const size_t* start, const size_t* count, const ptrdiff_t* stride, const ptrdiff_t* map), \
    (start, count, stride, map), (intercepted::Region{start, count, stride, map})__VA_OPT__(, ) __VA_ARGS__)
#define WEIR_ALL_FORMS(X, ...) \
  WEIR_VAR(X, __VA_ARGS__)     \
  WEIR_VAR1(X, __VA_ARGS__) WEIR_VARA(X, __VA_ARGS__) WEIR_VARS(X, __VA_ARGS__) WEIR_VARM(X, __VA_ARGS__)
#define WEIR_UNWRAP(...) __VA_ARGS__

#define WEIR_DATA_CALL(NAME, DIRECTION, form, PARAMETERS, ARGUMENTS, REGION, POINTER, MEMORY)                         \
  int NAME(int ncid, int var WEIR_REST PARAMETERS, POINTER values) {                                                  \
    if (NetcdfFile* const file = files.find(ncid))                                                                    \
      return intercepted::ask(                                                                                        \
          *file, [&] { return intercepted::DIRECTION(*file, var, Form::form, WEIR_UNWRAP REGION, values, MEMORY); }); \
    WEIR_PACKED_##DIRECTION(NAME, form, ARGUMENTS, REGION, MEMORY) return WEIR_NETCDF(NAME)(                          \
        ncid, var WEIR_REST ARGUMENTS, values);                                                                       \
  }
#define WEIR_PACKED_put(NAME, form, ARGUMENTS, REGION, MEMORY) \
  if (PackedFile* const made = packed(ncid)) return made->put({var, Form::form, WEIR_UNWRAP REGION, MEMORY}, values);
// netCDF's own, of another number.
#define WEIR_PACKED_get(NAME, form, ARGUMENTS, REGION, MEMORY) \
  if (PackedFile* const made = packed(ncid))                   \
    if (const int code = made->reader_for(var, ncid); code != NC_NOERR) return code;
#define WEIR_TYPED(form, PARAMETERS, ARGUMENTS, REGION, word, c_type, NUMBER)                             \
  WEIR_DATA_CALL(nc_put_##form##_##word, put, form, PARAMETERS, ARGUMENTS, REGION, const c_type*, NUMBER) \
  WEIR_DATA_CALL(nc_get_##form##_##word, get, form, PARAMETERS, ARGUMENTS, REGION, c_type*, NUMBER)
#define WEIR_UNTYPED(form, PARAMETERS, ARGUMENTS, REGION)                                                     \
  WEIR_DATA_CALL(nc_put_##form, put, form, PARAMETERS, ARGUMENTS, REGION, const void*, intercepted::own_type) \
  WEIR_DATA_CALL(nc_get_##form, get, form, PARAMETERS, ARGUMENTS, REGION, void*, intercepted::own_type)
// Strings are netCDF-4's.
#define WEIR_STRINGS(form, PARAMETERS, ARGUMENTS, REGION)                                                   \
  WEIR_DATA_CALL(nc_put_##form##_string, put, form, PARAMETERS, ARGUMENTS, REGION, const char**, NC_STRING) \
  WEIR_DATA_CALL(nc_get_##form##_string, get, form, PARAMETERS, ARGUMENTS, REGION, char**, NC_STRING)

#define WEIR_ATTRIBUTE(word, c_type, NUMBER)                                                                         \
  int nc_put_att_##word(int ncid, int var, const char* name, nc_type type, size_t length, const c_type* values) {    \
    const auto original = [&] { return WEIR_NETCDF(nc_put_att_##word)(ncid, var, name, type, length, values); };     \
    if (NetcdfFile* const file = files.find(ncid))                                                                   \
      return intercepted::ask(*file,                                                                                 \
                              [&] { return intercepted::put_att(*file, var, name, type, length, values, NUMBER); }); \
    PackedFile* const made = packed(ncid);                                                                           \
    if (made == nullptr) return original();                                                                          \
    return of_packed::ask(                                                                                           \
        *made, [&] { return of_packed::put_att(*made, var, name); }, original);                                      \
  }
#define WEIR_GET_ATTRIBUTE(word, c_type, NUMBER)                                                              \
  int nc_get_att_##word(int ncid, int var, const char* name, c_type* values) {                                \
    if (NetcdfFile* const file = files.find(ncid))                                                            \
      return intercepted::ask(*file, [&] { return intercepted::get_att(*file, var, name, values, NUMBER); }); \
    return WEIR_NETCDF(nc_get_att_##word)(ncid, var, name, values);                                           \
  }

extern "C" {

#define X(word, c_type, NUMBER) WEIR_ALL_FORMS(WEIR_TYPED, word, c_type, NUMBER)
WEIR_NETCDF_TYPES(X)
#undef X
WEIR_ALL_FORMS(WEIR_UNTYPED)
WEIR_ALL_FORMS(WEIR_STRINGS)
WEIR_NETCDF_NUMBERS(WEIR_ATTRIBUTE)
WEIR_NETCDF_TYPES(WEIR_GET_ATTRIBUTE)
WEIR_GET_ATTRIBUTE(string, char*, NC_STRING)

int nc_put_att_string(int ncid, int var, const char* name, size_t length, const char** values) {
  const auto original = [&] { return WEIR_NETCDF(nc_put_att_string)(ncid, var, name, length, values); };
  if (NetcdfFile* const file = files.find(ncid))
    return intercepted::ask(
        *file, [&] { return intercepted::put_att(*file, var, name, NC_STRING, length, values, NC_STRING); });
  PackedFile* const made = packed(ncid);
  if (made == nullptr) return original();
  return of_packed::ask(
      *made, [&] { return of_packed::put_att(*made, var, name); }, original);
}

}  // extern "C"
