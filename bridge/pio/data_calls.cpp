// SPDX-License-Identifier: Apache-2.0
// Data are put and got.
//
// write_darray, write_darray_multi: carried by Weir
// read_darray: carried by Weir in files that are open to read, else PIO's, after a landing
// get_var...: PIO's, after a landing
// put_var...: PIO's
// put_vard...: PIO's, after a landing
#include "pio/files.hpp"
#include "pio/original_calls.hpp"
#include "pio/read_files.hpp"

// X(suffix, C type) for each type that the calls name.
#define WEIR_PIO_TYPES(X)    \
  X(, void)                  \
  X(_text, char)             \
  X(_schar, signed char)     \
  X(_uchar, unsigned char)   \
  X(_short, short)           \
  X(_ushort, unsigned short) \
  X(_int, int)               \
  X(_uint, unsigned int)     \
  X(_long, long)             \
  X(_float, float)           \
  X(_double, double)         \
  X(_longlong, long long)    \
  X(_ulonglong, unsigned long long)

// Where in the variable.
#define DECLARE_WHOLE
#define PASS_WHOLE
#define DECLARE_ONE , const MPI_Offset* index
#define PASS_ONE , index
#define DECLARE_BOX , const MPI_Offset *start, const MPI_Offset *count
#define PASS_BOX , start, count
#define DECLARE_STRIDED , const MPI_Offset *start, const MPI_Offset *count, const MPI_Offset *stride
#define PASS_STRIDED , start, count, stride
#define DECLARE_PLACED , int decomposition, const MPI_Offset record
#define PASS_PLACED , decomposition, record

#define PUT(NAME, FORM, ctype)                                                \
  extern "C" int NAME(int file, int var DECLARE_##FORM, const ctype* values); \
  WEIR_BRIDGED NAME(int file, int var DECLARE_##FORM, const ctype* values) {  \
    if (PioFile* const known = called_file(file)) known->note_put(var);       \
    return WEIR_PIO(NAME)(file, var PASS_##FORM, values);                     \
  }
#define GET(NAME, FORM, ctype)                                                              \
  extern "C" int NAME(int file, int var DECLARE_##FORM, ctype* values);                     \
  WEIR_BRIDGED NAME(int file, int var DECLARE_##FORM, ctype* values) {                      \
    return after_look(file, [&] { return WEIR_PIO(NAME)(file, var PASS_##FORM, values); }); \
  }
#define PUT_PLACED(NAME, ctype)                                                             \
  extern "C" int NAME(int file, int var DECLARE_PLACED, const ctype* values);               \
  WEIR_BRIDGED NAME(int file, int var DECLARE_PLACED, const ctype* values) {                \
    return after_look(file, [&] { return WEIR_PIO(NAME)(file, var PASS_PLACED, values); }); \
  }
#define EACH_FORM(suffix, ctype)             \
  PUT(PIOc_put_var##suffix, WHOLE, ctype)    \
  PUT(PIOc_put_var1##suffix, ONE, ctype)     \
  PUT(PIOc_put_vara##suffix, BOX, ctype)     \
  PUT(PIOc_put_vars##suffix, STRIDED, ctype) \
  PUT_PLACED(PIOc_put_vard##suffix, ctype)   \
  GET(PIOc_get_var##suffix, WHOLE, ctype)    \
  GET(PIOc_get_var1##suffix, ONE, ctype)     \
  GET(PIOc_get_vara##suffix, BOX, ctype)     \
  GET(PIOc_get_vars##suffix, STRIDED, ctype) \
  GET(PIOc_get_vard##suffix, PLACED, ctype)

namespace weir::bridge {

namespace {

int after_look(int file, Again original) {
  if (PioFile* const known = called_file(file))
    if (const int trouble = known->look(PioFile::Then::reads); trouble != 0) return trouble;
  return original();
}

}  // namespace

WEIR_PIO_TYPES(EACH_FORM)

WEIR_BRIDGED PIOc_write_darray(int file, int var, int decomposition, MPI_Offset elements, void* array,
                               void* fill_value) {
  const auto again = [&] { return WEIR_PIO(PIOc_write_darray)(file, var, decomposition, elements, array, fill_value); };
  PioFile* const known = called_file(file);
  return known == nullptr ? again()
                          : known->put({{&var, 1}, decomposition, elements, array, nullptr, fill_value}, again);
}

WEIR_BRIDGED PIOc_write_darray_multi(int file, const int* vars, int decomposition, int nvars, MPI_Offset elements,
                                     void* array, const int* frames, void** fill_values, bool flush) {
  const auto again = [&] {
    return WEIR_PIO(PIOc_write_darray_multi)(file, vars, decomposition, nvars, elements, array, frames, fill_values,
                                             flush);
  };
  PioFile* const known = called_file(file);
  if (known == nullptr || vars == nullptr || nvars <= 0) return again();
  const std::span<const int> named(vars, static_cast<std::size_t>(nvars));
  // Whatever its type, PIO's parameter points to the values themselves.
  const PioFile::Arrays arrays{
      named, decomposition, elements, array, frames, fill_values, PioFile::Arrays::Fills::given};
  const int code = known->put(arrays, again);
  return code == 0 && flush && known->carries() ? known->sync() : code;
}

WEIR_BRIDGED PIOc_read_darray(int file, int var, int decomposition, MPI_Offset elements, void* array) {
  const auto again = [&] { return WEIR_PIO(PIOc_read_darray)(file, var, decomposition, elements, array); };
  if (PioReadFile* const known = called_read_file(file)) return known->read(var, decomposition, array, again);
  return after_look(file, again);
}

}  // namespace weir::bridge
