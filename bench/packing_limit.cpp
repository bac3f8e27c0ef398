// SPDX-License-Identifier: Apache-2.0
// The mode `limit:compression=zlib` or `zstd`: the least that compressed output can cost. Each rank shuffles and packs
// its buffers as they lie in memory, a chunk's length at a time, and drops what comes out. Nothing is written.
#include <algorithm>

#include "base/text.hpp"
#include "check.hpp"
#include "formats/chunked/filter.hpp"
#include "mode.hpp"

#ifdef WEIR_DEFLATE
#include <libdeflate.h>
#endif
#ifdef WEIR_ZSTD
#include <zstd.h>
#endif

namespace weir::bench {
namespace {

constexpr std::int64_t piece_bytes = 1 << 20;

// Packs into memory of its own. Returns how many bytes came out.
class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual std::int64_t pack(const std::vector<std::byte>& bytes) = 0;
};

#ifdef WEIR_DEFLATE
class Deflate final : public Compressor {
 public:
  explicit Deflate(int level) : compressor_(libdeflate_alloc_compressor(level), libdeflate_free_compressor) {
    if (!compressor_) throw BenchError(formatted("limit: libdeflate has no level {}", level));
  }
  std::int64_t pack(const std::vector<std::byte>& bytes) override {
    packed_.resize(libdeflate_zlib_compress_bound(compressor_.get(), bytes.size()));
    return static_cast<std::int64_t>(
        libdeflate_zlib_compress(compressor_.get(), bytes.data(), bytes.size(), packed_.data(), packed_.size()));
  }

 private:
  std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor_;
  std::vector<std::byte> packed_;
};
#endif

#ifdef WEIR_ZSTD
class Zstd final : public Compressor {
 public:
  explicit Zstd(int level) : context_(ZSTD_createCCtx(), ZSTD_freeCCtx), level_(level) {}
  std::int64_t pack(const std::vector<std::byte>& bytes) override {
    packed_.resize(ZSTD_compressBound(bytes.size()));
    return static_cast<std::int64_t>(
        ZSTD_compressCCtx(context_.get(), packed_.data(), packed_.size(), bytes.data(), bytes.size(), level_));
  }

 private:
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_;
  int level_;
  std::vector<std::byte> packed_;
};
#endif

std::unique_ptr<Compressor> make_compressor(const Settings& settings) {
  std::string compression;
  int level = 1;
  for (const auto& [key, value] : settings) {
    const auto number = key == "compression_level" ? parse_whole(value) : std::nullopt;
    if (key == "compression")
      compression = value;
    else if (number)
      level = static_cast<int>(*number);
    else
      throw BenchError(
          formatted("limit has no setting {}={}; give compression=zlib or zstd, compression_level=NUMBER", key, value));
  }
#ifdef WEIR_DEFLATE
  if (compression == "zlib") return std::make_unique<Deflate>(level);
#endif
#ifdef WEIR_ZSTD
  if (compression == "zstd") return std::make_unique<Zstd>(level);
#endif
  throw BenchError(
      formatted("limit: compression={} is none of zlib and zstd, or this Weir was built without it", compression));
}

class PackingLimit final : public Mode {
 public:
  PackingLimit(const Settings& settings, const Scene& scene) : Mode(scene), compressor_(make_compressor(settings)) {}

  void begin(const std::string&) override { packed_bytes_ = 0; }
  void put_fixed() override { pack(false, 0); }
  void put_record(std::int64_t record) override { pack(true, record); }
  void end() override {}
  std::optional<bool> verify(const std::string&, std::string&) override { return std::nullopt; }
  std::optional<std::int64_t> stored_bytes() override {
    std::int64_t all = packed_bytes_;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, scene().comm), "MPI_Allreduce");
    return all;
  }

 private:
  void pack(bool record_variables, std::int64_t record) {
    for (const int v : variables(record_variables)) {
      const std::byte* const values = scene().data.at(v, record);
      const std::int64_t bytes = own_bytes(v);
      for (std::int64_t at = 0; at < bytes; at += piece_bytes) {
        const auto piece = static_cast<std::size_t>(std::min(piece_bytes, bytes - at));
        shuffled_.resize(piece);
        shuffle({values + at, piece}, type_bytes(work().variables[v].type), false, shuffled_.data());
        packed_bytes_ += compressor_->pack(shuffled_);
      }
    }
  }

  std::unique_ptr<Compressor> compressor_;
  std::vector<std::byte> shuffled_;
  std::int64_t packed_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Mode> make_packing_limit(const ModeSpec& spec, const Scene& scene) {
  return std::make_unique<PackingLimit>(spec.settings, scene);
}

}  // namespace weir::bench
