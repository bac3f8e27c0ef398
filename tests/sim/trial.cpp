// SPDX-License-Identifier: Apache-2.0
#include "trial.hpp"

#include <weir/weir.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "commit/group_record.hpp"
#include "commit/undo_log.hpp"
#include "harness/model.hpp"
#include "mapped.hpp"
#include "packed_reader.hpp"

namespace sim {

namespace {

namespace fs = std::filesystem;

constexpr double limit_seconds = 2000, patience_seconds = 5;

// What a rank noted; in memory.
class RankNotes final : public harness::Notes {
 public:
  explicit RankNotes(Machine& machine) : machine_(machine) {}
  void enter(const char* phase) override {
    if (std::string_view(phase) == "finalize") finalize_time = machine_.now();
    machine_.story().tell(std::string("-- ") + phase);
  }
  void begin_commit(int line) override { begun.insert(line); }
  void end_commit(int line) override { done.insert(line); }
  void first_error(int, int line, const std::string& phase, const std::string& words) override {
    sentence = words;
    error_time = machine_.now();
    for (const auto& process : machine_.processes()) stored_until = std::max(stored_until, process.stored_until);
    machine_.story().tell("error in " + phase + ", line " + std::to_string(line) + ": " + words);
  }
  void end(int first, int last) override {
    code = first;
    last_code = last;
    ended = true;
    end_time = machine_.now();
    machine_.story().tell("the end, " + std::to_string(first));
  }

  std::set<int> begun, done;
  std::string sentence;
  int code = 0, last_code = 0;
  bool ended = false;
  double error_time = -1, finalize_time = -1, end_time = -1;
  double stored_until = -1;  // the last call of the storage that any rank came out of before the error was told

