// SPDX-License-Identifier: Apache-2.0
// The record of a commit of several files: its name, its bytes, and the recovery by it. file/commit_group.hpp writes
// it, File::open() recovers by it (docs/decisions/038-commit-as-one.md). Local.
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

// The names of the record and of the links to it. No name of a file that is being written (commit/partial.hpp) ends
// like these.
inline constexpr const char* group_link_suffix = ".weir-commit";
inline constexpr const char* group_record_prefix = ".weir-commit.";
inline constexpr std::int64_t group_record_mark = 0x5745495247525032;  // "WEIRGRP2"

// Returns "/data/.weir-commit.0123abcd".
std::string group_record_name(const std::string& folder, std::uint32_t token);
bool is_group_record_name(const std::string& name);

// Returns the folder of a file, with all links resolved.
// Errors: WEIR_EIO if it is not there.
std::string canonical_folder(const std::string& path);

// Returns, as a sentence, why files of these paths cannot be committed as one; nullopt if they can.
// Requires: absolute paths in existing folders.
std::optional<std::string> group_obstacle(std::span<const std::string> paths);

// Returns "/data/.history.nc.weir-commit" for "/data/history.nc".
std::string group_link_name(const std::string& path);

// The record of one run. Once all data of a commit are on stable storage, decide() writes the steps that publish it
// (commit/publish_step.hpp) into the record. From then on the commit counts: carry_out() does the steps, and after a
// kill the next run that opens or creates one of the files with Weir does them, or `weir-verify --clean`. Before, no
// reader sees anything of the commit (contract 3).
//
// The record is in the folder of one of the files (.weir-commit.TOKEN). A symbolic link next to each file leads to it
// (.NAME.weir-commit). Paths in both are relative, so the folder can be moved with all its contents. A run keeps its
// record locked until it ends, so that no other run takes it for a record of a run that was killed.
class GroupRecord {
 public:
  explicit GroupRecord(Durability durability) : durability_(durability) {}

  // Writes the record: the commit counts.
  // Ensures: the steps are on stable storage, if the durability says so.
  // Errors: WEIR_EIO; the commit does not count, unless stands() says that the record may be valid and could not be
  // made void.
  void decide(std::span<const PublishStep> steps);
  // Whether there may be a record by which the next run would publish the files.
  bool stands() const noexcept { return stands_; }
  // Does the steps, and makes the record void.
  // Errors: returned, with the number of the step; the next run completes the commit.
  Status carry_out(std::span<const PublishStep> steps, std::size_t& failed_step);
  // Removes the link of a closed file; the last link takes the record with it.
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

// The result of a recovery.
struct FinishedCommit {
  std::vector<std::string> published;
  std::vector<std::string> left;  // files that are gone or were changed since; nothing was done to them
};

// Completes the interrupted commit of several files that `path` belongs to, if there is one. Waits a few seconds for a
// commit that a running program is making. Removes what a killed run has left next to `path`.
// Ensures: all of the files that are still there are published, on stable storage.
// Errors: WEIR_EIO if the commit cannot be completed.
std::optional<FinishedCommit> finish_group_commit(const std::string& path);

// Returns whether a run that has ended has left such a commit.
// Errors: WEIR_EIO if that cannot be determined.
bool has_interrupted_group_commit(const std::string& path);

}  // namespace weir
