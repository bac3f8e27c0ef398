// SPDX-License-Identifier: Apache-2.0
#include "simulate/timeline_file.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/trace.hpp"

namespace weir::simulate {

namespace {

TraceText::Lane lane_of(const TimelineSpan& span) {
  return {span.node, span.rank, span.writer ? 1 : 0};
}

// Each rank's own lane, and those of the writer threads that have done something.
void name_lanes(const std::vector<TimelineSpan>& spans, TraceText& text) {
  std::set<std::tuple<int, int, int>> known;  // rank, lane, node
  for (const TimelineSpan& span : spans)
    for (const int lane : {0, lane_of(span).number}) known.insert({span.rank, lane, span.node});
  std::set<int> nodes;
  for (const auto& [rank, lane, node] : known) {
    text.go_to({node, rank, lane});
    if (nodes.insert(node).second) text.name_host(formatted("node {}", node));
    text.name_lane(0, 0);
  }
}

void add(const TimelineSpan& span, TraceText& text) {
  text.go_to(lane_of(span));
  text.add({span.begin, span.end, {.number = span.number}, static_cast<std::uint8_t>(span.step), 0});
}

}  // namespace

void write_timeline(const TimelineFile& file, std::vector<TimelineSpan> spans) {
  TraceText text({"weir simulate", file.strategy, file.ranks, file.nodes});
  name_lanes(spans, text);
  std::stable_sort(spans.begin(), spans.end(), [](const TimelineSpan& a, const TimelineSpan& b) {
    return std::tie(a.rank, a.writer, a.begin) < std::tie(b.rank, b.writer, b.begin);
  });
  for (const TimelineSpan& span : spans) add(span, text);
  text.end();
  std::ofstream out(file.path);
  out << text.take();
  out.close();
  require(out.good(), WEIR_EIO,
          "the timeline cannot be written to {}: give a path in a folder that exists and has room", file.path);
}

}  // namespace weir::simulate
