// SPDX-License-Identifier: Apache-2.0
#include "instance/report.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <utility>

#include "base/host.hpp"
#include "base/text.hpp"
#include "mpi/comm.hpp"
#include "streams/ordered_number.hpp"

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

std::int64_t microseconds(double seconds) {
  return std::llround(seconds * 1e6);
}

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

double seconds(std::int64_t microseconds) {
  return static_cast<double>(microseconds) / 1e6;
}

// What each rank had of the output, times in microseconds.
struct Shares {
  enum Column {
    job_rank,
    visible,
    late,
    hidden,
    slack,
    compress,
    bytes_written,
    messages,
    relayed,
    message_bytes,
    columns
  };
  std::vector<std::int64_t> values;  // of rank 0, of rank 1, ...

  std::size_t ranks() const { return values.size() / columns; }
  std::int64_t of(std::size_t rank, Column column) const { return values[rank * columns + column]; }
  std::vector<std::int64_t> all(Column column) const {
    std::vector<std::int64_t> each;
    for (std::size_t rank = 0; rank < ranks(); ++rank) each.push_back(of(rank, column));
    return each;
  }
  std::int64_t sum(Column column) const {
    std::int64_t total = 0;
    for (std::size_t rank = 0; rank < ranks(); ++rank) total += of(rank, column);
    return total;
  }
  std::int64_t output(std::size_t rank) const { return of(rank, visible) + of(rank, hidden); }
  std::size_t busiest() const {
    std::size_t most = 0;
    for (std::size_t rank = 1; rank < ranks(); ++rank)
      if (output(rank) > output(most)) most = rank;
    return most;
  }
};

// Every rank fills its own place, and the sum has all of them.
Shares share_out(const Comm& comm, Pipeline& pipeline, double call_seconds, const FileHistory& files) {
  const Tally& tally = pipeline.tally();
  const double slack = std::min(tally.slack_seconds, call_seconds);
  Shares shares{std::vector<std::int64_t>(static_cast<std::size_t>(comm.size()) * Shares::columns)};
  auto* own = &shares.values[static_cast<std::size_t>(comm.rank()) * Shares::columns];
  own[Shares::job_rank] = rank_in_job();
  own[Shares::slack] = microseconds(slack);
  own[Shares::late] = microseconds(std::min(pipeline.agreement().late_seconds(), call_seconds - slack));
  own[Shares::visible] = microseconds(call_seconds) - own[Shares::slack] - own[Shares::late];
  own[Shares::hidden] = microseconds(tally.hidden_seconds) + own[Shares::slack];
  double compress_seconds = files.earlier().compress_seconds;
  for (const auto& [serial, file] : files.last()) {
    own[Shares::bytes_written] += file.bytes_written;
    compress_seconds += file.compress_seconds;
  }
  own[Shares::compress] = microseconds(compress_seconds);
  own[Shares::bytes_written] += files.earlier().bytes_written;
  const Traffic traffic = pipeline.traffic();
  own[Shares::messages] = traffic.messages;
  own[Shares::relayed] = traffic.relayed;
  own[Shares::message_bytes] = traffic.message_bytes;
  allreduce_sum(comm, shares.values, pipeline.deadline(), "report");
  return shares;
}

Json in_seconds(const std::vector<std::int64_t>& each) {
  Json json = Json::array();
  for (std::int64_t value : each) json.push_back(seconds(value));
  return json;
}

void add_times(Json& json, const Shares& shares) {
  const std::size_t busiest = shares.busiest();
  const auto visible = shares.all(Shares::visible);
  json["output_seconds"] = seconds(shares.output(busiest));
  json["visible_seconds"] = seconds(*std::max_element(visible.begin(), visible.end()));
  const auto late = shares.all(Shares::late);
  json["late_seconds"] = seconds(*std::max_element(late.begin(), late.end()));
  json["hidden_seconds"] = seconds(shares.of(busiest, Shares::hidden));
  json["slack_seconds"] = seconds(shares.of(busiest, Shares::slack));
  json["busiest_rank"] = busiest;
  if (const auto compress = shares.all(Shares::compress); shares.sum(Shares::compress) > 0)
    json["compress_processor_seconds"] = {{"sum", seconds(shares.sum(Shares::compress))},
                                          {"max", seconds(*std::max_element(compress.begin(), compress.end()))}};
}

