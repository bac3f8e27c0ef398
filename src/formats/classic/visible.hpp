// SPDX-License-Identifier: Apache-2.0
// Makes a file visible (contract 3): it is written under a temporary name and renamed at its first commit; the record
// count in its header rises only after the records are on stable storage. classic/shared_file.cpp and
// netcdf4/chunked_file.cpp use it. Local.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "commit/partial.hpp"
#include "commit/publish_step.hpp"
#include "commit/undo_log.hpp"
#include "formats/definition.hpp"
#include "storage/identity.hpp"

namespace weir {

// Rank 0, which commits, keeps the file open from its creation, and commits to that file: if its name has been given to
// another file, or its header is not the one that was written, the commit only reports that. Errors: constructors
// throw, other methods return, WEIR_EIO.
class VisibleFile {
 public:
  // Creates a file with this header and length under a temporary name (commit/partial.hpp). Completes or rolls back an
  // interrupted commit of `path`, and removes what a killed run has left of it. If `path` exists, the new file gets its
  // mode, and its owner as far as permitted.
  // Requires: `path` is absolute and no symbolic link (resolved_path()).
  // Errors: also if an existing file at `path` may not be written.
  VisibleFile(std::string path, const DefinedHeader& header, Durability durability);
  // Opens an existing file to append to. Removes what a killed run has left next to it or after its last record.
  VisibleFile(std::string path, const Geometry& geometry, Durability durability);
  // Opens an existing file to go back to its first `records` records (docs/decisions/113-going-back.md): readers find
  // these from now on. Until the next publish(), discard() or the next run restores the others.
  // Requires: no more than geometry.records, which the file has.
  VisibleFile(std::string path, const Geometry& geometry, std::int64_t records, Durability durability);

  VisibleFile(VisibleFile&&) = default;
  VisibleFile& operator=(VisibleFile&&) = default;

  // Its name now: the final one once it is visible.
  const std::string& written_path() const noexcept { return written_path_; }
  bool visible() const noexcept { return written_path_ == path_; }
  const FileIdentity& identity() const noexcept { return identity_; }
  // To read the file.
  const Descriptor& contents() const noexcept { return file_; }
  // Returns an error if its name no longer stands for it, or its header was changed.
  Status check_same() const;
  // Notes that this file replaces `older`. If `older` was visible, the name must still belong to it when this file gets
  // the name.
  void take_place_of(const VisibleFile& older) noexcept {
    replaced_ = older.visible() ? older.identity_ : FileIdentity{};
  }
  // Gives the file the length and the count of `records` records, then its final name.
  Status publish(const Geometry& geometry, std::int64_t records);
  // As above, for a file without a header of fixed length: applies the changes and the length. If the file has its
  // final name already, an undo log rolls the changes back after a kill (commit/undo_log.hpp).
  Status publish(std::span<const Change> changes, std::int64_t length);
  // publish() in two parts, for files that are committed as one. prepare() does what no reader sees, on stable storage
  // if that is wanted, and adds the step that publishes the file, if any. published() notes that the steps count. If
  // they are not done the file cannot go on.
  Status prepare(const Geometry& geometry, std::int64_t records, std::vector<PublishStep>& steps);
  Status prepare(std::span<const Change> changes, std::int64_t length, std::vector<PublishStep>& steps);
  void published() {
    written_path_ = path_;
    behind_.reset();
  }
  // Limits the check for changes by others to the first `bytes` bytes of the header.
  void watch(std::size_t bytes) { header_.resize(std::min(bytes, header_.size())); }
  // Removes the file if it was never visible; restores the records of one that went back.
  void discard() noexcept;

 private:
  void go_back(const Geometry& geometry, std::int64_t records);
  void make(const DefinedHeader& header);
  void take_over_permissions();
  Status check_header() const;
  Status sync() const;
  Status give_length(const Geometry& geometry, std::int64_t records);
  std::vector<std::byte> count_bytes(const Geometry& geometry, std::int64_t records) const;
  Status count_records(const Geometry& geometry, std::int64_t records);
  PublishStep step() const;
  void watch_changed(const Change& change);
  Status give_name();
  Status change(std::span<const Change> changes, std::int64_t length);
  Status failure(const char* call) const;

  std::string path_, written_path_;
  Durability durability_;
  Descriptor file_;
  FileIdentity identity_, replaced_;
  std::vector<std::byte> header_;  // as it is in the file
  std::optional<UndoLog> behind_;  // the records that the file had behind those to which it went back
};

// Returns an absolute path that means the same file whatever becomes of the working directory and of symbolic links;
// the last part's links are followed, whether the file exists or not.
// Errors: WEIR_EIO for a loop of links.
std::string resolved_path(const std::string& path);

}  // namespace weir
