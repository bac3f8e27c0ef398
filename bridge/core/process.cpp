// SPDX-License-Identifier: Apache-2.0
#include "core/process.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/text.hpp"
#include "core/original.hpp"
#include "instance/report.hpp"
#include "instance/report_file.hpp"
#include "mpi/comm.hpp"
#include "streams/stream_config.hpp"

namespace weir::bridge {

namespace {

constexpr std::size_t most_files_told = 1000, most_notes = 100;

// Of a bridge whose library makes all files.
std::string refuse_format(const Config& config) {
  const std::string why = "this bridge does not choose the format of a file; remove format and compression";
  if (config.format != FormatKind::automatic) return why;
  for (const FileRule& rule : config.files)
    for (const auto& [key, value] : rule.keys)
      if (key == "format" || key == "compression" || key == "compression_level") return why;
  return "";
}

bool says(const FileRule& rule, std::string_view key) {
  return std::any_of(rule.keys.begin(), rule.keys.end(), [&](const ConfigEntry& entry) { return entry.key == key; });
}

}  // namespace

Process& Process::start(const char* bridge, Makes makes, StrategyKind strategy) {
  static Process* const process = new Process(bridge, makes, strategy);
  return *process;
}

Process::Process(const char* bridge, Makes makes, StrategyKind strategy)
    : bridge_(bridge), pid_(::getpid()), finalize_key_(MPI_KEYVAL_INVALID) {
  const int rank = rank_in_job();
  try {
    load(makes, strategy);
    if (rank == 0) say_notes(*config_, bridge_);
  } catch (const Error& error) {
    wrong_ = error.what();
    if (rank == 0) tell_wrong_configuration("");
  }
  watch_finalize();
}

void Process::tell_wrong_configuration(const std::string& ranks) {
  const std::string wrong = std::exchange(wrong_, "");
  if (wrong.empty()) return;
  say(formatted("{}{}; until then the underlying library handles all files",
                ranks.empty() ? "" : formatted("rank(s) {}: ", ranks), wrong));
}

void Process::load(Makes makes, StrategyKind strategy) {
  Config defaults;
  defaults.strategy = strategy;
  says_durability_ = load_config(nullptr, defaults).durability == Durability::cache;
  defaults.durability = Durability::cache;
  Config config = load_config(nullptr, defaults);
  says_durability_ = says_durability_ || config.durability == Durability::storage;
  const std::string refusal = makes == Makes::library ? refuse_format(config) : "";
  require(refusal.empty(), WEIR_ECONFIG, refusal);
  if (config.format != FormatKind::automatic && !says_durability_) config.durability = Durability::storage;
  for (const StreamConfig& stream : parse_streams(config.streams, config.restart).streams)
    if (!stream.of.empty()) sources_.push_back(stream.of);
  config_ = std::move(config);
}

bool Process::feeds_streams(const std::string& path) const {
  return std::any_of(sources_.begin(), sources_.end(),
                     [&](const std::string& source) { return names_path(source, path); });
}

bool Process::forked() const noexcept {
  return ::getpid() != pid_;
}

void Process::say(const std::string& sentence) const {
  std::fprintf(stderr, "%s: %s\n", bridge_.c_str(), sentence.c_str());
}

const Config* Process::config_of(const FileRule* rule) {
  if (!config_ || rule == nullptr) return config();
  const auto known = by_rule_.find(rule);
  if (known != by_rule_.end()) return &known->second;
  Config config = with_rule(*config_, *rule);
  if (config.format != FormatKind::automatic && !says_durability_ && !says(*rule, "durability"))
    config.durability = Durability::storage;
  return &by_rule_.emplace(rule, std::move(config)).first->second;
}

Config Process::packed_config_of(const FileRule* rule) {
  Config config = *config_of(rule);
  if (!says_durability_ && (rule == nullptr || !says(*rule, "durability"))) config.durability = Durability::storage;
  return config;
}

void Process::done(const Counts& counts) {
  if (done_.size() < most_files_told) return done_.push_back(counts);
  ++more_files_;
  more_.add(counts);
}

void Process::note(const std::string& sentence) {
  if (notes_.size() == most_notes) return;
  if (std::find(notes_.begin(), notes_.end(), sentence) == notes_.end()) notes_.push_back(sentence);
}

void Process::note_newer(const char* library, const std::string& found, const std::string& built) {
  if (is_newer(found, built) && speaks())
    note(formatted("{} {} is newer than {}, with which this bridge was built", library, found, built));
}

// MPI_Finalize frees the attributes of MPI_COMM_SELF before anything else, the newest first.
void Process::watch_finalize() {
  if (ends_) return;
  if (finalize_key_ == MPI_KEYVAL_INVALID) {
    const auto end = [](MPI_Comm, int, void* process, void*) {
      if (static_cast<Process*>(process)->watches_) static_cast<Process*>(process)->finalize();
      return MPI_SUCCESS;
    };
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &finalize_key_, nullptr);
  }
  if (std::exchange(watches_, false)) MPI_Comm_delete_attr(MPI_COMM_SELF, finalize_key_);
  MPI_Comm_set_attr(MPI_COMM_SELF, finalize_key_, this);
  watches_ = true;
}

void Process::finalize() {
  if (forked() || std::exchange(ends_, true)) return;
  for (const auto& last : last_) last();
  last_.clear();
  try {
    report();
  } catch (const std::exception& error) {
    say(error.what());
  }
}

// Each rank that wrote through the bridge, or has notes, prints its lines or adds them to the report file. A file that
// one rank opened alone and left to the library is in the report file only if that rank is rank 0 of the job: thousands
// of ranks would otherwise wait for the lock of the report file.
void Process::report() const {
  if (!config_ || config_->report.empty()) return;
  Config config = *config_;
  make_paths_absolute(config);
  std::vector<Counts> files = done_;
  if (config.report != "-" && rank_in_job() != 0)
    std::erase_if(files, [](const Counts& file) { return file.of_one_rank && file.taken_over == 0; });
  if (files.empty() && notes_.empty()) return;
  if (more_files_ > 0) {
    files.push_back(more_);
    files.back().path = formatted("{} more file(s)", more_files_);
  }
  const std::string told = to_json(files, notes_, bridge_);
  if (config.report == "-") return say_report(with_bridge("", told));
  add_to_report(config.report, [&](const std::string& file) { return with_bridge(file, told); });
}

}  // namespace weir::bridge
