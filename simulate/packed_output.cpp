// SPDX-License-Identifier: Apache-2.0
#include "simulate/packed_output.hpp"

#include <algorithm>

#include "plan/chunk_grid.hpp"
#include "simulate/job.hpp"

namespace weir::simulate {

namespace {

constexpr std::int64_t packed_step_bytes = 4LL << 20;  // that is packed and written at a time
constexpr std::int64_t most_packed_steps = 16;
constexpr double least_turn = 1e-3;  // seconds of a core until it is looked who else wants one
constexpr std::int64_t most_turns = 16;
constexpr double note_bytes = 56;               // that tell rank 0 of a chunk
constexpr std::int64_t files_from = 1LL << 40;  // numbers of files that are no part files

}  // namespace

PackedOutput::PackedOutput(Job& job, const Packing& packing)
    : job_(job),
      packing_(packing),
      variables_(std::ssize(job.in.work.variables)),
      packing_on_(static_cast<std::size_t>(job.nodes()), 0) {}

std::int64_t PackedOutput::files_of(const Entry& entry, const TileCost& tile) const noexcept {
  const Granule& granule = entry.packed->granule;
  return granule.any() ? granule.before(tile.last) - granule.before(tile.first) : 1;
}

// Values that rank 0 keeps go to it with the commit.
void PackedOutput::write(int rank, int cycle, const Entry& entry, const TileCost& tile) {
  const PackedVariable& variable = *entry.packed;
  const std::int64_t bytes = tile.elements * entry.plan->element_bytes;
  if (variable.kept) return;
  Writing writing{job_.node(rank), 0, cycle, 0, 0, 0, 1};
  if (packing_.zarr()) {
    const std::int64_t files = files_of(entry, tile);
    writing.file = writing.domain = files_from + files_;
    files_ += files;
    take_core(rank, static_cast<double>(files) * packing_.piece_seconds());
  } else {
    chunks_ += (bytes + variable.chunk_bytes - 1) / variable.chunk_bytes;
  }
  const std::int64_t steps = std::clamp<std::int64_t>(bytes / packed_step_bytes, 1, most_packed_steps);
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t part = bytes * (step + 1) / steps - bytes * step / steps;
    const double seconds = packing_.seconds(variable, part);
    if (variable.compressed) job_.rank(rank).times.of(Step::compress) += seconds;
    take_core(rank, seconds);
    writing.bytes = writing.span = packing_.stored(variable, part);
    writing.first_byte = end_;
    writing.requests = std::max<std::int64_t>(1, writing.bytes / packed_batch_bytes(job_.in.config.format));
    end_ += writing.bytes;
    job_.rank(rank).times.bytes_written += writing.bytes;
    if (job_.in.target.stored()) job_.storage.write(writing);
  }
}

// In turns, so that it is seen who comes and goes meanwhile.
void PackedOutput::take_core(int rank, double seconds) {
  if (seconds <= 0) return;
  const double begin = job_.now(), turn = std::max(least_turn, seconds / most_turns);
  int& packing = packing_on_[static_cast<std::size_t>(job_.node(rank))];
  ++packing;
  for (double left = seconds; left > 0; left -= turn) job_.engine.pause(slower(rank, std::min(left, turn)));
  --packing;
  job_.spent(rank, Step::compress, begin, -1, true);
}

// How long so many seconds of a core take. Who computes there meanwhile is later by what was taken.
double PackedOutput::slower(int number, double seconds) {
  const auto [first, last] =
      std::equal_range(job_.in.placement.node_of.begin(), job_.in.placement.node_of.end(), job_.node(number));
  const int cores = job_.in.profile.cores, sharing = static_cast<int>(last - first);
  RankState& own = job_.rank(number);
  if (sharing <= cores) {
    if (sharing < cores || !own.computes) return seconds;
    own.taken += seconds;
    return 2 * seconds;
  }
  const auto lowest = static_cast<int>(first - job_.in.placement.node_of.begin());
  int computing = 0;
  for (int rank = lowest; rank < lowest + sharing; ++rank) computing += job_.rank(rank).computes ? 1 : 0;
  const int packing = packing_on_[static_cast<std::size_t>(job_.node(number))];
  const int wanted = std::min(computing, cores) + packing;
  const double taken = seconds * std::max(1.0, static_cast<double>(wanted) / cores);
  const double late = taken * (1 - std::min(1.0, static_cast<double>(cores) / wanted)) / packing;
  for (int rank = lowest; rank < lowest + sharing; ++rank)
    if (job_.rank(rank).computes) job_.rank(rank).taken += late;
  return taken;
}

// All ranks' notes come to rank 0, whose HDF5 enters them.
double PackedOutput::enter_seconds() const noexcept {
  if (packing_.zarr()) return 0;
  const Link& way = job_.nodes() > 1 ? job_.in.profile.between : job_.in.profile.within;
  return static_cast<double>(chunks_) * (packing_.piece_seconds() + note_bytes / way.bandwidth(1));
}

}  // namespace weir::simulate
