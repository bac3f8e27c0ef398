// SPDX-License-Identifier: Apache-2.0
// Calls that change or inquire definitions.
//
// def_dim, def_var, put_att..., rename..., del_att, def_var_fill: PIO's, and noted where Weir makes the file
// def_var_chunking, _deflate, _zstandard, _quantize, and other ways to keep a variable: likewise, with what they say
// inq_dim, inq_dimlen: PIO's, with records that only arrays made
#include "pio/border.hpp"
#include "pio/original_calls.hpp"
#include "pio/packed_file.hpp"

// X(suffix, C type): attributes whose calls have a type of the file.
#define WEIR_PIO_ATTRIBUTES(X) \
  X(_schar, signed char)       \
  X(_uchar, unsigned char)     \
  X(_short, short)             \
  X(_ushort, unsigned short)   \
  X(_int, int)                 \
  X(_uint, unsigned int)       \
  X(_long, long)               \
  X(_float, float)             \
  X(_double, double)           \
  X(_longlong, long long)      \
  X(_ulonglong, unsigned long long)

// A call that changes definitions.
#define CHANGE(NAME, PARAMETERS, ARGUMENTS)                                      \
  extern "C" int NAME PARAMETERS;                                                \
  WEIR_BRIDGED NAME PARAMETERS {                                                 \
    return at_file(file, [&] { return noted(file, WEIR_PIO(NAME) ARGUMENTS); }); \
  }
#define CHANGE_ATTRIBUTE(suffix, ctype)                                                           \
  CHANGE(PIOc_put_att##suffix,                                                                    \
         (int file, int var, const char* name, int type, MPI_Offset length, const ctype* values), \
         (file, var, name, type, length, values))
// One that says how a variable is kept.
#define KEEP(NAME, PARAMETERS, ARGUMENTS, ...)                                        \
  WEIR_BRIDGED NAME PARAMETERS {                                                      \
    return at_file(file, [&] {                                                        \
      const int code = WEIR_PIO(NAME) ARGUMENTS;                                      \
      PackedPioFile* const known = code == 0 ? called_packed_file(file) : nullptr;    \
      if (known == nullptr) return code;                                              \
      [[maybe_unused]] StorageOptions& storage_options = known->storage_options(var); \
      __VA_ARGS__;                                                                    \
      known->note_definition();                                                       \
      return code;                                                                    \
    });                                                                               \
  }

namespace weir::bridge {

namespace {

constexpr int chunked = 0, big_endian = 2;  // netCDF's words

// A netCDF that was built without zstd takes the call and packs nothing (4.9.0, whatever the file). So does Weir then:
// who reads the program's files need not have zstd either.
bool packs_by_zstd() noexcept {
  static const bool does = [] {
    const auto define = find_original<int(int, int, int)>("nc_def_var_zstandard");
    return define == nullptr || define(-1, 0, 1) != 0;
  }();
  return does;
}

int noted(int file, int code) {
  WrittenFile* const known = code == 0 ? called_file(file) : nullptr;
  if (known != nullptr) known->note_definition();
  return code;
}

void lengthen(int file, int dim, MPI_Offset* length) {
  const WrittenFile* const known = called_file(file);
  if (known != nullptr && length != nullptr) *length = known->length_of(dim, *length);
}

}  // namespace

CHANGE(PIOc_def_dim, (int file, const char* name, MPI_Offset length, int* dim), (file, name, length, dim))
CHANGE(PIOc_def_var, (int file, const char* name, int type, int ndims, const int* dims, int* var),
       (file, name, type, ndims, dims, var))
CHANGE(PIOc_def_var_fill, (int file, int var, int no_fill, const void* value), (file, var, no_fill, value))
CHANGE(PIOc_rename_dim, (int file, int dim, const char* name), (file, dim, name))
CHANGE(PIOc_rename_var, (int file, int var, const char* name), (file, var, name))
CHANGE(PIOc_rename_att, (int file, int var, const char* name, const char* now), (file, var, name, now))
CHANGE(PIOc_del_att, (int file, int var, const char* name), (file, var, name))
CHANGE_ATTRIBUTE(, void)
CHANGE(PIOc_put_att_text, (int file, int var, const char* name, MPI_Offset length, const char* values),
       (file, var, name, length, values))
WEIR_PIO_ATTRIBUTES(CHANGE_ATTRIBUTE)

KEEP(PIOc_def_var_chunking, (int file, int var, int storage, const MPI_Offset* lengths), (file, var, storage, lengths),
     known->set_chunk(var, storage == chunked ? lengths : nullptr))
KEEP(PIOc_def_var_deflate, (int file, int var, int shuffle, int deflate, int level),
     (file, var, shuffle, deflate, level), storage_options.storage.shuffle = shuffle != 0;
     storage_options.storage.deflate_level = deflate != 0 ? std::optional<int>(level) : std::nullopt)
KEEP(PIOc_def_var_zstandard, (int file, int var, int level), (file, var, level),
     if (packs_by_zstd()) storage_options.storage.zstd_level = level)
KEEP(PIOc_def_var_quantize, (int file, int var, int mode, int digits), (file, var, mode, digits),
     storage_options.storage.quantization = mode != 0
                                                ? std::optional(Quantization{static_cast<QuantizeKind>(mode), digits})
                                                : std::nullopt)
KEEP(PIOc_def_var_endian, (int file, int var, int endian), (file, var, endian),
     storage_options.foreign = endian == big_endian)
KEEP(PIOc_def_var_szip, (int file, int var, int options, int pixels), (file, var, options, pixels),
     storage_options.foreign = true)
KEEP(PIOc_def_var_bzip2, (int file, int var, int level), (file, var, level), storage_options.foreign = true)
KEEP(PIOc_def_var_filter, (int file, int var, unsigned id, size_t count, unsigned* parameters),
     (file, var, id, count, parameters), storage_options.foreign = true)

WEIR_BRIDGED PIOc_inq_dim(int file, int dim, char* name, MPI_Offset* length) {
  const int code = WEIR_PIO(PIOc_inq_dim)(file, dim, name, length);
  if (code == 0) lengthen(file, dim, length);
  return code;
}

WEIR_BRIDGED PIOc_inq_dimlen(int file, int dim, MPI_Offset* length) {
  const int code = WEIR_PIO(PIOc_inq_dimlen)(file, dim, length);
  if (code == 0) lengthen(file, dim, length);
  return code;
}

}  // namespace weir::bridge
