// SPDX-License-Identifier: Apache-2.0
#include "streams/sent_parts.hpp"

#include "base/error.hpp"
#include "file/layout_calls.hpp"

namespace weir {

void SentParts::make(const std::vector<PlannedFile>& plans) {
  const auto make = [&](int field, const KeptIndices& kept) {
    const int layout = fields_.at(field).layout;
    const auto [entry, is_new] = parts_.try_emplace({layout, kept});
    if (!is_new) return;
    SentPart& part = entry->second;
    if (layout < 0) {
      const bool holds = context_.comm.rank() == 0;
      part.held.layout = holds ? Layout::boxes({}, {}, {}, {}) : Layout::boxes(Shape{1}, {}, {}, {});
      if (holds) part.held.runs = {{0, 1}};
      return;
    }
    Status status;
    attempt(status, [&] { part.held = held_part(context_.layouts.at(layout), kept); });
    part.layout = add_layout(context_, part_shape(context_.layouts.at(layout).shape(), kept), part.held.layout, status);
  };
  for (const PlannedFile& plan : plans) {
    for (const PlannedOutput& output : plan.outputs) make(output.field, output.kept);
    for (const PlannedFixed& fixed : plan.fixed)
      if (!fixed.kept.empty()) make(fixed.field, fixed.kept);
  }
}

const SentPart& SentParts::at(int layout, const KeptIndices& kept) const {
  return parts_.at({layout, kept});
}

}  // namespace weir