void add_shares(Json& json, const Shares& shares) {
  auto written = shares.all(Shares::bytes_written);
  json["per_rank"] = {{"job_rank", shares.all(Shares::job_rank)},
                      {"visible_seconds", in_seconds(shares.all(Shares::visible))},
                      {"late_seconds", in_seconds(shares.all(Shares::late))},
                      {"hidden_seconds", in_seconds(shares.all(Shares::hidden))},
                      {"slack_seconds", in_seconds(shares.all(Shares::slack))},
                      {"bytes_written", written},
                      {"messages", shares.all(Shares::messages)},
                      {"message_bytes", shares.all(Shares::message_bytes)}};
  std::erase(written, 0);
  if (written.empty()) written.push_back(0);
  json["ranks_that_wrote"] =
      std::count_if(written.begin(), written.end(), [](std::int64_t bytes) { return bytes > 0; });
  json["bytes_per_writer"] = {{"min", *std::min_element(written.begin(), written.end())},
                              {"mean", shares.sum(Shares::bytes_written) / std::ssize(written)},
                              {"max", *std::max_element(written.begin(), written.end())}};
}

std::vector<std::string> own_notes(const Config& config, Pipeline& pipeline) {
  std::vector<std::string> notes = config.notes;
  const auto& storage = pipeline.rank().liveness_check.notes();
  notes.insert(notes.end(), storage.begin(), storage.end());
  if (const std::string memory = pipeline.rank().memory_warning(); !memory.empty()) notes.push_back(memory);
  if (const CoreSet& cores = pipeline.rank().writer_cores; !cores.empty())
    notes.push_back(
        formatted("threads that write run on core(s) {}{}", cores.text(),
                  config.writer_cores == "auto" ? ", to which no rank is bound" : ", as writer_cores says"));
  return notes;
}

// Of rank 0, as the report is rank 0's and alike on all ranks.
Json notes_of(const Config& config, const Comm& comm, Pipeline& pipeline) {
  const std::string mine = comm.rank() == 0 ? Json(own_notes(config, pipeline)).dump() : "";
  return Json::parse(broadcast_value(comm, mine, 0, pipeline.deadline(), "report"));
}

// Of each host, in the order of their lowest ranks. Letters travel as numbers.
Json host_names(const Comm& comm, Pipeline& pipeline) {
  const bool speaks = pipeline.machine().neighbours(comm.rank()).front() == comm.rank();
  const std::string mine = speaks ? host_name() + "\n" : "";
  const std::vector<std::int64_t> letters(mine.begin(), mine.end());
  Json names = Json::array();
  std::string name;
  for (const std::int64_t letter : allgather(comm, letters, pipeline.deadline(), "report")) {
    if (letter != '\n') {
      name += static_cast<char>(letter);
      continue;
    }
    names.push_back(std::exchange(name, ""));
  }
  return names;
}

Json settings(const Config& config, const Pipeline& pipeline) {
  Json json;
  json["strategy"] = name(config.strategy);
  if (pipeline.advice().asked()) json["advice"] = pipeline.advice().lines();
  json["ranks"] = pipeline.machine().ranks();
  json["hosts"] = pipeline.machine().hosts();
  if (!pipeline.roles().strategy().by_group()) json["writers"] = pipeline.roles().writers();
  json["forward"] = pipeline.rank().reach.shared() ? "shared memory within a host, messages between hosts" : "messages";
  json["buffer_limit_bytes"] = config.buffer_limit_bytes;
  return json;
}

