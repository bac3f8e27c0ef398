// SPDX-License-Identifier: Apache-2.0
#include "simulate/timeline_file.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"

namespace weir::simulate {

namespace {

constexpr int lanes = 2;  // a rank's own, its writer thread's

class Writer {
 public:
  using Lane = std::tuple<int, bool, int>;  // rank, of its writer thread, node

  explicit Writer(const TimelineFile& file) : file_(file), out_(file.path) {
    out_ << "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"producer\":\"weir simulate\",\"strategy\":\"" << file.strategy
         << "\",\"ranks\":" << file.ranks << ",\"hosts\":" << file.nodes
         << "},\"traceEvents\":[\n";
  }

  void name_lanes(const std::vector<TimelineSpan>& spans) {
    std::set<Lane> known;
    for (const TimelineSpan& span : spans)
      for (const bool writer : {false, span.writer}) known.insert({span.rank, writer, span.node});
    std::set<int> nodes;
    for (const auto& [rank, writer, node] : known) {
      if (nodes.insert(node).second)
        line(R"({"ph":"M","name":"process_name",)" + place({rank, writer, node}) + R"(,"args":{"name":"node )" +
             std::to_string(node) + "\"}}");
      line(R"({"ph":"M","name":"thread_name",)" + place({rank, writer, node}) + R"(,"args":{"name":"rank )" +
           std::to_string(rank) + (writer ? " writer thread" : "") + R"(","dropped":0}})");
      line(R"({"ph":"M","name":"thread_sort_index",)" + place({rank, writer, node}) + R"(,"args":{"sort_index":)" +
           std::to_string(lanes * rank + (writer ? 1 : 0)) + "}}");
    }
  }

  void add(const TimelineSpan& span) {
    char times[80];
    std::snprintf(times, sizeof times, "\"ts\":%.3f,\"dur\":%.3f", span.begin * 1e6, (span.end - span.begin) * 1e6);
    std::string details;
    if (span.number >= 0)
      details = std::string(",\"args\":{\"") + (span.step == Step::put ? "record" : "unit") +
                "\":" + std::to_string(span.number) + "}";
    line(R"({"ph":"X","name":")" + std::string(name(span.step)) + "\"," + place({span.rank, span.writer, span.node}) + "," + times +
         details + "}");
  }

  void close() {
    out_ << "\n]}\n";
    out_.close();
    require(out_.good(), WEIR_EIO,
            "the timeline cannot be written to " + file_.path + ": give a path in a folder that exists and has room");
  }

 private:
  void line(const std::string& text) { out_ << (std::exchange(first_, false) ? "" : ",\n") << text; }
  // Numbers from 1, as those of a real run.
  static std::string place(const Lane& lane) {
    const auto& [rank, writer, node] = lane;
    return "\"pid\":" + std::to_string(node + 1) +
           ",\"tid\":" + std::to_string(lanes * rank + (writer ? 1 : 0) + 1);
  }

  const TimelineFile& file_;
  std::ofstream out_;
  bool first_ = true;
};

}  // namespace

void write_timeline(const TimelineFile& file, const std::vector<TimelineSpan>& spans) {
  Writer writer(file);
  writer.name_lanes(spans);
  std::vector<TimelineSpan> ordered = spans;
  std::stable_sort(ordered.begin(), ordered.end(), [](const TimelineSpan& a, const TimelineSpan& b) {
    return std::tie(a.rank, a.writer, a.begin) < std::tie(b.rank, b.writer, b.begin);
  });
  for (const TimelineSpan& span : ordered) writer.add(span);
  writer.close();
}

}  // namespace weir::simulate
