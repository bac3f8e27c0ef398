// SPDX-License-Identifier: Apache-2.0
#include "core/large_chunks.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "formats/chunked/packed_file.hpp"
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

std::int64_t room(Config config, std::int64_t buffer_limit, const Machine& machine) {
  if (config.strategy == StrategyKind::automatic) config.strategy = StrategyKind::dynamic;
  config.buffer_limit_bytes = buffer_limit;
  return memory_shares(config, machine, needs_messages(machine, true)).tile_bytes - 2 * block_bytes;
}

}  // namespace

std::optional<LargeChunks> chunks_without_room(const Schema& schema, const Config& config, const Comm& comm,
                                               const Deadline& deadline) {
  LargeChunks largest{-1, 0, config.buffer_limit_bytes};
  for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var)
    if (const std::int64_t bytes = bytes_of_one_rank(schema, var); bytes > largest.bytes)
      largest.var = var, largest.bytes = bytes;
  constexpr std::int64_t smallest_share = 2 * most_tile_buffers;  // of buffer_limit; half of it may be for messages
  if (largest.bytes + 2 * block_bytes <= config.buffer_limit_bytes / smallest_share) return std::nullopt;
  const Comm host = host_of(comm, config.ranks_per_host, deadline);
  const Machine machine = Machine::from_leaders(leaders_of(comm, host, deadline));
  if (largest.bytes <= room(config, config.buffer_limit_bytes, machine)) return std::nullopt;
  constexpr std::int64_t mebibyte = 1 << 20;
  while (room(config, largest.buffer_limit, machine) < largest.bytes)
    largest.buffer_limit += missing_to(largest.buffer_limit, 0, 8 * mebibyte) + 8 * mebibyte;
  return largest;
}

}  // namespace weir::bridge
