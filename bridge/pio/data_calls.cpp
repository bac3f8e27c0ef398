// SPDX-License-Identifier: Apache-2.0
// Data calls: puts and gets.
//
// write_darray, write_darray_multi: written by Weir read_darray: read by Weir in files that are open for reading, else
// PIO's, after a flush get_var...: PIO's, after a flush put_var...: PIO's; where Weir makes the file, Weir's too
// put_vard...: PIO's, after a flush; where Weir makes the file, Weir's
#include <algorithm>
#include <bit>

#include "pio/border.hpp"
#include "pio/original_calls.hpp"
#include "pio/read_files.hpp"
#include "pio/written_file.hpp"

// X(suffix, C type, its number) for each type that the calls name; 0: that of the variable.
#define WEIR_PIO_TYPES(X)                 \
  X(, void, 0)                            \
  X(_text, char, WEIR_CHAR)               \
  X(_schar, signed char, WEIR_BYTE)       \
  X(_uchar, unsigned char, WEIR_UBYTE)    \
  X(_short, short, WEIR_SHORT)            \
  X(_ushort, unsigned short, WEIR_USHORT) \
  X(_int, int, WEIR_INT)                  \
  X(_uint, unsigned int, WEIR_UINT)       \
  X(_long, long, long_type)               \
  X(_float, float, WEIR_FLOAT)            \
  X(_double, double, WEIR_DOUBLE)         \
  X(_longlong, long long, WEIR_INT64)     \
  X(_ulonglong, unsigned long long, WEIR_UINT64)

// Where in the variable.
#define DECLARE_WHOLE
#define PASS_WHOLE
#define WHERE_WHOLE Values::Form::whole, nullptr, nullptr, nullptr
#define DECLARE_ONE , const MPI_Offset* index
#define PASS_ONE , index
#define WHERE_ONE Values::Form::one, index, nullptr, nullptr
#define DECLARE_BOX , const MPI_Offset *start, const MPI_Offset *count
#define PASS_BOX , start, count
#define WHERE_BOX Values::Form::box, start, count, nullptr
#define DECLARE_STRIDED , const MPI_Offset *start, const MPI_Offset *count, const MPI_Offset *stride
#define PASS_STRIDED , start, count, stride
#define WHERE_STRIDED Values::Form::box, start, count, stride
#define DECLARE_PLACED , int decomposition, const MPI_Offset record
#define PASS_PLACED , decomposition, record

