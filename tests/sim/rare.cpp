// SPDX-License-Identifier: Apache-2.0
#include "rare.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sim {

namespace {

constexpr double share = 0.04;  // of the seeds, for each of them

bool suits(Rare rare, const Way& way) {
  const std::string_view keys = way.keys;
  const bool hops = keys.find("hops: two") != keys.npos, control = keys.find("control: rank") != keys.npos;
  if (rare == Rare::power) return !by_mpi_io(way);
  if (rare == Rare::relay) return hops;
  return rare == Rare::none || control;
}

// Some on one host, some on another, neighbours or not.
void spread(Chance& own, Trial& trial) {
  const int hosts = own.between(2, 3);
  const bool in_turn = own.happens(0.5);
  for (int rank = 0; rank < trial.ranks; ++rank)
    trial.hosts[static_cast<std::size_t>(rank)] = in_turn ? rank % hosts : rank * hosts / trial.ranks;
}

void set_key(Trial& trial, const std::string& key, const std::string& value) {
  const std::size_t at = ("\n" + trial.configuration).find("\n" + key + ":");
  if (at != std::string::npos) trial.configuration.erase(at, trial.configuration.find('\n', at) + 1 - at);
  trial.configuration += key + ": " + value + "\n";
}

// A commit of a file that has none writes no record count.
void leave_out_records(Trial& trial) {
  nlohmann::json left = nlohmann::json::array();
  for (const nlohmann::json& line : trial.script)
    if (line[0] != "put" || line[2] < 2) left.push_back(line);
  trial.script = std::move(left);
}

void make_power(Chance& own, Trial& trial) {
  if (own.happens(0.25)) leave_out_records(trial);
  set_key(trial, "durability", "storage");
  spread(own, trial);
  trial.fault = {};
  trial.mishap = {Mishap::Kind::power, own.below(trial.ranks - trial.reserved), own.between(1, 60), 0, {},
                  own.between(1, 4)};
}

void make_relay(Chance& own, Trial& trial) {
  spread(own, trial);
  for (double& pace : trial.paces) pace = own.happens(0.5) ? own.scaled(1, 100) : 1;
  trial.mpi.latency = own.scaled(1e-5, 1e-3);
  trial.mpi.most_latency = trial.mpi.latency * own.scaled(1, 10);
  set_key(trial, "writers_per_variable", std::to_string(own.between(1, 3)));
  if (own.happens(0.3)) return;
  trial.fault = {};
  trial.mishap = {};
}

}  // namespace

Rare rare_of(Chance& own) {
  const double number = own.number();
  return number < share ? Rare::power : number < 2 * share ? Rare::relay : number < 3 * share ? Rare::anew : Rare::none;
}

const Way& way_of(Rare rare, const Way& drawn, Chance& own) {
  if (suits(rare, drawn)) return drawn;
  std::vector<const Way*> suitable;
  for (const Way& way : ways)
    if (suits(rare, way)) suitable.push_back(&way);
  return *own.one_of(suitable);
}

void make_rare(Rare rare, Chance& own, Trial& trial) {
  if (rare == Rare::power) make_power(own, trial);
  if (rare == Rare::relay) make_relay(own, trial);
  if (rare != Rare::anew) return;
  trial.fault = {};
  trial.mishap = {};
  trial.mpi.most_latency = trial.mpi.latency * own.scaled(100, 3000);  // what rank 0 says may come last
}

}  // namespace sim
