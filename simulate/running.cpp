// SPDX-License-Identifier: Apache-2.0
#include "simulate/running.hpp"

#include <algorithm>
#include <ctime>
#include <span>
#include <utility>

#include "base/text.hpp"

namespace weir::simulate {

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void run_all(Job& job, const std::function<void(int)>& live) {
  struct End {
    Engine& engine;
    ~End() { engine.end_fibers(); }
  } end{job.engine};
  std::vector<char> done(job.states.size());
  for (int rank = 0; rank < job.ranks(); ++rank)
    job.engine.start_life(rank, [&, rank] {
      live(rank);
      done[static_cast<std::size_t>(rank)] = 1;
    });
  job.engine.run();
  const auto waits = std::find(done.begin(), done.end(), 0);
  if (waits != done.end())
    throw Error(WEIR_EINTERNAL, "rank {} of the simulated job waits for what does not come", waits - done.begin());
}

namespace {

void sum_up_ranks(const Job& job, Result& result) {
  const auto all = static_cast<double>(job.states.size());
  for (const RankState& state : job.states) {
    const RankTimes& times = state.times;
    for (std::size_t s = 0; s < times.steps.size(); ++s) {
      result.mean[s] += times.steps[s] / all;
      result.largest[s] = std::max(result.largest[s], times.steps[s]);
    }
    result.bytes_written += times.bytes_written;
    result.compress_seconds += times.of(Step::compress);
    result.writers += times.bytes_written > 0 ? 1 : 0;
    result.largest_hidden = std::max(result.largest_hidden, times.hidden);
    result.largest_slack = std::max(result.largest_slack, times.slack);
  }
}

// Of the ranks that compute.
void sum_up_model(const Job& job, Result& result) {
  const auto model = static_cast<std::size_t>(job.in.work.ranks);
  for (const RankState& state : std::span(job.states).first(model)) {
    const double late = std::min(state.load_imbalance.seconds(), state.times.visible);
    result.visible_seconds = std::max(result.visible_seconds, state.times.visible - late);
    result.late_seconds = std::max(result.late_seconds, late);
    result.mean_halo += state.times.halo / static_cast<double>(model);
  }
}

}  // namespace

void sum_up(Job& job, Result& result) {
  sum_up_ranks(job, result);
  sum_up_model(job, result);
  result.ranks = job.ranks();
  result.nodes = job.nodes();
  result.seconds = job.now();
  result.messages = job.network.messages();
  result.message_bytes = job.network.bytes();
  result.bytes_read = job.storage.bytes_read();
  result.reads = job.storage.requests_to_read();
  result.busy = {{"memory of a node", job.memory.busy_seconds()},
                 {"card out", job.network.busiest_out()},
                 {"card in", job.network.busiest_in()},
                 {"network", job.network.busy_seconds()},
                 {"storage server", job.storage.busiest_server()},
                 {"storage", job.storage.busy_seconds()}};
  result.events = job.engine.events();
  result.timeline = std::move(job.timeline);
}

}  // namespace weir::simulate
