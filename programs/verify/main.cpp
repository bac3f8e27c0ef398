// SPDX-License-Identifier: Apache-2.0
// weir-verify [--clean] FILE...: whether files are whole: netCDF classic files whose header can be read and which have
// all bytes that it tells of, netCDF-4 files whose chunks unpack, and Zarr folders whose shards are whole; and what
// ended runs have left in them and beside them, which --clean takes away. Exit code 0: all are whole; 1: one is
// damaged; else 2: one cannot be judged or cleaned, or the command line was wrong.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "beside.hpp"
#include "clean.hpp"
#include "plain_options.hpp"
#include "verdict.hpp"
#include "write/cut_commit.hpp"
#include "write/group_record.hpp"
#include "write/visible.hpp"
#include "write/zarr/folder.hpp"
#include "zarr_folder.hpp"

namespace {

using weir::verify::Verdict;

std::uintmax_t file_bytes(const std::string& path) {
  std::error_code gone;
  const std::uintmax_t bytes = std::filesystem::file_size(path, gone);
  return gone ? 0 : bytes;
}

void say(const std::string& sentence) {
  std::printf("%s\n", sentence.c_str());
}

void tell(const std::string& path, const Verdict& verdict) {
  if (verdict.bytes_behind > 0)
    say("  " + std::to_string(verdict.bytes_behind) +
        " bytes behind the last record: a run that was ended left them, or " +
        "one that goes on writes there; readers do not see them, and weir-verify --clean " + path + " cuts them");
  for (const std::string& file : weir::verify::unfinished(path))
    say("  " + file + " (" + std::to_string(file_bytes(file)) +
        " bytes) is beside it, and no part of it: a run's that goes on, or that was ended");
}

// Does it, and says so, or why it cannot be done.
template <class Action>
bool attempt(Action action, const std::string& done) {
  try {
    action();
  } catch (const weir::Error& error) {
    say(std::string("  ") + error.what());
    return false;
  }
  say("  " + done);
  return true;
}

bool clean_beside(const std::string& path) {
  bool all = true;
  for (const std::string& file : weir::verify::unfinished(path))
    all = attempt([&] { weir::verify::remove_unfinished(file); }, file + " is removed") && all;
  return all;
}

bool clean(const std::string& path, const Verdict& verdict) {
  bool all = true;
  if (verdict.bytes_behind > 0)
    all = attempt([&] { weir::verify::cut(path, verdict); },
                  std::to_string(verdict.bytes_behind) + " bytes behind the last record are cut");
  return clean_beside(path) && all;
}

void warn_of_parts(const std::string& path) {
  const std::vector<std::string> newer = weir::verify::newer_parts(path);
  if (newer.empty()) return;
  say("  warning: " + std::to_string(newer.size()) + " part(s) beside it were written after it, from " + newer.front() +
      " on: it is the output of an earlier run, until weir-merge --overwrite makes it of them");
}

// False where a commit stays cut short.
bool mend_commit(const std::string& path, bool cleans) {
  const std::string file = weir::resolved_path(path);
  // Who cleans has said that the run has ended.
  const auto without_locks = cleans ? weir::WithoutLocks::take_back : weir::WithoutLocks::refuse;
  if (!weir::commit_was_cut_short(file, without_locks)) {
    if (cleans) weir::take_back_commit(file, without_locks);  // a journal that a kill has left unfinished goes
    return true;
  }
  if (cleans)
    return attempt([&] { weir::take_back_commit(file, without_locks); },
                   "a commit that was cut short is taken back: " + path + " is as the one before left it");
  say("  a commit of " + path + " was cut short; weir-verify --clean " + path + " takes it back, as the next run does");
  return false;
}

int exit_code(Verdict::Kind kind) {
  return kind == Verdict::Kind::damaged ? 1 : (kind == Verdict::Kind::whole ? 0 : 2);
}

int look_at_folder(const std::string& path, bool cleans) {
  const weir::verify::ZarrVerdict verdict = weir::verify::judge_zarr(path);
  say(verdict.sentence);
  const std::string many = std::to_string(verdict.leftovers.size()) + " file(s) in it that no reader looks for, from " +
                           (verdict.leftovers.empty() ? "" : verdict.leftovers.front()) + " on";
  const bool dirty = !verdict.leftovers.empty(), cut_short = !verdict.behind.empty();
  const std::string commit = "a commit of " + path +
                             " was cut short, or goes on: " + std::to_string(verdict.behind.size()) +
                             " array(s) differ from the consolidated metadata";
  if (cleans && verdict.kind == Verdict::Kind::whole) {
    bool all = true;
    if (dirty || cut_short)
      all = attempt([&] { weir::verify::clean_zarr(path, verdict); },
                    (cut_short ? commit + ", and are taken back to it" : many + " are removed"));
    return clean_beside(path) && all ? 0 : 2;
  }
  if (cut_short) say("  " + commit + "; weir-verify --clean " + path + " takes them back to it");
  if (dirty)
    say("  " + many + ": a run that was ended left them, or one that goes on writes there; weir-verify --clean " +
        path + " removes them");
  tell(path, {verdict.kind, verdict.sentence});
  return cut_short ? 1 : exit_code(verdict.kind);
}

void finish_group(const std::string& file) {
  const auto finished = weir::finish_group_commit(file);
  if (!finished) return;
  for (const std::string& other : finished->published) say("  " + other + " shows the commit");
  for (const std::string& other : finished->left)
    say("  " + other + " was removed, replaced or changed since, and is left as it is");
}

// The same of a commit of several files as one.
bool mend_group(const std::string& path, bool cleans) {
  const std::string file = weir::resolved_path(path);
  if (!weir::group_commit_was_cut_short(file)) {
    if (cleans) finish_group(file);  // what an ended run has left beside it goes
    return true;
  }
  if (cleans) return attempt([&] { finish_group(file); }, "a commit of several files that was cut short is finished");
  say("  a commit of " + path +
      " and other files was cut short: some may show it and others not; weir-verify --clean " + path +
      " finishes it for all of them, as the next run does");
  return false;
}

// Its exit code.
int look_at(const std::string& path, bool cleans) {
  if (weir::is_zarr_folder(path)) return look_at_folder(path, cleans);
  const bool whole_group = mend_group(path, cleans);
  const bool mended = mend_commit(path, cleans) && whole_group;
  const Verdict verdict = weir::verify::judge(path);
  say(verdict.sentence);
  warn_of_parts(path);
  const bool damaged = verdict.kind == Verdict::Kind::damaged || !mended;
  const int code = damaged ? 1 : exit_code(verdict.kind);
  // One that is damaged may be wanted with all that lies beside it.
  if (cleans && !damaged) return clean(path, verdict) ? code : 2;
  tell(path, verdict);
  return code;
}

// As look_at, and says why one cannot be looked at: the others still are.
int outcome_at(const std::string& path, bool cleans) try {
  return look_at(path, cleans);
} catch (const std::exception& error) {
  std::fflush(stdout);
  std::fprintf(stderr, "weir-verify: %s cannot be judged: %s\n", path.c_str(), error.what());
  return 2;
}

constexpr const char* usage =
    "weir-verify [--clean] FILE...\n"
    "Tells whether netCDF classic files, netCDF-4 files and Zarr folders are whole, and what ended runs have left in "
    "them and beside them.\n"
    "  --clean  cut what ended runs have left behind the last records, remove their unfinished files, and take back\n"
    "           or finish commits that were cut short;\n"
    "           not while a run writes the files: what other hosts do is not seen\n";

int run(int argc, char** argv) {
  const weir::bench::PlainOptions line = weir::bench::read_options(argc, argv, {"clean"});
  if (line.given.contains("help")) {
    std::fputs(usage, stdout);
    return 0;
  }
  if (!line.wrong.empty() || line.words.empty()) {
    const std::string why = line.wrong.empty() ? "give FILE, one or more" : line.wrong;
    std::fprintf(stderr, "weir-verify: %s\n%s", why.c_str(), usage);
    return 2;
  }
  bool damaged = false, unsure = false;
  for (const std::string& file : line.words) {
    const int code = outcome_at(file, line.given.contains("clean"));
    damaged = damaged || code == 1;
    unsure = unsure || code == 2;
  }
  return damaged ? 1 : (unsure ? 2 : 0);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weir-verify: %s\n", error.what());
  }
  return 2;
}
