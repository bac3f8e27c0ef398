// SPDX-License-Identifier: Apache-2.0
// weir-verify [--clean] [--mark] FILE...: whether files are whole: netCDF classic files whose header can be read and
// which have all bytes that it tells of, netCDF-4 files whose chunks unpack, and Zarr folders whose shards are whole;
// whether they agree with their markers, which --mark makes; and what ended runs have left in them and besides
// them, which --clean takes away. Exit code 0: all are whole; 1: one is damaged, or does not agree with its marker;
// else 2: one cannot be judged, cleaned or marked, or the command line was wrong.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "beside.hpp"
#include "clean.hpp"
#include "commit/group_record.hpp"
#include "commit/undo_log.hpp"
#include "formats/classic/visible.hpp"
#include "formats/zarr/folder.hpp"
#include "formats/zarr/going_back.hpp"
#include "marked.hpp"
#include "plain_options.hpp"
#include "verdict.hpp"
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
    say(
        weir::formatted("  {} bytes after the last record: left by a killed run, or written by a run in progress; "
                        "readers do not see them, and weir-verify --clean {} removes them",
                        verdict.bytes_behind, path));
  for (const std::string& file : weir::verify::unfinished(path))
    say(weir::formatted(
        "  {} ({} bytes) is an unfinished file next to it: left by a killed run, or written by a run in progress", file,
        file_bytes(file)));
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
    all = attempt([&] { weir::verify::remove_unfinished(file); }, weir::formatted("{} is removed", file)) && all;
  return all;
}

bool clean(const std::string& path, const Verdict& verdict) {
  bool all = true;
  if (verdict.bytes_behind > 0)
    all = attempt([&] { weir::verify::cut(path, verdict); },
                  weir::formatted("{} bytes after the last record are removed", verdict.bytes_behind));
  return clean_beside(path) && all;
}

void warn_of_parts(const std::string& path) {
  const std::vector<std::string> newer = weir::verify::newer_parts(path);
  if (newer.empty()) return;
  say(
      weir::formatted("  warning: {} part(s) next to it were written after it, from {} on: it is the output of an "
                      "earlier run; weir-merge --overwrite merges the newer parts",
                      newer.size(), newer.front()));
}

// False where a commit stays interrupted.
bool mend_commit(const std::string& path, bool cleans) {
  const std::string file = weir::resolved_path(path);
  // Who cleans has said that the run has ended.
  const auto if_locks_missing = cleans ? weir::IfLocksMissing::roll_back : weir::IfLocksMissing::refuse;
  if (!weir::has_interrupted_commit(file, if_locks_missing)) {
    if (cleans) weir::roll_back_commit(file, if_locks_missing);  // a journal that a kill has left unfinished goes
    return true;
  }
  if (cleans)
    return attempt([&] { weir::roll_back_commit(file, if_locks_missing); },
                   weir::formatted("an interrupted commit is rolled back: {} is as the previous commit left it", path));
  say(weir::formatted("  a commit of {} was interrupted; weir-verify --clean {} rolls it back, as the next run does",
                      path, path));
  return false;
}

int exit_code(Verdict::Kind kind) {
  return kind == Verdict::Kind::damaged ? 1 : (kind == Verdict::Kind::whole ? 0 : 2);
}

// The commit with which a folder goes back to fewer records.
bool mend_going_back(const std::string& path, bool cleans) {
  if (!weir::has_unfinished_going_back(path)) return true;
  if (cleans)
    return attempt([&] { weir::finish_going_back(path); },
                   weir::formatted("an interrupted commit is completed: {} has the records of its last one", path));
  say(weir::formatted("  a commit of {} was interrupted; weir-verify --clean {} completes it, as the next run does",
                      path, path));
  return false;
}

