// SPDX-License-Identifier: Apache-2.0
// What a writer does to the chunks of its tiles: values like a model's, big-endian in a tile, are shuffled and
// compressed by the library's own packer, on all cores of each host at once. A core's seconds are counted, and not the
// clock's: ranks may share cores.
#include <unistd.h>

#include <array>
#include <bit>

#include "base/clock.hpp"
#include "formats/chunked/codec.hpp"
#include "formats/chunked/packer.hpp"
#include "measure.hpp"
#include "rearrange/byteswap.hpp"
#include "schema/storage.hpp"
#include "workloads/model_values.hpp"

namespace weir::profile {

namespace {

const Shape shape{64, 256, 256};  // of float: 16 MiB, beyond most caches
constexpr std::int64_t field_bytes = 64 * 256 * 256 * 4;
constexpr double plain_weight = 0.1 * packing_weight, squeezed_weight = 0.9 * packing_weight;
constexpr std::array zlib_levels{1, 6, 9}, zstd_levels{1, 3, 9};

std::vector<float> model_field() {
  std::vector<std::vector<double>> waves;
  for (const std::int64_t length : shape) waves.push_back(workloads::waves(length, 0));
  std::vector<float> field(static_cast<std::size_t>(elements(shape)));
  for (std::size_t i = 0; i < field.size(); ++i) {
    double value = 280;
    std::size_t rest = i;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= waves[axis].size())
      value += 10 * waves[axis][rest % waves[axis].size()];
    field[i] = workloads::with_noise<float>(value, workloads::spread_bits(0, static_cast<std::int64_t>(i)));
  }
  return field;
}

class PackingMeasurement {
 public:
  PackingMeasurement(const Site& site, Sampler& sampler)
      : sampler_(sampler),
        packs_(site.host.rank() < ::sysconf(_SC_NPROCESSORS_ONLN)),
        field_(model_field()),
        grid_(shape, default_chunk(shape, 4)) {
    byteswap_in_place(tile(), 4);
  }

  Estimate plain() {
    std::vector<double> times;
    const std::int64_t turns =
        sampler_.amount_for(plain_weight, 1, 1 << 16, [&](std::int64_t many) { return pack({}, many).span; });
    sampler_.repeat(plain_weight, [&] { return noted(pack({}, turns), times); });
    return rate(static_cast<double>(turns * field_bytes), counted(times));
  }

  template <std::size_t Count>
  simulate::Squeezing squeezing(unsigned filter, const std::array<int, Count>& levels, double weight) {
    std::vector<std::function<Span()>> each;
    std::vector<std::vector<double>> times(Count);
    std::vector<std::int64_t> stored(Count);
    for (std::size_t i = 0; i < Count; ++i)
      each.emplace_back([this, &times, &stored, i, filter, level = levels[i]] {
        const std::vector<FilterStep> filters{{shuffle_filter, {4}}, {filter, {static_cast<unsigned>(level)}}};
        const Packed packed = pack(filters, 1);
        stored[i] = packed.bytes;
        return noted(packed, times[i]);
      });
    sampler_.in_turn(weight, each);
    std::vector<simulate::Curve::Point> rates, ratios;
    for (std::size_t i = 0; i < Count; ++i) {
      const double at = levels[i],
                   ratio = static_cast<double>(field_bytes) / static_cast<double>(std::max<std::int64_t>(1, stored[i]));
      rates.push_back({at, rate(static_cast<double>(field_bytes), counted(times[i]))});
      ratios.push_back({at, {ratio, ratio, ratio, simulate::Source::measured}});
    }
    return {simulate::Curve(std::move(rates)), simulate::Curve(std::move(ratios))};
  }

 private:
  struct Packed {
    Span span;
    double core_seconds;
    std::int64_t bytes;
  };

  std::span<std::byte> tile() { return std::as_writable_bytes(std::span(field_)); }

  Packed pack(const std::vector<FilterStep>& filters, std::int64_t times) {
    if (!packs_) return {};
    const double start = now_seconds(), began = thread_processor_seconds();
    std::int64_t bytes = 0;
    const Packer::Source source{tile().data(), 0, 4, {}, filters, std::endian::native == std::endian::little};
    for (std::int64_t i = 0; i < times; ++i)
      grid_.visit(0, elements(shape), [&](const Chunk& chunk) {
        packer_.pack(grid_, chunk, source, batch_);
        bytes += batch_.bytes();
        batch_.clear();
      });
    return {Span::since(start), thread_processor_seconds() - began, bytes};
  }

  static Span noted(const Packed& packed, std::vector<double>& times) {
    times.push_back(packed.core_seconds);
    return packed.span;
  }
  // The first time does not count.
  static std::vector<double> counted(std::vector<double> times) {
    times.erase(times.begin());
    return times;
  }

  Sampler& sampler_;
  bool packs_;
  std::vector<float> field_;
  ChunkGrid grid_;
  Packer packer_;
  PackedBatch batch_;
};

}  // namespace

void measure_packing(const Site& site, Sampler& sampler, Profile& profile) {
  PackingMeasurement packing(site, sampler);
  profile.packing.plain = packing.plain();
  const bool zlib = Compressor::has(CompressedFormat::zlib), zstd = Compressor::has(CompressedFormat::zstd);
  const double weight = squeezed_weight / std::max(1, zlib + zstd);
  if (zlib) profile.packing.zlib = packing.squeezing(deflate_filter, zlib_levels, weight);
  if (zstd) profile.packing.zstd = packing.squeezing(zstd_filter, zstd_levels, weight);
}

}  // namespace weir::profile
