// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <utility>

namespace weir::bench {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// What tools/slow_storage tells the program that it runs, in bytes a second.
constexpr std::array storage_keys{std::pair{"bandwidth", "SLOW_STORAGE_BANDWIDTH"},
                                  std::pair{"writer_bandwidth", "SLOW_STORAGE_WRITER_BANDWIDTH"}};

double minimum(const std::vector<double>& values) {
  return values.empty() ? unknown : *std::min_element(values.begin(), values.end());
}

double median(std::vector<double> values) {
  if (values.empty()) return unknown;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double megabytes_per_second(const RunResult& result, const ModeResult& mode) {
  if (mode.spec.writes_nothing()) return unknown;
  return static_cast<double>(result.bytes) / 1e6 / median(mode.seconds);
}

// How many times the stored bytes the data are.
double ratio(const RunResult& result, const ModeResult& mode) {
  if (mode.spec.writes_nothing() || mode.stored_bytes.value_or(0) == 0) return unknown;
  return static_cast<double>(result.bytes) / static_cast<double>(*mode.stored_bytes);
}

nlohmann::ordered_json number(double value) {
  return value == value ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

template <typename T>
nlohmann::ordered_json maybe(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// The fastest peer that writes one netCDF file; peer:raw writes none.
double best_peer_seconds(const RunResult& result) {
  double best = unknown;
  for (const ModeResult& mode : result.modes) {
    if (!mode.spec.is_peer() || mode.spec.name == "peer:raw") continue;
    const double seconds = median(mode.seconds);
    if (!(best <= seconds)) best = seconds;
  }
  return best;
}

double raw_seconds(const RunResult& result) {
  for (const ModeResult& mode : result.modes) {
    if (mode.spec.name == "peer:raw") return median(mode.seconds);
  }
  return unknown;
}

const ModeResult* no_output(const RunResult& result) {
  for (const ModeResult& mode : result.modes) {
    if (mode.spec.writes_nothing()) return &mode;
  }
  return nullptr;
}

// The median over repeats of compare(mode's, the run's without output of the same repeat).
template <typename Compare>
double beside_no_output(const RunResult& result, const ModeResult& mode, std::vector<double> ModeResult::*seconds,
                        Compare compare) {
  const ModeResult* const none = no_output(result);
  if (!none) return unknown;
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min((mode.*seconds).size(), (none->*seconds).size()); ++i) {
    values.push_back(compare((mode.*seconds)[i], (none->*seconds)[i]));
  }
  return median(values);
}

// What output adds to the model's run, of seconds or of processor seconds.
double added(const RunResult& result, const ModeResult& mode, std::vector<double> ModeResult::*seconds) {
  return beside_no_output(result, mode, seconds, std::minus<>());
}

// How many times as long the computing itself takes as without output.
double slow_down(const RunResult& result, const ModeResult& mode) {
  return beside_no_output(result, mode, &ModeResult::computing_seconds, std::divides<>());
}

std::string shown(double value, int digits) {
  if (!(value == value)) return "-";
  std::string text(32, '\0');
  text.resize(std::snprintf(text.data(), text.size(), "%.*f", digits, value));
  return text;
}

std::string verdict(const ModeResult& mode) {
  if (mode.seconds.empty()) return "failed";
  if (!mode.verified) return mode.complaint.empty() ? "-" : "not told";
  return *mode.verified ? "yes" : "NO";
}

using Row = std::vector<std::string>;

// A model computes, and there is a run without output to hold the others against.
bool judges_overlap(const RunResult& result) {
  return !result.compute.is_null() && no_output(result);
}

Row table_head(const RunResult& result) {
  Row head = {"mode", "MB", "median s", "MB/s", "x best peer", "x raw", "/ none"};
  if (judges_overlap(result)) head.insert(head.end(), {"s added", "processor s added", "computing / none"});
  head.insert(head.end(), {"packed", "visible s", "peak bytes a rank", "verified"});
  return head;
}

Row table_row(const RunResult& result, const ModeResult& mode) {
  const double seconds = median(mode.seconds);
  const ModeResult* const none = no_output(result);
  Row row = {mode.spec.text,
             shown(mode.spec.writes_nothing() ? 0.0 : static_cast<double>(result.bytes) / 1e6, 1),
             shown(seconds, 4),
             shown(megabytes_per_second(result, mode), 1),
             shown(best_peer_seconds(result) / seconds, 2),
             shown(raw_seconds(result) / seconds, 2),
             shown(none ? seconds / median(none->seconds) : unknown, 3)};
  if (judges_overlap(result)) {
    row.push_back(shown(added(result, mode, &ModeResult::seconds), 3));
    row.push_back(shown(added(result, mode, &ModeResult::processor_seconds), 3));
    row.push_back(shown(slow_down(result, mode), 3));
  }
  row.push_back(shown(ratio(result, mode), 2));
  row.push_back(shown(median(mode.visible_seconds), 4));
  row.push_back(mode.peak_bytes_per_rank ? std::to_string(*mode.peak_bytes_per_rank) : "-");
  row.push_back(verdict(mode));
  return row;
}

void print_rows(const std::vector<Row>& rows, std::ostream& out) {
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      out << (i == 0 ? row[i] + blanks : "  " + blanks + row[i]);
    }
    out << '\n';
  }
}

double steps_seconds(const nlohmann::ordered_json& steps, const std::vector<std::string>& names) {
  double seconds = 0;
  for (const std::string& name : names) seconds += steps.value(name, 0.0);
  return seconds;
}

// Tseng & Ding 2008, figure 7: how the time goes into reshuffling and into writing.
void print_shares(const ModeResult& mode, std::ostream& out) {
  if (mode.spec.name != "remap" || mode.steps.is_null() || mode.visible_seconds.empty()) return;
  const double whole = median(mode.visible_seconds);
  const double reshuffle = steps_seconds(mode.steps, {"put", "forward", "rearrange"});
  const double write = steps_seconds(mode.steps, {"write", "commit"});
  out << mode.spec.text << ": of " << shown(whole, 4) << " s, reshuffle " << shown(reshuffle, 4) << " s ("
      << shown(100 * reshuffle / whole, 0) << " %), write " << shown(write, 4) << " s ("
      << shown(100 * write / whole, 0) << " %), each of its slowest rank\n";
}

}  // namespace

