// SPDX-License-Identifier: Apache-2.0
// The record of a commit of several files: its name, its bytes, and recovery by it. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "commit/publish_step.hpp"

namespace weir {

// The names of the record of a commit of several files (commit/group_record.hpp), and how it is found. No name of a
// file that is being written (formats/classic/visible.hpp) ends like these. Local.

inline constexpr const char* group_link_suffix = ".weir-commit";
inline constexpr const char* group_record_prefix = ".weir-commit.";
inline constexpr std::int64_t group_record_mark = 0x5745495247525031;  // "WEIRGRP1"

// "/data/.weir-commit.0123abcd".
std::string group_record_name(const std::string& folder, std::uint32_t token);
bool is_group_record_name(const std::string& name);

// Of the folder that the file is in, whatever links lead there. Throws Error(WEIR_EIO) where it is not there.
std::string canonical_folder(const std::string& path);

// Several files that are committed as one. Once all that a commit is to publish is on stable storage, a record of the
// steps that publish it (commit/publish_step.hpp) is written: from then on the commit counts, and a kill leaves steps
// that are still to be done. Then each file is published, and the record is made void. Before the record is valid,
// nothing of the commit is visible; the next run that opens or makes one of the files with Weir, or `weir-verify
// --clean`, does the steps again, so that all files show the commit, or none does
// (docs/decisions/038-commit-as-one.md).
//
// The record is in the folder of one of the files (.weir-commit.TOKEN); a symbolic link next to each file points to it
// (.NAME.weir-commit), so that it is found from each of them. Paths in both are relative: a folder may be moved with
// all that is in it. A run holds its record locked until it ends, so that no other run mistakes it for an ended run's.
// Local.

// Why files of these paths cannot be committed as one, as a sentence; nullopt where they can. Absolute paths in folders
// that exist.
std::optional<std::string> group_obstacle(std::span<const std::string> paths);

// "/data/.history.nc.weir-commit" for "/data/history.nc".
std::string group_link_name(const std::string& path);

class GroupRecord {
 public:
  explicit GroupRecord(Durability durability) : durability_(durability) {}

  // The commit counts: its steps are on stable storage, where that is wanted. Throws Error(WEIR_EIO); it then does not
  // count, but for one case (stands()): what was written could not be made void again.
  void decide(std::span<const PublishStep> steps);
  // Whether there may be a record by which the next run would publish the files.
  bool stands() const noexcept { return stands_; }
  // Does the steps, and makes the record void. Where a step fails, its number is `failed_step`, and the record is left
  // to the next run.
  Status carry_out(std::span<const PublishStep> steps, std::size_t& failed_step);
  // The file is closed: no link leads from it any more. The last one takes the record with it.
  void leave(const std::string& path) noexcept;

 private:
  bool is_there() const;
  void make(const std::string& folder, const std::string& path);
  bool link(const std::string& path);
  int write(std::span<const std::byte> bytes);
  void give_up() noexcept;

  Durability durability_;
  std::string folder_;  // canonical
  Descriptor record_{-1, ""};
  std::set<std::string> links_;
  bool stands_ = false;
};

// What became of a commit that a kill has interrupted.
struct FinishedCommit {
  std::vector<std::string> published;
  std::vector<std::string> left;  // not there any more, or other files since: nothing was done to them
};

// Finishes the commit of several files that a kill has interrupted, if `path` is one of them: all that are still there
// are then published, on stable storage. One that is under way is waited for, a few seconds at the most. What an ended
// run has left next to `path` goes. Throws Error(WEIR_EIO) where it cannot be finished.
std::optional<FinishedCommit> finish_group_commit(const std::string& path);

// Whether there is such a commit, of a run that has ended.
bool has_interrupted_group_commit(const std::string& path);

}  // namespace weir