// bytes_written: of all ranks, of the earlier files and then of each.
void add_files(Json& json, const FileHistory& files, std::span<const std::int64_t> bytes_written) {
  const FileHistory::Earlier& earlier = files.earlier();
  if (earlier.files > 0)
    json["earlier_files"] = {
        {"files", earlier.files}, {"records", earlier.records}, {"bytes_written", bytes_written.front()}};
  json["files"] = Json::array();
  auto bytes = bytes_written.begin();
  for (const auto& [serial, file] : files.last())
    json["files"].push_back({{"path", file.path},
                             {"sink", file.sink},
                             {"why", file.reason},
                             {"records", file.records},
                             {"bytes_written", *++bytes}});
}

// What gets and prefetches of all ranks took; nothing where there were none.
void add_reading(Json& json, const Comm& comm, Pipeline& pipeline) {
  const Tally& tally = pipeline.tally();
  if (tally.gets == 0 && tally.prefetches == 0) return;
  std::int64_t sums[] = {tally.bytes_got, tally.bytes_read, tally.bytes_ahead, tally.opens};
  std::int64_t most[] = {microseconds(tally.read_seconds), microseconds(tally.get_seconds)};
  allreduce_sum(comm, sums, pipeline.deadline(), "report");
  allreduce_max(comm, most, pipeline.deadline(), "report");
  json["reading"] = {{"gets", tally.gets},
                     {"prefetches", tally.prefetches},
                     {"bytes_got", sums[0]},
                     {"bytes_read", sums[1]},
                     {"bytes_ahead", sums[2]},
                     {"opens", sums[3]},
                     {"read_seconds", seconds(most[0])},
                     {"get_seconds", seconds(most[1])}};
}

// What streams took and put, of all ranks; nothing where the configuration has none. What follows from the fields and
// times of all ranks is the same on those where the model computes, and 0 on servers.
void add_streams(Json& json, const Comm& comm, Pipeline& pipeline, const StreamsCounts& streams) {
  if (streams.streams.empty()) return;
  const std::int64_t folding = microseconds(pipeline.tally().accumulate_seconds);
  std::int64_t memory = 0;
  std::vector<std::int64_t> sums{folding, streams.bytes_sent}, most;
  for (const StreamCounts& stream : streams.streams) {
    sums.push_back(stream.bytes_put);
    most.insert(most.end(), {stream.fields, stream.files, stream.records, stream.accumulator_bytes,
                             in_order(stream.largest_error), stream.expected});
    memory += stream.accumulator_bytes;
  }
  most.insert(most.end(), {folding, memory});
  allreduce_sum(comm, sums, pipeline.deadline(), "report");
  allreduce_max(comm, most, pipeline.deadline(), "report");
  const auto put = std::span(sums).subspan(2);
  Json& told = json["streams"];
  told["accumulate_seconds"] = {{"mean", seconds(sums[0]) / comm.size()}, {"max", seconds(most[most.size() - 2])}};
  told["bytes_sent"] = sums[1];
  told["bytes_put"] = std::accumulate(put.begin(), put.end(), std::int64_t{0});
  told["accumulator_bytes"] = most.back();
  told["each"] = Json::array();
  for (std::size_t i = 0; i < streams.streams.size(); ++i)
    told["each"].push_back({{"name", streams.streams[i].name},
                            {"fields", most[6 * i]},
                            {"files", most[6 * i + 1]},
                            {"records", most[6 * i + 2]},
                            {"records_expected", most[6 * i + 5]},
                            {"bytes_put", put[i]},
                            {"accumulator_bytes", most[6 * i + 3]},
                            {"largest_error", from_order(most[6 * i + 4])}});
}

// Of a file, by this rank.
std::int64_t most_packing_bytes(const FileHistory& files) {
  std::int64_t most = files.earlier().packing_bytes;
  for (const auto& [serial, file] : files.last()) most = std::max(most, file.packing_bytes);
  return most;
}

std::string sentence(const Json& json) {
  char text[160];
  std::snprintf(text, sizeof text, "output took %.3g s; the model waited for %.3g s of it.",
                json["output_seconds"].get<double>(), json["visible_seconds"].get<double>());
  return text;
}

}  // namespace

