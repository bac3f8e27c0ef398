// SPDX-License-Identifier: Apache-2.0
#include "formats/netcdf4/hdf5/zstd.hpp"

#include <hdf5.h>

#include "formats/netcdf4/metadata.hpp"

#ifdef WEIR_ZSTD
#include <zstd.h>
#endif

namespace weir {

#ifdef WEIR_ZSTD

namespace {

// Chunks are packed by the writers; this is for code that reads or writes such a file by HDF5 in the same program.
std::size_t run_zstd(unsigned flags, std::size_t values, const unsigned value[], std::size_t bytes, std::size_t* held,
                     void** buffer) {
  const bool unpacks = (flags & H5Z_FLAG_REVERSE) != 0;
  const std::size_t room =
      unpacks ? static_cast<std::size_t>(ZSTD_getFrameContentSize(*buffer, bytes)) : ZSTD_compressBound(bytes);
  if (ZSTD_isError(room)) return 0;
  void* const other = H5allocate_memory(room, false);
  if (!other) return 0;
  const std::size_t got = unpacks
                              ? ZSTD_decompress(other, room, *buffer, bytes)
                              : ZSTD_compress(other, room, *buffer, bytes, values > 0 ? static_cast<int>(value[0]) : 1);
  if (ZSTD_isError(got)) {
    H5free_memory(other);
    return 0;
  }
  H5free_memory(*buffer);
  *buffer = other;
  *held = room;
  return got;
}

}  // namespace

void register_zstd() {
  static const H5Z_class2_t filter{
      H5Z_CLASS_T_VERS, static_cast<H5Z_filter_t>(zstd_filter), 1, 1, "zstd", nullptr, nullptr, run_zstd};
  if (H5Zfilter_avail(static_cast<H5Z_filter_t>(zstd_filter)) <= 0) static_cast<void>(H5Zregister(&filter));
}

#else

void register_zstd() {}

#endif

}  // namespace weir