nlohmann::ordered_json runs_json(const RunResult& result) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const ModeResult& mode : result.modes) {
    nlohmann::ordered_json run;
    run["workload"] = result.workload;
    run["ranks"] = result.ranks;
    run["mode"] = mode.spec.text;
    run["records"] = result.records;
    run["bytes"] = mode.spec.writes_nothing() ? 0 : result.bytes;
    run["stored_bytes"] = maybe(mode.stored_bytes);
    run["compression_ratio"] = number(ratio(result, mode));
    if (mode.reserved_ranks > 0) run["reserved_ranks"] = mode.reserved_ranks;
    for (const auto& [key, variable] : storage_keys)
      if (const char* const bandwidth = std::getenv(variable)) run[key] = std::atof(bandwidth);
    if (!result.compute.is_null()) run["compute"] = result.compute;
    run["seconds"] = mode.seconds;
    run["visible_seconds"] = mode.visible_seconds;
    run["processor_seconds"] = mode.processor_seconds;
    if (!mode.computing_seconds.empty()) run["computing_seconds"] = mode.computing_seconds;
    if (!mode.slack_seconds.empty()) run["slack_seconds"] = mode.slack_seconds;
    if (!mode.read_seconds.empty()) run["read_seconds"] = mode.read_seconds;
    if (mode.residual) run["residual"] = *mode.residual;
    run["warm_up_seconds"] = mode.warm_up_seconds;
    run["min_seconds"] = number(minimum(mode.seconds));
    run["median_seconds"] = number(median(mode.seconds));
    if (judges_overlap(result)) {
      run["added_seconds"] = number(added(result, mode, &ModeResult::seconds));
      run["added_processor_seconds"] = number(added(result, mode, &ModeResult::processor_seconds));
      run["computing_slow_down"] = number(slow_down(result, mode));
    }
    run["megabytes_per_second"] = number(megabytes_per_second(result, mode));
    run["peak_bytes_per_rank"] = maybe(mode.peak_bytes_per_rank);
    run["process_growth_bytes"] = maybe(mode.process_growth_bytes);
    run["verified"] = maybe(mode.verified);
    if (!mode.remark.empty()) run["remark"] = mode.remark;
    if (!mode.complaint.empty()) run["complaint"] = mode.complaint;
    if (!mode.steps.is_null()) run["steps"] = mode.steps;
    if (!mode.report.is_null()) run["report"] = mode.report;
    runs.push_back(std::move(run));
  }
  return runs;
}

void print_table(const RunResult& result, std::ostream& out) {
  out << result.workload << ", " << result.ranks << " ranks\n";
  std::vector<Row> rows = {table_head(result)};
  for (const ModeResult& mode : result.modes) rows.push_back(table_row(result, mode));
  print_rows(rows, out);
  for (const ModeResult& mode : result.modes) {
    print_shares(mode, out);
    if (!mode.remark.empty()) out << mode.spec.text << ": " << mode.remark << '\n';
    if (!mode.complaint.empty()) out << mode.spec.text << ": " << mode.complaint << '\n';
  }
}

bool all_well(const RunResult& result) {
  return std::all_of(result.modes.begin(), result.modes.end(),
                     [](const ModeResult& mode) { return mode.verified.value_or(!mode.seconds.empty()); });
}

}  // namespace weir::bench