std::string report_json(const Config& config, const Comm& comm, Pipeline& pipeline, const RunTimes& times,
                        const FileHistory& files, const StreamsCounts& streams) {
  const Tally& tally = pipeline.tally();
  std::vector<std::int64_t> sums, largest;
  for (const StepTime& step : step_times) sums.push_back(microseconds(tally.*step.seconds));
  largest = sums;
  largest.insert(largest.end(), {pipeline.rank().staging.high_water_bytes(), pipeline.plans().bytes(),
                                 process_high_water_bytes(), microseconds(times.elapsed_seconds),
                                 most_packing_bytes(files), microseconds(times.elapsed_seconds - unix_seconds())});
  sums.push_back(tally.bytes_put);
  sums.push_back(files.earlier().bytes_written);
  for (const auto& [serial, file] : files.last()) sums.push_back(file.bytes_written);
  const Shares shares = share_out(comm, pipeline, times.call_seconds, files);
  allreduce_sum(comm, sums, pipeline.deadline(), "report");
  allreduce_max(comm, largest, pipeline.deadline(), "report");

  Json json = settings(config, pipeline);
  json["host_names"] = host_names(comm, pipeline);
  if (Json notes = notes_of(config, comm, pipeline); !notes.empty()) json["notes"] = std::move(notes);
  const std::size_t n = step_times.size();
  for (std::size_t i = 0; i < n; ++i)
    json["seconds"][step_times[i].name] = {{"mean", seconds(sums[i]) / comm.size()}, {"max", seconds(largest[i])}};
  json["began_unix_seconds"] = seconds(-largest[n + 5]);
  json["elapsed_seconds"] = seconds(largest[n + 3]);
  add_times(json, shares);
  const double visible = json["visible_seconds"].get<double>();
  json["bytes_put"] = sums[n];
  json["bandwidth_bytes_per_second"] = visible > 0 ? static_cast<double>(sums[n]) / visible : 0.0;
  json["messages"] = shares.sum(Shares::messages);
  json["relayed_messages"] = shares.sum(Shares::relayed);
  json["message_bytes"] = shares.sum(Shares::message_bytes);
  json["high_water_bytes"] = largest[n];
  json["plan_bytes"] = largest[n + 1];
  json["process_high_water_bytes"] = largest[n + 2];
  json["packing_bytes"] = largest[n + 4];
  json["puts"] = tally.puts;
  json["plans"] = tally.plans;
  json["cycles"] = tally.cycles;
  add_shares(json, shares);
  add_files(json, files, std::span(sums).subspan(n + 1));
  add_reading(json, comm, pipeline);
  add_streams(json, comm, pipeline, streams);
  json["sentence"] = sentence(json);
  return json.dump(2);
}