int look_at_folder(const std::string& path, bool cleans) {
  const bool mended = mend_going_back(path, cleans);
  const weir::verify::ZarrVerdict verdict = weir::verify::judge_zarr(path);
  say(verdict.sentence);
  const std::string many = weir::formatted("{} file(s) in it that readers ignore, from {} on", verdict.leftovers.size(),
                                           verdict.leftovers.empty() ? "" : verdict.leftovers.front());
  const bool dirty = !verdict.leftovers.empty(), cut_short = !verdict.behind.empty();
  const std::string commit = weir::formatted(
      "a commit of {} was interrupted, or is in progress: {} array(s) differ from the consolidated metadata", path,
      verdict.behind.size());
  if (cleans && verdict.kind == Verdict::Kind::whole) {
    bool all = true;
    if (dirty || cut_short)
      all = attempt(
          [&] { weir::verify::clean_zarr(path, verdict); },
          (cut_short ? weir::formatted("{}, and are reset to it", commit) : weir::formatted("{} are removed", many)));
    return clean_beside(path) && all && mended ? 0 : 2;
  }
  if (cut_short) say(weir::formatted("  {}; weir-verify --clean {} resets them to it", commit, path));
  if (dirty)
    say(weir::formatted(
        "  {}: left by a killed run, or written by a run in progress; weir-verify --clean {} removes them", many,
        path));
  tell(path, {verdict.kind, verdict.sentence});
  return cut_short || !mended ? 1 : exit_code(verdict.kind);
}

void finish_group(const std::string& file) {
  const auto finished = weir::finish_group_commit(file);
  if (!finished) return;
  for (const std::string& other : finished->published) say(weir::formatted("  {} shows the commit", other));
  for (const std::string& other : finished->left)
    say(weir::formatted("  {} was removed, replaced or changed since, and is left as it is", other));
}

// The same of a commit of several files as one.
bool mend_group(const std::string& path, bool cleans) {
  const std::string file = weir::resolved_path(path);
  if (!weir::has_interrupted_group_commit(file)) {
    if (cleans) finish_group(file);  // what an ended run has left besides it goes
    return true;
  }
  if (cleans) return attempt([&] { finish_group(file); }, "an interrupted commit of several files is completed");
  say(
      weir::formatted("  a commit of {} and other files was interrupted: only some of them may show it; weir-verify "
                      "--clean {} completes it for all of them, as the next run does",
                      path, path));
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
  // One that is damaged may be wanted with all that lies besides it.
  if (cleans && !damaged) return clean(path, verdict) ? code : 2;
  tell(path, verdict);
  return code;
}

// What a run has left, or is writing, that readers do not see.
bool has_leftovers(const std::string& path) {
  if (!weir::verify::unfinished(path).empty()) return true;
  if (weir::is_zarr_folder(path)) return !weir::verify::judge_zarr(path).leftovers.empty();
  return weir::verify::judge(path).bytes_behind > 0;
}

// Of a whole file.
int mark(const std::string& path) {
  if (has_leftovers(path)) {
    say("  it gets no marker before weir-verify --clean has removed what is left of a run, or the run has ended");
    return 2;
  }
  say("  " + weir::verify::make_marker(path));
  return 0;
}

// Of a whole file.
int compare(const std::string& path) {
  const auto verdict = weir::verify::compare_with_marker(path);
  if (verdict) say("  " + verdict->sentence);
  return !verdict || verdict->agrees ? 0 : 1;
}

struct Wishes {
  bool clean, mark;
};

// As look_at, and says why one cannot be looked at: the others still are.
int outcome_at(const std::string& path, const Wishes& wishes) try {
  const int code = look_at(path, wishes.clean);
  if (code != 0) return code;
  return wishes.mark ? mark(path) : compare(path);
} catch (const std::exception& error) {
  std::fflush(stdout);
  std::fprintf(stderr, "weir-verify: %s cannot be judged: %s\n", path.c_str(), error.what());
  return 2;
}

constexpr const char* usage =
    "weir-verify [--clean] [--mark] FILE...\nChecks whether netCDF classic files, netCDF-4 files and Zarr folders are "
    "whole and agree with their markers (FILE.done), and what killed runs have left in them and next to them.\n"
    "  --mark   make the marker of each file that is whole, in place of an older one\n  --clean  remove what killed "
    "runs have left after the "
    "last records, remove their unfinished files, and roll back\n           or complete interrupted commits;\n         "
    "  not while a run writes the files: runs on other hosts are not detected\n";

int run(int argc, char** argv) {
  const weir::bench::PlainOptions line = weir::bench::read_options(argc, argv, {"clean", "mark"});
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
    const int code = outcome_at(file, {line.given.contains("clean"), line.given.contains("mark")});
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
