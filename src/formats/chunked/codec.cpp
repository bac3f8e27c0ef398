// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/codec.hpp"

#include <map>

#ifdef WEIR_DEFLATE
#include <libdeflate.h>
#endif
#ifdef WEIR_ZSTD
#include <zstd.h>
#endif

namespace weir {

// What a library made, and frees by this function of its own.
template <auto free>
struct FreedBy {
  template <class Made>
  void operator()(Made* it) const noexcept {
    static_cast<void>(free(it));
  }
};

struct Compressor::Workspaces {
#ifdef WEIR_DEFLATE
  std::map<int, std::unique_ptr<libdeflate_compressor, FreedBy<libdeflate_free_compressor>>> deflate;  // by level
#endif
#ifdef WEIR_ZSTD
  std::unique_ptr<ZSTD_CCtx, FreedBy<ZSTD_freeCCtx>> zstd;
#endif
};

Compressor::Compressor() : workspaces_(std::make_unique<Workspaces>()) {}
Compressor::~Compressor() = default;

bool Compressor::has([[maybe_unused]] CompressedFormat form) noexcept {
#ifdef WEIR_DEFLATE
  if (form != CompressedFormat::zstd) return true;
#endif
#ifdef WEIR_ZSTD
  if (form == CompressedFormat::zstd) return true;
#endif
  return false;
}

std::size_t Compressor::bound([[maybe_unused]] CompressedFormat form, std::size_t bytes) noexcept {
#ifdef WEIR_DEFLATE
  if (form == CompressedFormat::zlib) return libdeflate_zlib_compress_bound(nullptr, bytes);
  if (form == CompressedFormat::gzip) return libdeflate_gzip_compress_bound(nullptr, bytes);
#endif
#ifdef WEIR_ZSTD
  if (form == CompressedFormat::zstd) return ZSTD_compressBound(bytes);
#endif
  return bytes;
}

std::size_t Compressor::compress(CompressedFormat form, int level, std::span<const std::byte> from,
                                 std::span<std::byte> to) {
  return form == CompressedFormat::zstd ? zstd(level, from, to) : deflate(form, level, from, to);
}

std::size_t Compressor::deflate([[maybe_unused]] CompressedFormat form, [[maybe_unused]] int level,
                                [[maybe_unused]] std::span<const std::byte> from,
                                [[maybe_unused]] std::span<std::byte> to) {
#ifdef WEIR_DEFLATE
  auto& compressor = workspaces_->deflate[level];
  if (!compressor) compressor.reset(libdeflate_alloc_compressor(level));
  if (!compressor) return 0;
  const auto compress = form == CompressedFormat::gzip ? libdeflate_gzip_compress : libdeflate_zlib_compress;
  return compress(compressor.get(), from.data(), from.size(), to.data(), to.size());
#else
  return 0;
#endif
}

std::size_t Compressor::zstd([[maybe_unused]] int level, [[maybe_unused]] std::span<const std::byte> from,
                             [[maybe_unused]] std::span<std::byte> to) {
#ifdef WEIR_ZSTD
  auto& zstd = workspaces_->zstd;
  if (!zstd) zstd.reset(ZSTD_createCCtx());
  if (!zstd) return 0;
  const std::size_t got = ZSTD_compressCCtx(zstd.get(), to.data(), to.size(), from.data(), from.size(), level);
  return ZSTD_isError(got) ? 0 : got;
#else
  return 0;
#endif
}

}  // namespace weir

#ifdef WEIR_DEFLATE
#include <libdeflate.h>
#endif
#ifdef WEIR_ZSTD
#include <zstd.h>
#endif

namespace weir {

struct Inflater::Workspaces {
#ifdef WEIR_DEFLATE
  std::unique_ptr<libdeflate_decompressor, FreedBy<libdeflate_free_decompressor>> deflate;
#endif
#ifdef WEIR_ZSTD
  std::unique_ptr<ZSTD_DCtx, FreedBy<ZSTD_freeDCtx>> zstd;
#endif
};

Inflater::Inflater() : workspaces_(std::make_unique<Workspaces>()) {}
Inflater::~Inflater() = default;

std::size_t Inflater::inflate(CompressedFormat form, std::span<const std::byte> from, std::span<std::byte> to) {
  return form == CompressedFormat::zstd ? zstd(from, to) : deflated(form, from, to);
}

std::size_t Inflater::deflated([[maybe_unused]] CompressedFormat form, [[maybe_unused]] std::span<const std::byte> from,
                               [[maybe_unused]] std::span<std::byte> to) {
#ifdef WEIR_DEFLATE
  auto& deflate = workspaces_->deflate;
  if (!deflate) deflate.reset(libdeflate_alloc_decompressor());
  if (!deflate) return 0;
  const auto decompress = form == CompressedFormat::gzip ? libdeflate_gzip_decompress : libdeflate_zlib_decompress;
  std::size_t got = 0;
  const auto result = decompress(deflate.get(), from.data(), from.size(), to.data(), to.size(), &got);
  return result == LIBDEFLATE_SUCCESS ? got : 0;
#else
  return 0;
#endif
}

std::size_t Inflater::zstd([[maybe_unused]] std::span<const std::byte> from, [[maybe_unused]] std::span<std::byte> to) {
#ifdef WEIR_ZSTD
  auto& zstd = workspaces_->zstd;
  if (!zstd) zstd.reset(ZSTD_createDCtx());
  if (!zstd) return 0;
  const std::size_t got = ZSTD_decompressDCtx(zstd.get(), to.data(), to.size(), from.data(), from.size());
  return ZSTD_isError(got) ? 0 : got;
#else
  return 0;
#endif
}

}  // namespace weir