namespace {

std::string number(const Json& value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3g", value.get<double>());
  return text;
}

// What a bridge did with each file.
std::string lines_of_bridge(const Json& bridge) {
  std::string lines;
  for (const auto& note : bridge["notes"]) lines += formatted("weir: {}\n", note.get<std::string>());
  for (const auto& file : bridge["files"]) {
    lines += formatted("weir: {}: {} call(s) taken over by {}", file["path"].get<std::string>(),
                       file["taken_over"].dump(), file["by"].get<std::string>());
    for (const auto& [reason, calls] : file["passed_through"].items())
      lines += formatted("; {} passed through: {}", calls.dump(), reason);
    lines += "\n";
  }
  return lines;
}

std::string lines_of_streams(const Json& streams) {
  std::string lines = formatted(
      "\nweir: streams took {} bytes of samples in {} s (mean over ranks) and put {} bytes; their accumulators take up "
      "to "
      "{} bytes of a rank",
      streams["bytes_sent"].dump(), number(streams["accumulate_seconds"]["mean"]), streams["bytes_put"].dump(),
      streams["accumulator_bytes"].dump());
  for (const auto& stream : streams["each"]) {
    lines += formatted("\nweir: stream {}: {} record(s) of {} field(s) in {} file(s), {} bytes put",
                       stream["name"].get<std::string>(), stream["records"].dump(), stream["fields"].dump(),
                       stream["files"].dump(), stream["bytes_put"].dump());
    if (stream["records_expected"] > 0 && stream["records_expected"] != stream["records"])
      lines += formatted("; {} record(s) were expected", stream["records_expected"].dump());
    if (const double error = stream["largest_error"]; error > 0)
      lines += formatted("; the largest error is {:.2f} of max_error", error);
  }
  return lines;
}

// The report in a few lines, for people.
std::string lines_of(const Json& json) {
  if (!json.contains("sentence")) return "";
  std::string lines = formatted("weir: {}\n", json["sentence"].get<std::string>());
  if (json["late_seconds"].get<double>() >= 0.001)
    lines += formatted(
        "weir: because of load imbalance, which is not a cost of output, a rank waited up to {} s more in these calls "
        "for ranks that computed longer\n",
        number(json["late_seconds"]));
  lines += formatted(
      "weir: hidden {} s, {} s of it in slack, on the busiest rank ({}); {} rank(s) wrote, {} to {} bytes each; {} "
      "messages\n",
      number(json["hidden_seconds"]), number(json["slack_seconds"]), json["busiest_rank"].dump(),
      json["ranks_that_wrote"].dump(), json["bytes_per_writer"]["min"].dump(), json["bytes_per_writer"]["max"].dump(),
      json["messages"].dump());
  lines += formatted(
      "weir: strategy {}, {} ranks on {} host(s); {} bytes put in {} cycle(s); most memory of a rank {} of {} bytes\n",
      json["strategy"].get<std::string>(), json["ranks"].dump(), json["hosts"].dump(), json["bytes_put"].dump(),
      json["cycles"].dump(), json["high_water_bytes"].dump(), json["buffer_limit_bytes"].dump());
  lines += "weir: seconds (mean over ranks):";
  for (const auto& [step, value] : json["seconds"].items()) lines += " " + step + " " + number(value["mean"]);
  if (json.contains("compress_processor_seconds"))
    lines +=
        formatted("\nweir: compressing took {} s of processors, at most {} s of a rank's",
                  number(json["compress_processor_seconds"]["sum"]), number(json["compress_processor_seconds"]["max"]));
  if (json.contains("advice"))
    for (const auto& line : json["advice"]) lines += formatted("\nweir: strategy auto {}", line.get<std::string>());
  if (json.contains("notes"))
    for (const auto& note : json["notes"]) lines += formatted("\nweir: {}", note.get<std::string>());
  if (json.contains("earlier_files"))
    lines += formatted("\nweir: {} earlier file(s): {} bytes", json["earlier_files"]["files"].dump(),
                       json["earlier_files"]["bytes_written"].dump());
  if (json.contains("reading"))
    lines += formatted("\nweir: {} get(s) of all ranks: {} bytes from storage in {} opening(s), {} bytes handed out",
                       json["reading"]["gets"].dump(), json["reading"]["bytes_read"].dump(),
                       json["reading"]["opens"].dump(), json["reading"]["bytes_got"].dump());
  if (json.contains("streams")) lines += lines_of_streams(json["streams"]);
  for (const auto& file : json["files"])
    lines += formatted("\nweir: {}: {} bytes, sink {} ({})", file["path"].get<std::string>(),
                       file["bytes_written"].dump(), file["sink"].get<std::string>(), file["why"].get<std::string>());
  return lines + "\n";
}

}  // namespace

void say_notes(const Config& config, const std::string& speaker) {
  if (config.report == "-") return;
  for (const std::string& note : config.notes) std::fprintf(stderr, "%s: %s\n", speaker.c_str(), note.c_str());
}

void say_report(const std::string& text) {
  const Json json = Json::parse(text);
  std::string lines = lines_of(json);
  if (json.contains("bridge")) lines += lines_of_bridge(json["bridge"]);
  std::fputs(lines.c_str(), stderr);
}

}  // namespace weir
