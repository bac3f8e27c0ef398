// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/filter.hpp"

namespace weir {

CompressedFormat squeezed_form(unsigned filter) noexcept {
  if (filter == gzip_codec) return CompressedFormat::gzip;
  return filter == deflate_filter ? CompressedFormat::zlib : CompressedFormat::zstd;
}

namespace {

Lack lack_of(unsigned filter) {
  switch (filter) {
    case shuffle_filter:
    case fletcher32_filter:
    case crc32c_codec:
      return Lack::nothing;
    case deflate_filter:
    case gzip_codec:
      return Compressor::has(squeezed_form(filter)) ? Lack::nothing : Lack::deflate;
    case zstd_filter:
    case zstd_codec:
      return Compressor::has(squeezed_form(filter)) ? Lack::nothing : Lack::zstd;
    default:
      return Lack::filter;
  }
}

}  // namespace

LackingFilter lacking_filter(std::span<const FilterStep> filters) {
  for (const FilterStep& filter : filters) {
    const unsigned id = filter.id == blosc_codec ? filter.values.at(0) : filter.id;
    if (const Lack lack = lack_of(id); lack != Lack::nothing) return {lack, id};
  }
  return {};
}

}  // namespace weir
