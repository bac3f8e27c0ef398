// SPDX-License-Identifier: Apache-2.0
#include "core/large_chunks.hpp"

#include <algorithm>
#include <vector>

#include "base/numbers.hpp"
#include "formats/chunked/packed_file.hpp"
#include "mpi/agree.hpp"
#include "plan/machine.hpp"
#include "schedule/memory_budget.hpp"

namespace weir::bridge {

namespace {

std::int64_t bytes_of_one_rank(const Schema& schema, int var) {
  if (schema.variable(var).dims.empty() || shares_small_chunks(schema, var)) return 0;
  const std::int64_t all = elements(schema.shape(var));
  const Granule granule = chunk_grid(schema, var).granule();
  return std::min(all, granule.any() ? granule.elements : all) * type_bytes(schema.variable(var).type);
}

// As the ranks run, or with `ranks_per_host` of the configuration.
Machine machine_of(const Config& config, const Comm& comm, const Deadline& deadline) {
  int leader = comm.rank() - (config.ranks_per_host > 0 ? comm.rank() % config.ranks_per_host : 0);
  if (config.ranks_per_host == 0) {
    std::int64_t lowest = -comm.rank();
    allreduce_max(Comm::of_host(comm, deadline), std::span(&lowest, 1), deadline, "the hosts of the ranks");
    leader = static_cast<int>(-lowest);
  }
  return Machine::from_leaders(allgather(comm, leader, deadline, "the hosts of the ranks"));
}

std::int64_t room(Config config, std::int64_t buffer_limit, const Machine& machine) {
  if (config.strategy == StrategyKind::automatic) config.strategy = StrategyKind::dynamic;
  config.buffer_limit_bytes = buffer_limit;
  return memory_shares(config, machine, machine.hosts() > 1).tile_bytes - 2 * block_bytes;
}

}  // namespace

std::optional<LargeChunks> chunks_without_room(const Schema& schema, const Config& config, const Comm& comm,
                                               const Deadline& deadline) {
  LargeChunks largest{-1, 0, config.buffer_limit_bytes};
  for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var)
    if (const std::int64_t bytes = bytes_of_one_rank(schema, var); bytes > largest.bytes)
      largest.var = var, largest.bytes = bytes;
  constexpr std::int64_t smallest_share = 32;  // of buffer_limit that a tile may have
  if (largest.bytes <= config.buffer_limit_bytes / smallest_share) return std::nullopt;
  const Machine machine = machine_of(config, comm, deadline);
  if (largest.bytes <= room(config, config.buffer_limit_bytes, machine)) return std::nullopt;
  constexpr std::int64_t mebibyte = 1 << 20;
  while (room(config, largest.buffer_limit, machine) < largest.bytes)
    largest.buffer_limit += missing_to(largest.buffer_limit, 0, 8 * mebibyte) + 8 * mebibyte;
  return largest;
}

}  // namespace weir::bridge
