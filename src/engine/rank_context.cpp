// SPDX-License-Identifier: Apache-2.0
#include "engine/rank_context.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/host_memory.hpp"
#include "base/pages.hpp"
#include "base/text.hpp"
#include "mpi/agree.hpp"
#include "mpi/comm.hpp"

namespace weir {

namespace {

CoreSet cores_for_background(const Config& config) {
  if (config.overlap != OverlapKind::background || config.writer_cores == "none") return {};
  if (config.writer_cores == "auto") return spare_cores();
  const CoreSet told = CoreSet::parse(config.writer_cores), job = CoreSet::of_the_job();
  if ((told & job).empty())
    throw Error(WEIR_ECONFIG, "writer_cores: {} has none of this host's cores that the job may use, {}",
                config.writer_cores, job.text());
  return told & job;
}

// Servers come to a call when rank 0 has told them.
int ranks_that_lead(const Config& config, const Comm& comm) {
  return comm.size() - serving_ranks(config);
}

// A rank alone may as well be in a call to storage itself, for as long as that takes.
bool others_wait_for_storage(const Config& config, const Comm& comm) {
  if (keeps_nothing(config.sink)) return false;
  return comm.size() > 1 || config.storage_timeout_seconds > 0;
}

// How sentences call them.
std::vector<int> numbers_of(const Comm& comm, std::vector<int> ranks) {
  for (int& rank : ranks) rank = comm.number_of(rank);
  return ranks;
}

}  // namespace

RankContext::RankContext(std::shared_ptr<const Config> settled, const Comm& communicator, Trace& spans,
                         Layouts& numbered)
    : config(std::move(settled)),
      comm(communicator),
      trace(spans),
      layouts(numbered),
      liveness_check(
          comm, {config->timeout_seconds, config->storage_timeout_seconds, config->report == "-" && comm.rank() == 0},
          Deadline(config->timeout_seconds)),
      storage(liveness_check, others_wait_for_storage(*config, comm)),
      host(host_of(comm, config->ranks_per_host, deadline())),
      machine(Machine::from_leaders(leaders_of(comm, host, deadline()))),
      reach(machine, comm.rank(), shares_memory(*config, host.size(), comm.size())),
      staging(share_memory()),
      host_status(staging.status_entries(), numbers_of(comm, machine.neighbours(comm.rank())), host.rank(),
                  ranks_that_lead(*config, comm)) {}

MemoryShares RankContext::shares() const {
  return memory_shares(*config, machine, needs_messages(machine, reach.shared()));
}

bool RankContext::computes() const noexcept {
  return comm.rank() < ranks_that_lead(*config, comm);
}

std::string RankContext::this_rank() const {
  return formatted("rank {}: ", comm.number());
}

std::string RankContext::memory_warning() const {
  const std::int64_t may_take = host.size() * config->buffer_limit_bytes, usable = usable_memory_bytes();
  if (may_take <= usable) return {};
  return formatted(
      "the {} rank(s) of host {} may take {} bytes by buffer_limit, and the job may use {} bytes there: lower "
      "buffer_limit, or give the job more memory",
      host.size(), host_name(), may_take, usable);
}

// A host that has no memory to share, or not the cores that are told, is all ranks' error.
Staging RankContext::share_memory() {
  std::optional<Staging> made;
  Status status;
  try {
    writer_cores = cores_for_background(*config);
    const Staging::Use use{reach.shared(), needs_messages(machine, reach.shared()), passes_on(*config)};
    made.emplace(host, use, config->buffer_limit_bytes, shares(), deadline());
  } catch (const Error& error) {
    if (ends_instance(error.code())) throw;  // after the loss of a rank there is no further agreement
    status = {error.code(), this_rank() + error.what()};
  }
  agree(comm, {AgreementPoint::memory, 0, "weir_init", nullptr}, status, deadline()).raise();
  return std::move(*made);
}

// For two records: one is written while the next one is put. Under `dynamic` any rank may hold any tile. No more than
// they will need anyway, so that a small file costs nothing.
void RankContext::expect(const Geometry& geometry, const std::vector<int>& writers) noexcept {
  const bool any = config->strategy == StrategyKind::dynamic;
  if (!any && std::find(writers.begin(), writers.end(), comm.rank()) == writers.end()) return;
  const std::int64_t holders = any ? comm.size() : std::ssize(writers);
  const std::int64_t fixed = std::max<std::int64_t>(0, geometry.fixed_end - geometry.header_bytes);
  std::int64_t bytes = (fixed + 2 * geometry.record_bytes) / holders;
  const std::int64_t cycle = std::max(fixed, geometry.record_bytes) / holders;
  const std::int64_t each = std::min(cycle, staging.budget().shares().tile_bytes);
  if (bytes <= expected_bytes_ || each <= 0) return;
  expected_bytes_ = bytes;
  for (int tile_buffer = 0; tile_buffer < staging.tile_buffers() && bytes > 0; ++tile_buffer, bytes -= each)
    make_pages(staging.own_tile(tile_buffer, 0), static_cast<std::size_t>(std::min(each, bytes)));
}

}  // namespace weir
