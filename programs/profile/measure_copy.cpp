// SPDX-License-Identifier: Apache-2.0
// What a put does: rows of a model's block to their places in memory that the ranks of a host share, big-endian on the
// way, by the library's own copy program.
#include <algorithm>

#include "measure.hpp"
#include "mpi/shared_segment.hpp"
#include "rearrange/copy.hpp"

namespace weir::profile {

namespace {

constexpr std::int64_t row = 64, rows = 65536;  // elements; 16 MiB of float in rows of 256 bytes, beyond most caches
constexpr std::int64_t spread = 2;              // rows lie that far apart: other ranks' rows are between
constexpr std::int64_t copied_bytes = row * rows * 4;

CopyProgram scattered_rows() {
  CopyProgram program;
  append(program, Block{0, 0, {{rows, row, spread * row}, {row, 1, 1}}});
  return program;
}

}  // namespace

void measure_copy(const Site& site, Sampler& sampler, Profile& profile) {
  const SharedSegments memory(site.host, spread * copied_bytes);
  const std::vector<float> field(static_cast<std::size_t>(row * rows), 1.5F);
  const CopyProgram program = scattered_rows();
  // To a neighbour: most of a rank's bytes go to another one's memory.
  std::byte* target = memory.of((site.host.rank() + 1) % site.host.size());
  const auto copy = [&](int copiers, std::int64_t times) {
    if (site.host.rank() >= copiers) return Span{};
    const double start = now_seconds();
    for (std::int64_t i = 0; i < times; ++i)
      encode(program, field.data(), WEIR_FLOAT, target, WEIR_FLOAT, ExternalValue{});
    return Span::since(start);
  };
  const std::vector<int> counts = doubling_to(site.least_ranks());
  const double weight = copy_weight / static_cast<double>(counts.size());
  std::vector<std::function<Span()>> each;
  std::vector<double> bytes;
  for (const int count : counts) {
    const std::int64_t times =
        sampler.amount_for(weight, 1, 1 << 16, [&](std::int64_t many) { return copy(count, many); });
    bytes.push_back(static_cast<double>(copied_bytes * times * count));
    each.emplace_back([&copy, count, times] { return copy(count, times); });
  }
  const auto times = sampler.in_turn(copy_weight, each);
  std::vector<simulate::Curve::Point> points;
  for (std::size_t i = 0; i < counts.size(); ++i)
    points.push_back({static_cast<double>(counts[i]), rate(bytes[i], times[i])});
  profile.copy = simulate::Curve(std::move(points));
}

}  // namespace weir::profile
