// SPDX-License-Identifier: Apache-2.0
#include "simulate/policy_inputs.hpp"

#include <algorithm>
#include <cmath>

#include "simulate/rank_placement.hpp"

namespace weir::simulate {

namespace {

// Times are compared by their logarithms; below a microsecond they are all alike.
double log_seconds(double seconds) {
  return std::log10(std::max(seconds, 1e-6));
}

}  // namespace

const std::vector<std::string>& policy_input_names() {
  static const std::vector<std::string> names{"cached",
                                              "writers_in_use_share",
                                              "place_share",
                                              "puts_left",
                                              "is_last_of_record",
                                              "log_ranks",
                                              "log_nodes",
                                              "log_compute",
                                              "log_write_alone",
                                              "gain_root_writers",
                                              "gain_all_writers",
                                              "log_send",
                                              "log_copy",
                                              "together_2",
                                              "together_4",
                                              "together_16",
                                              "log_total_share",
                                              "log_latency",
                                              "spread",
                                              "shared"};
  return names;
}

std::vector<double> policy_inputs(const Profile& profile, const PolicyState& state) {
  const double ranks = state.ranks, bytes = state.variable_bytes;
  const int a_node = ranks_of_node(profile, state.ranks, state.ranks_per_node);
  const double nodes = nodes_for(state.ranks, a_node);
  const StorageSpeed& storage = profile.storage;
  const double alone = storage.rate(1), all = storage.rate(ranks);
  const double total = storage.total.value > 0 ? storage.total.value : storage.rate.largest() * ranks;
  return {static_cast<double>(state.cached),
          state.writers_in_use / ranks,
          static_cast<double>(state.place) / std::max(1, state.variables),
          std::log2(1.0 + state.puts_left),
          state.place == state.variables - 1 ? 1.0 : 0.0,
          std::log2(ranks),
          std::log2(nodes),
          log_seconds(state.compute_seconds),
          log_seconds(bytes / alone),
          std::log2(storage.rate(std::sqrt(ranks)) / alone),
          std::log2(all / alone),
          log_seconds(bytes / nodes / profile.between.bandwidth(a_node)),
          log_seconds(bytes / nodes / profile.copy(a_node)),
          storage.together(2),
          storage.together(4),
          storage.together(16),
          std::log2(total / all),
          log_seconds(profile.between.latency.value),
          profile.compute_spread.value,
          storage.shared ? 1.0 : 0.0};
}

}  // namespace weir::simulate
