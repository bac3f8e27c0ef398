// SPDX-License-Identifier: Apache-2.0
// Which steps of a model a run may take that writes into a file of packed chunks.
#pragma once

#include <algorithm>
#include <set>
#include <utility>

#include "conformance/model.hpp"

namespace conformance {

inline bool has_holes(const ModelVariable& variable) {
  std::set<std::int64_t> held;
  for (const Held& each : variable.held) held.insert(each.places.begin(), each.places.end());
  held.erase(WEIR_ABSENT);
  return std::ssize(held) < volume(variable.shape);
}

// A chunk that has values is put whole: what a run would be refused for is no step of its.
inline void keep_what_may_be_put(Model& model, std::size_t first) {
  Model before = model;
  before.steps.resize(first);
  std::int64_t records = before.records(), seen = records;  // that have values, be it fill
  std::set<std::pair<int, std::int64_t>> put;
  const auto refused = [&](const Step& step) {
    if (step.var < 0) records = seen;
    if (step.var < 0) return false;
    const ModelVariable& variable = model.variables[static_cast<std::size_t>(step.var)];
    if (variable.record) seen = std::max(seen, step.record + step.records);
    bool again = false;
    for (std::int64_t r = step.record; r < step.record + step.records; ++r)
      again = again || !put.emplace(step.var, r).second || !variable.record || r < records;
    return again && has_holes(variable);
  };
  const auto end = std::remove_if(model.steps.begin() + static_cast<std::ptrdiff_t>(first), model.steps.end(), refused);
  model.steps.erase(end, model.steps.end());
}

}  // namespace conformance
