// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "plan/plan.hpp"

namespace weir {

namespace {

nlohmann::ordered_json round_json(const Round& round, int element_bytes) {
  nlohmann::ordered_json json;
  json["tile_bytes"] = round.tile_elements * element_bytes;
  json["packed_bytes"] = round.packed_elements * element_bytes;
  json["received_bytes"] = round.received_elements * element_bytes;
  json["sends"] = nlohmann::ordered_json::array();
  for (const Outgoing& out : round.outgoing)
    json["sends"].push_back({{"to", out.owner},
                             {"bytes", out.count * element_bytes},
                             {"by", out.by_message ? "message" : "shared memory"}});
  json["receives"] = nlohmann::ordered_json::array();
  for (const Incoming& in : round.incoming)
    json["receives"].push_back({{"from", in.source}, {"bytes", in.count * element_bytes}});
  json["writes"] = nlohmann::ordered_json::array();
  for (const Stretch& stretch : round.stretches)
    json["writes"].push_back({{"element", stretch.element}, {"count", stretch.count}});
  json["filled_elements"] = 0;
  for (const Stretch& fill : round.fills)
    json["filled_elements"] = json["filled_elements"].get<std::int64_t>() + fill.count;
  return json;
}

nlohmann::ordered_json summary_json(const Summary& summary, int element_bytes) {
  return {{"bytes", summary.elements * element_bytes},
          {"bytes_between_hosts", summary.between_hosts * element_bytes},
          {"messages", summary.messages},
          {"owners", summary.owners},
          {"writes", summary.stretches},
          {"filled_bytes", summary.filled * element_bytes}};
}

}  // namespace

std::string to_json(const Plan& plan, int rank) {
  nlohmann::ordered_json json;
  json["rank"] = rank;
  json["element_bytes"] = plan.element_bytes;
  json["summary"] = summary_json(plan.summary, plan.element_bytes);
  json["rounds"] = nlohmann::ordered_json::array();
  for (const Round& round : plan.rounds) json["rounds"].push_back(round_json(round, plan.element_bytes));
  return json.dump();
}

}  // namespace weir