 private:
  Machine& machine_;
};

class Run {
 public:
  // `again`: in the folder of the run before.
  Run(const Trial& trial, std::string folder, bool tells, bool again = false)
      : trial_(trial),
        again_(again),
        folder_(std::move(folder)),
        machine_(trial.seed, trial.hosts),
        world_(machine_, trial.mpi),
        storage_(folder_ + "/files", trial.storage_seconds, trial.storage_bandwidth),
        plan_(prepare()),
        stray_plan_(prepare_stray()) {
    machine_.story().tells = tells;
    MpiWorld::use(&world_);
    Storage::use(&storage_);
    if (trial.fault.process >= 0) storage_.fault = trial.fault;
    if (trial.mishap.kind == Mishap::Kind::power) storage_.platter.emplace(folder_ + "/files");
    machine_.at_point = [this](const char* call) { strike(call); };
    for (int rank = 0; rank < trial.ranks; ++rank) start(rank);
  }
  ~Run() {
    MpiWorld::use(nullptr);
    Storage::use(nullptr);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const std::map<int, harness::State>& states() const noexcept { return states_; }

  Outcome go() {
    machine_.run(limit_seconds);
    Outcome outcome;
    outcome.fired = struck_at_ >= 0 || storage_.fired();
    outcome.seconds = machine_.now();
    for (const Process& process : machine_.processes()) outcome.points += process.points;
    outcome.wrong = machine_.story().violation();
    if (outcome.wrong.empty()) outcome.wrong = judge_ranks();
    if (outcome.wrong.empty() && !outcome.fired) outcome.wrong = judge_haste();
    if (outcome.wrong.empty() && storage_.failed()) outcome.wrong = judge_honesty();
    for (int rank = 0; rank < trial_.ranks; ++rank) {
      const int left = clean_up(rank);
      const bool well = machine_.processes()[static_cast<std::size_t>(rank)].ended && note(rank).code == 0;
      if (outcome.wrong.empty() && well && left > 0)
        outcome.wrong = "leak: rank " + std::to_string(rank) + " ended with " + std::to_string(left) + " file(s) open";
    }
    if (storage_.platter && struck_at_ >= 0) storage_.platter->cut(machine_.chance());
    if (outcome.wrong.empty()) outcome.wrong = judge_files(outcome);
    return outcome;
  }

 private:
  harness::Plan prepare() {
    if (!again_) fs::remove_all(folder_);
    fs::create_directories(folder_ + "/files");
    std::ofstream(folder_ + "/weir.yaml") << trial_.configuration;
    nlohmann::json words = trial_.model;
    words["config"] = folder_ + "/weir.yaml";
    words["folder"] = folder_ + "/files";
    words["script"] = trial_.script;
    return harness::Plan(std::move(words));
  }

  harness::Plan prepare_stray() const {
    nlohmann::json words = plan_.words();
    if (trial_.mishap.kind == Mishap::Kind::stray)
      words["script"][static_cast<std::size_t>(trial_.mishap.at)] = trial_.mishap.line;
    return harness::Plan(std::move(words));
  }

  void start(int rank) {
    machine_.processes()[static_cast<std::size_t>(rank)].pace = trial_.paces[static_cast<std::size_t>(rank)];
    notes_.push_back(std::make_unique<RankNotes>(machine_));
    harness::Notes& notes = *notes_.back();
    const bool strays = trial_.mishap.kind == Mishap::Kind::stray && rank == trial_.mishap.process;
    const harness::Plan& plan = strays ? stray_plan_ : plan_;
    machine_.start(
        rank,
        [&plan, &notes] {
          const auto writer = harness::make_weir_writer(plan);
          harness::Model(plan, *writer, notes).run();
        },
        true);
  }

  // At each call of any process, before it is made.
  void strike(const char* call) {
    if (machine_.story().tells) machine_.story().tell(call);
    const Mishap& mishap = trial_.mishap;
    if (mishap.kind == Mishap::Kind::none || mishap.kind == Mishap::Kind::stray || machine_.rank() != mishap.process ||
        struck_at_ >= 0)
      return;
    if (calls_of_struck() < mishap.at) return;
    struck_at_ = machine_.now();
    machine_.story().tell("here it is struck");
    if (mishap.kind == Mishap::Kind::freeze) {
      machine_.process().frozen_until = machine_.now() + mishap.seconds;
      return;
    }
    if (mishap.kind != Mishap::Kind::kill)
      for (int rank = 0; rank < trial_.ranks; ++rank)
        if (rank != mishap.process) machine_.kill(rank);
    machine_.kill(mishap.process);
  }

  // That are counted; below 0: none is yet.
  long calls_of_struck() {
    const long all = machine_.process().points;
    const Mishap& mishap = trial_.mishap;
    if (mishap.commits == 0) return all;
    if (std::ssize(note(mishap.process).done) < mishap.commits) return -1;
    if (counted_from_ < 0) counted_from_ = all;
    return all - counted_from_;
  }

  const RankNotes& note(int rank) const { return *notes_[static_cast<std::size_t>(rank)]; }
  bool lived(int rank) const { return machine_.processes()[static_cast<std::size_t>(rank)].alive; }

  bool has_ended(int rank) const { return machine_.processes()[static_cast<std::size_t>(rank)].ended; }
  // As it does where a process has ended without MPI_Finalize.
  bool launcher_ends_the_job() const {
    for (int rank = 0; rank < trial_.ranks; ++rank)
      if (lived(rank) && has_ended(rank) && !note(rank).ended) return true;
    return false;
  }

  // Whether all that lived came to an end in time, alike.
  std::string judge_ranks() const {
    std::set<int> codes, model_codes;
    for (int rank = 0; rank < trial_.ranks; ++rank) {
      if (!lived(rank)) continue;
      const std::string name = "rank " + std::to_string(rank);
      const RankNotes& here = note(rank);
      if (!has_ended(rank)) {
        if (launcher_ends_the_job()) continue;
        return "hang: " + name + " waits for ever";
      }
      // Weir ends a process with a sentence where MPI would not come back (docs/decisions/017).
      const int code = here.ended ? here.code : WEIR_ETIMEOUT;
      codes.insert(code);
      if (rank < trial_.ranks - trial_.reserved) model_codes.insert(code);
      const double told = here.error_time;
      // Who is at the storage meets nobody until it comes back, and is waited for.
      const double alone_until = std::max(struck_at_, here.stored_until);
      if (trial_.mishap.kind == Mishap::Kind::kill && struck_at_ >= 0 &&
          told > alone_until + trial_.timeout + patience_seconds)
        return "late: " + name + " was told " + std::to_string(told - struck_at_) +
               " s after the kill: " + here.sentence;
    }
    if (codes.empty()) return "";
    const bool over = codes.contains(WEIR_ETIMEOUT) || codes.contains(WEIR_EMPI);
    std::set<int>& alike = over ? codes : model_codes;
    if (trial_.mishap.kind != Mishap::Kind::none && all_begun()) alike.erase(0);
    if (alike.size() > 1) return "unlike: " + told();
    if (*alike.rbegin() == 0 && alike.size() == 1) return "";
    if (alike.empty()) return "";
    if (trial_.mishap.kind == Mishap::Kind::stray) return judge_new_beginning();
    return trial_.borne() || (struck_at_ < 0 && !storage_.fired()) ? "error: where there may be none: " + told() : "";
  }

  // Ranks that were told of unlike calls in time begin anew together.
  std::string judge_new_beginning() const {
    const auto over = [](int code) { return code == WEIR_ETIMEOUT || code == WEIR_EMPI; };
    for (int rank = 0; rank < trial_.ranks; ++rank)
      if (!over(note(rank).code) && over(note(rank).last_code))
        return "apart: rank " + std::to_string(rank) + " was told and went on, and nobody came: " + note(rank).sentence;
    return "";
  }

  // Where nothing goes wrong nobody may sleep until he looks by himself, or wait at the end for who never comes.
  std::string judge_haste() {
    if (trial_.mishap.kind == Mishap::Kind::stray) return "";
    if (machine_.story().times_overslept() > 0)
      return "overslept: " + std::to_string(machine_.story().times_overslept()) +
             " time(s) nobody woke a rank for what it slept for";
    double first = 0;
    for (const auto& each : notes_) first = std::max(first, each->finalize_time);
    for (int rank = 0; rank < trial_.ranks; ++rank)
      if (note(rank).end_time > first + trial_.timeout)
        return "slow: rank " + std::to_string(rank) + " came to its end " +
               std::to_string(note(rank).end_time - first) + " s after the last one had called weir_finalize";
    return "";
  }

  // What the storage refuses somebody is told.
  std::string judge_honesty() const {
    for (const auto& each : notes_)
      if (each->code != 0) return "";
    return "unsaid: the storage has failed, and no rank was told";
  }

  std::string told() const {
    std::string words;
    for (int rank = 0; rank < trial_.ranks; ++rank)
      if (lived(rank))
        words +=
            "rank " + std::to_string(rank) + ": " + std::to_string(note(rank).code) + " " + note(rank).sentence + "; ";
    return words;
  }

  // Of the last meeting some may know that it is over before another rank is gone.
  bool all_begun() const {
    for (const auto& [line, commit] : trial_.commits())
      if (!begun(line)) return false;
    return true;
  }
  bool begun(int line) const {
    for (int rank = 0; rank < trial_.ranks - trial_.reserved; ++rank)
      if (!note(rank).begun.contains(line)) return false;
    return true;
  }
  bool done(int line) const {
    return std::any_of(notes_.begin(), notes_.end(), [line](const auto& each) { return each->done.contains(line); });
  }

  std::vector<std::string> paths(int file) const {
    const std::string whole = plan_.path(file), name = fs::path(whole).filename();
    if (!trial_.in_parts) return fs::exists(whole) ? std::vector<std::string>{whole} : std::vector<std::string>{};
    std::vector<std::string> parts;
    for (const auto& each : fs::directory_iterator(folder_ + "/files")) {
      const std::string here = each.path().filename();
      if (here.starts_with(name + ".") && std::regex_match(here.substr(name.size()), std::regex(R"(\.\d{4})")))
        parts.push_back(each.path());
    }
    return parts;
  }

  // As the next run does; packed files are read by Weir, which does it too.
  void recover(const std::string& path) const {
    if (trial_.grouped) static_cast<void>(weir::finish_group_commit(path));
    if (trial_.packed.empty() && trial_.goes_back()) weir::roll_back_commit(path);
  }

  // What a commit shows of each file.
  std::map<int, harness::State> shown_by(const Trial::Commit& commit) const {
    return trial_.grouped ? commit.all : std::map<int, harness::State>{{commit.file, commit.state}};
  }

  std::string judge_files(Outcome& outcome) {
    std::map<int, harness::Asked> files;
    std::map<int, int> last_line;
    const auto commits = trial_.commits();
    for (const auto& [line, commit] : commits)
      for (const auto& [file, state] : shown_by(commit))
        if (done(line)) files[file].last = state, last_line[file] = line;
    for (const auto& [line, commit] : commits)
      for (const auto& [file, state] : shown_by(commit)) {
        harness::Asked& asked = files[file];
        asked.number = file;
        asked.kind = trial_.in_parts ? "part" : "whole";
        if (last_line.contains(file) && last_line[file] == line) asked.states.push_back(state);
        if ((!last_line.contains(file) || last_line[file] < line) && begun(line)) asked.states.push_back(state);
      }
    for (const auto& [number, asked] : files) recover(plan_.path(number));
    for (auto& [number, asked] : files) {
      outcome.records += asked.last ? static_cast<int>(asked.last->records) : 0;
      const std::string wrong = judge_file(number, asked);
      if (!wrong.empty()) return wrong;
    }
    return trial_.grouped ? judge_group() : "";
  }

  // The last commit that was begun shows in all files that it is of, or in none of them.
  std::string judge_group() const {
    const auto commits = trial_.commits();
    const auto last =
        std::find_if(commits.rbegin(), commits.rend(), [&](const auto& each) { return begun(each.first); });
    if (last == commits.rend()) return "";
    std::map<int, harness::State> before = trial_.there;
    for (auto each = commits.begin(); each->first != last->first; ++each)
      for (const auto& [file, state] : shown_by(each->second)) before[file] = state;
    int shown = 0, hidden = 0;
    for (const auto& [file, state] : shown_by(last->second)) {
      if (before.contains(file) && before.at(file) == state) continue;
      const auto found = states_.find(file);
      ++(found != states_.end() && found->second == state ? shown : hidden);
    }
    if (shown == 0 || hidden == 0) return "";
    return "apart: of one commit " + std::to_string(shown) + " file(s) are shown and " + std::to_string(hidden) +
           " not";
  }

  std::string judge_file(int number, harness::Asked& asked) {
    const std::vector<std::string> found = paths(number);
    if (found.empty() && asked.last) return "lost: file " + std::to_string(number) + " is not there";
    for (const std::string& path : found) {
      asked.path = path;
      bool kept = false;
      try {
        const harness::Judged judged = judge(trial_, plan_, asked, kept);
        states_[number] = judged.state;
        const bool tells_parts = judged.parts >= 1 && judged.parts <= static_cast<int>(found.size());
        if (asked.last && trial_.in_parts && !tells_parts)
          return "lost: " + path + " tells of " + std::to_string(judged.parts) + " parts";
      } catch (const std::exception& error) {
        return std::string(kept         ? "extra"
                           : asked.last ? "lost"
                                        : "unreadable") +
               ": " + fs::path(path).filename().string() + ": " + error.what();
      }
    }
    return "";
  }

  const Trial& trial_;
  bool again_;
  std::string folder_;
  Machine machine_;
  MpiWorld world_;
  Storage storage_;
  harness::Plan plan_, stray_plan_;
  std::vector<std::unique_ptr<RankNotes>> notes_;
  std::map<int, harness::State> states_;  // of the files that are there, and right
  double struck_at_ = -1;
  long counted_from_ = -1;
};

// The next run on what is left.
std::string wrong_in_the_next(const Trial& trial, const std::string& folder, bool tells,
                              const std::map<int, harness::State>& there) {
  const Trial next = continuation(trial, there);
  const std::string wrong = Run(next, folder, tells, true).go().wrong;
  if (!wrong.empty()) return "in the next run: " + wrong;
  for (const auto& each : fs::directory_iterator(folder + "/files"))
    if (each.path().extension() == ".weir") return "leftover: the next run left " + each.path().filename().string();
  return "";
}

}  // namespace

Outcome run(const Trial& trial, const std::string& folder, bool tells) {
  Outcome outcome;
  std::map<int, harness::State> there;
  {
    Run first(trial, folder, tells);
    outcome = first.go();
    there = first.states();
  }
  const Mishap::Kind kind = trial.mishap.kind;
  const bool killed = kind == Mishap::Kind::kill || kind == Mishap::Kind::kill_all || kind == Mishap::Kind::power;
  if (outcome.wrong.empty() && outcome.fired && killed && !trial.in_parts && trial.seed % 3 == 0)
    outcome.wrong = wrong_in_the_next(trial, folder, tells, there);
  if (outcome.wrong.empty()) fs::remove_all(folder);
  return outcome;
}

}  // namespace sim
