// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace weir {

namespace {

using Json = nlohmann::ordered_json;

// The most memory this process ever had resident, from the kernel; 0 where it does not say.
std::int64_t process_high_water_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::atoll(line.c_str() + 6) * 1024;
  return 0;
}

struct Step {
  const char* name;
  double Tally::*seconds;
};
constexpr std::array<Step, 7> steps{{{"plan", &Tally::plan_seconds},
                                     {"put", &Tally::put_seconds},
                                     {"forward", &Tally::forward_seconds},
                                     {"rearrange", &Tally::rearrange_seconds},
                                     {"write", &Tally::write_seconds},
                                     {"commit", &Tally::commit_seconds},
                                     {"wait", &Tally::wait_seconds}}};

std::int64_t microseconds(double seconds) {
  return static_cast<std::int64_t>(seconds * 1e6);
}

double seconds(std::int64_t microseconds) {
  return static_cast<double>(microseconds) / 1e6;
}

Json settings(const Config& config, const Pipeline& pipeline) {
  Json json;
  json["strategy"] = name(config.strategy);
  json["ranks"] = pipeline.machine().ranks();
  json["hosts"] = pipeline.machine().hosts();
  if (!pipeline.strategy().by_group()) json["writers"] = pipeline.writers();
  json["forward"] = pipeline.shared_memory() ? "shared memory within a host, messages between hosts" : "messages";
  json["buffer_limit_bytes"] = config.buffer_limit_bytes;
  return json;
}

std::string sentence(const Json& json) {
  char text[160];
  std::snprintf(text, sizeof text, "output took %.3g s; the model waited for %.3g s of it.",
                json["output_seconds"].get<double>(), json["visible_seconds"].get<double>());
  return text;
}

}  // namespace

std::string report_json(const Config& config, const Comm& comm, Pipeline& pipeline, std::vector<FileSummary> files) {
  const Tally& tally = pipeline.tally();
  std::vector<std::int64_t> sums, largest;
  for (const Step& step : steps) sums.push_back(microseconds(tally.*step.seconds));
  largest = sums;
  largest.insert(largest.end(), {microseconds(tally.visible_seconds), pipeline.staging().high_water_bytes(),
                                 process_high_water_bytes()});
  sums.insert(sums.end(), {tally.bytes_put, pipeline.flow().messages(), pipeline.flow().message_bytes()});
  for (const FileSummary& file : files) sums.push_back(file.bytes_written);
  allreduce_sum(comm, sums, pipeline.deadline(), "report");
  allreduce_max(comm, largest, pipeline.deadline(), "report");

  Json json = settings(config, pipeline);
  const std::size_t n = steps.size();
  for (std::size_t i = 0; i < n; ++i)
    json["seconds"][steps[i].name] = {{"mean", seconds(sums[i]) / comm.size()}, {"max", seconds(largest[i])}};
  json["output_seconds"] = seconds(largest[n]);
  json["visible_seconds"] = seconds(largest[n]);
  json["bytes_put"] = sums[n];
  json["bandwidth_bytes_per_second"] = largest[n] > 0 ? static_cast<double>(sums[n]) / seconds(largest[n]) : 0.0;
  json["messages"] = sums[n + 1];
  json["message_bytes"] = sums[n + 2];
  json["high_water_bytes"] = largest[n + 1];
  json["process_high_water_bytes"] = largest[n + 2];
  json["puts"] = tally.puts;
  json["plans"] = tally.plans;
  json["cycles"] = tally.cycles;
  json["files"] = Json::array();
  for (std::size_t f = 0; f < files.size(); ++f)
    json["files"].push_back({{"path", files[f].path},
                             {"sink", files[f].sink},
                             {"why", files[f].reason},
                             {"records", files[f].records},
                             {"bytes_written", sums[n + 3 + f]}});
  json["sentence"] = sentence(json);
  return json.dump(2);
}

void write_report(const std::string& where, const std::string& text) {
  if (where.empty()) return;
  if (where != "-") {
    std::ofstream file(where);
    file << text << "\n";
    require(file.good(), WEIR_EIO, "the report cannot be written to " + where);
    return;
  }
  const Json json = Json::parse(text);
  std::string lines = "weir: " + json["sentence"].get<std::string>() + "\n";
  lines += "weir: strategy " + json["strategy"].get<std::string>() + ", " + json["ranks"].dump() + " ranks on " +
           json["hosts"].dump() + " host(s); " + json["bytes_put"].dump() + " bytes put in " + json["cycles"].dump() +
           " cycle(s); most memory of a rank " + json["high_water_bytes"].dump() + " of " +
           json["buffer_limit_bytes"].dump() + " bytes\n";
  lines += "weir: seconds (mean over ranks):";
  for (const auto& [step, value] : json["seconds"].items()) {
    char number[64];
    std::snprintf(number, sizeof number, " %s %.3g", step.c_str(), value["mean"].get<double>());
    lines += number;
  }
  for (const auto& file : json["files"])
    lines += "\nweir: " + file["path"].get<std::string>() + ": " + file["bytes_written"].dump() + " bytes, sink " +
             file["sink"].get<std::string>() + " (" + file["why"].get<std::string>() + ")";
  std::fputs((lines + "\n").c_str(), stderr);
}

}  // namespace weir