#define PUT(NAME, FORM, ctype, TYPE)                                                         \
  extern "C" int NAME(int file, int var DECLARE_##FORM, const ctype* values);                \
  WEIR_BRIDGED NAME(int file, int var DECLARE_##FORM, const ctype* values) {                 \
    const auto library_call = [&] { return WEIR_PIO(NAME)(file, var PASS_##FORM, values); }; \
    return put_values(file, {var, WHERE_##FORM, TYPE, values}, library_call);                \
  }
#define GET(NAME, FORM, ctype)                                                                     \
  extern "C" int NAME(int file, int var DECLARE_##FORM, ctype* values);                            \
  WEIR_BRIDGED NAME(int file, int var DECLARE_##FORM, ctype* values) {                             \
    return get(file, [&](int number) { return WEIR_PIO(NAME)(number, var PASS_##FORM, values); }); \
  }
#define PUT_PLACED(NAME, ctype, TYPE)                                                        \
  extern "C" int NAME(int file, int var DECLARE_PLACED, const ctype* values);                \
  WEIR_BRIDGED NAME(int file, int var DECLARE_PLACED, const ctype* values) {                 \
    const auto library_call = [&] { return WEIR_PIO(NAME)(file, var PASS_PLACED, values); }; \
    return put_record(file, var, {decomposition, record, TYPE, values}, library_call);       \
  }
#define EACH_FORM(suffix, ctype, TYPE)             \
  PUT(PIOc_put_var##suffix, WHOLE, ctype, TYPE)    \
  PUT(PIOc_put_var1##suffix, ONE, ctype, TYPE)     \
  PUT(PIOc_put_vara##suffix, BOX, ctype, TYPE)     \
  PUT(PIOc_put_vars##suffix, STRIDED, ctype, TYPE) \
  PUT_PLACED(PIOc_put_vard##suffix, ctype, TYPE)   \
  GET(PIOc_get_var##suffix, WHOLE, ctype)          \
  GET(PIOc_get_var1##suffix, ONE, ctype)           \
  GET(PIOc_get_vara##suffix, BOX, ctype)           \
  GET(PIOc_get_vars##suffix, STRIDED, ctype)       \
  GET(PIOc_get_vard##suffix, PLACED, ctype)

// What all of those come to in PIO, and programs may call: the type in memory is named.
#define TYPELESS(name, FORM)                                                                                       \
  extern "C" int PIOc_put_##name##_tc(int file, int var DECLARE_##FORM, int type, const void* values);             \
  extern "C" int PIOc_get_##name##_tc(int file, int var DECLARE_##FORM, int type, void* values);                   \
  WEIR_BRIDGED PIOc_put_##name##_tc(int file, int var DECLARE_##FORM, int type, const void* values) {              \
    const auto library_call = [&] { return WEIR_PIO(PIOc_put_##name##_tc)(file, var PASS_##FORM, type, values); }; \
    return put_values(file, {var, WHERE_##FORM, type > WEIR_UINT64 ? long_type : type, values}, library_call);     \
  }                                                                                                                \
  WEIR_BRIDGED PIOc_get_##name##_tc(int file, int var DECLARE_##FORM, int type, void* values) {                    \
    return get(file,                                                                                               \
               [&](int number) { return WEIR_PIO(PIOc_get_##name##_tc)(number, var PASS_##FORM, type, values); }); \
  }

namespace weir::bridge {

namespace {

// Of C's long, for which PIO has a number of its own.
constexpr int long_type = sizeof(long) == sizeof(int) ? WEIR_INT : WEIR_INT64;

// What PIOc_put_vard puts.
struct Placed {
  int decomposition;
  MPI_Offset record;
  int type;
  const void* values;
};

// PIO gets data, by the number of the file that has them.
template <class Get>
int get(int file, const Get& by_number) {
  return at_file(file, [&] {
    int number = file;
    WrittenFile* const known = called_file(file);
    const int problem = known != nullptr ? known->look(number) : 0;
    return problem != 0 ? problem : by_number(number);
  });
}

int put_values(int file, const Values& values, LibraryCall library_call) {
  WrittenFile* const known = called_file(file);
  return known == nullptr ? library_call() : known->call([&] { return known->put_values(values, library_call); });
}

int put_arrays(int file, const Arrays& arrays, LibraryCall library_call) {
  WrittenFile* const known = called_file(file);
  return known == nullptr ? library_call() : known->call([&] { return known->put(arrays, library_call); });
}

int put_record(int file, int var, const Placed& placed, LibraryCall library_call) {
  WrittenFile* const known = called_file(file);
  if (known == nullptr) return library_call();
  const int frame = static_cast<int>(placed.record);
  const Arrays array{{&var, 1}, placed.decomposition, 0, placed.values, &frame};
  return known->call([&] { return known->put_record(array, placed.type, library_call); });
}

// netCDF's fill value of a type, as it is in memory.
ExternalValue usual_fill(Type type) {
  ExternalValue value = default_fill(type);
  if constexpr (std::endian::native == std::endian::little)
    std::reverse(value.begin(), value.begin() + type_bytes(type));
  return value;
}

}  // namespace

WEIR_PIO_TYPES(EACH_FORM)
TYPELESS(var, WHOLE)
TYPELESS(var1, ONE)
TYPELESS(vars, STRIDED)

WEIR_BRIDGED PIOc_write_darray(int file, int var, int decomposition, MPI_Offset elements, void* array,
                               void* fill_value) {
  const auto library_call = [&] {
    return WEIR_PIO(PIOc_write_darray)(file, var, decomposition, elements, array, fill_value);
  };
  if (called_file(file) == nullptr) return library_call();
  if (library() == Library::pio)
    return put_arrays(file, {{&var, 1}, decomposition, elements, array, nullptr, fill_value}, library_call);
  // SCORPIO gives holes this value, or that of their type.
  const Decomposition* const held = decomposition_of(decomposition);
  const ExternalValue usual = held != nullptr ? usual_fill(held->type) : ExternalValue{};
  const void* const given = fill_value != nullptr ? fill_value : usual.data();
  return put_arrays(file, {{&var, 1}, decomposition, elements, array, nullptr, given, Arrays::Fills::given},
                    library_call);
}

WEIR_BRIDGED PIOc_write_darray_multi(int file, const int* vars, int decomposition, int nvars, MPI_Offset elements,
                                     void* array, const int* frames, void** fill_values, bool flush) {
  const auto library_call = [&] {
    return WEIR_PIO(PIOc_write_darray_multi)(file, vars, decomposition, nvars, elements, array, frames, fill_values,
                                             flush);
  };
  WrittenFile* const known = called_file(file);
  if (known == nullptr || vars == nullptr || nvars <= 0) return library_call();
  const std::span<const int> named(vars, static_cast<std::size_t>(nvars));
  // Whatever its type, PIO's parameter points to the values themselves.
  const Arrays arrays{named, decomposition, elements, array, frames, fill_values, Arrays::Fills::given};
  return known->call([&] {
    const int code = known->put(arrays, library_call);
    return code == 0 && flush && known->written_by_weir() ? known->sync() : code;
  });
}

WEIR_BRIDGED PIOc_read_darray(int file, int var, int decomposition, MPI_Offset elements, void* array) {
  return get(file, [&](int number) {
    const auto library_call = [&] { return WEIR_PIO(PIOc_read_darray)(number, var, decomposition, elements, array); };
    PioReadFile* const known = called_read_file(file);
    return known != nullptr ? known->read(var, decomposition, array, library_call) : library_call();
  });
}

}  // namespace weir::bridge
