// SPDX-License-Identifier: Apache-2.0
#include "streams/stream_estimate.hpp"

#include <algorithm>

#include "accumulate/accumulator.hpp"
#include "base/error.hpp"
#include "streams/record_times.hpp"

namespace weir {

namespace {

// The memory of an output's accumulator on the rank that holds most.
std::int64_t accumulator_bytes(const PlannedFile& file, const PlannedOutput& output, int ranks) {
  if (output.operation == Operation::instant) return 0;
  const auto arrays = static_cast<std::int64_t>(Accumulator::state_names(output.operation).size());
  return (file.schema.elements(output.variable) + ranks - 1) / ranks * arrays *
         static_cast<std::int64_t>(sizeof(double));
}

// Returns the files of a sequence, each with its begin.
std::vector<std::pair<Instant, FileEstimate>> files_of(const PlannedFile& file, const TimeAxis& axis,
                                                       const PlannedRun& run) {
  std::vector<std::pair<Instant, FileEstimate>> files;
  RecordTimes times(file, axis, run.start, run.step);
  const auto add = [&] {
    if (times.opens_file()) files.push_back({times.label(), {times.name(), 0, file.fixed_bytes}});
    ++files.back().second.records;
    files.back().second.bytes += file.record_bytes;
  };
  bool more = times.next();
  for (; more && times.end() <= run.end; more = times.next()) {
    require((times.end() - run.start) % run.step == 0, WEIR_EARGUMENT,
            "stream {}: no sample meets {}, where an interval of {} ends: samples come every {}; give an interval that "
            "the model's steps meet",
            file.name, axis.in_words(times.end()), in_words(file.stream.every),
            in_words(Interval{run.step, Interval::Unit::microseconds}));
    add();
  }
  // The run's end cuts the next interval off.
  if (more && file.stream.unfinished && file.bounds_variable >= 0 && times.begin() < run.end) add();
  return files;
}

}  // namespace

std::vector<StreamEstimate> estimate_streams(const std::vector<PlannedFile>& plan, const TimeAxis& axis,
                                             const PlannedRun& run, int ranks) {
  std::vector<StreamEstimate> estimates;
  std::vector<std::pair<Instant, FileEstimate>> files;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const PlannedFile& file = plan[i];
    if (i == 0 || plan[i - 1].stream.name != file.stream.name) {
      estimates.push_back({file.stream.name, {}, 0});
      files.clear();
    }
    for (const PlannedOutput& output : file.outputs)
      estimates.back().rank_bytes += accumulator_bytes(file, output, ranks);
    auto more = files_of(file, axis, run);
    std::move(more.begin(), more.end(), std::back_inserter(files));
    if (i + 1 < plan.size() && plan[i + 1].stream.name == file.stream.name) continue;
    std::stable_sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [begin, estimate] : files) estimates.back().files.push_back(estimate);
  }
  return estimates;
}

}  // namespace weir
