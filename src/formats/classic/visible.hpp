// SPDX-License-Identifier: Apache-2.0
// Makes a file visible: it is written under a temporary name next to the final one and renamed at its first commit; the
// record count in its header rises only after the records are on stable storage (contract 3). The committing rank keeps
// the file open from its creation, and commits to that file: if its name has been given to another file, or its header
// is not the one that was written, the commit only reports that. Local.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

class VisibleFile {
 public:
  // Makes a file of the header and length under a name of its own next to `path`, which is absolute and no symbolic
  // link (resolved_path). The name is new each time, since a host that remembers a name for a while would open the file
  // that had it before; it is not there yet, and no rank can have prepared it. What a killed run has left of `path` is
  // removed. Where `path` exists, the new file gets its mode, and its owner as far as that is permitted; throws
  // Error(WEIR_EIO) where it may not be written.
  VisibleFile(std::string path, const DefinedHeader& header, Durability durability);
  // The existing file `path`, to append to: what a killed run has left, behind its last record or next to it, is
  // removed.
  VisibleFile(std::string path, const Geometry& geometry, Durability durability);

  VisibleFile(VisibleFile&&) = default;
  VisibleFile& operator=(VisibleFile&&) = default;

  // Its name now: the final one once it is visible.
  const std::string& written_path() const noexcept { return written_path_; }
  bool visible() const noexcept { return written_path_ == path_; }
  const FileIdentity& identity() const noexcept { return identity_; }
  // To read what is in it.
  const Descriptor& contents() const noexcept { return file_; }
  // Whether its name still stands for it, with the header that was written.
  Status check_same() const;
  // It is `older`, laid out anew: once it gets the name, that must still stand for `older`, if that had it.
  void take_place_of(const VisibleFile& older) noexcept {
    replaced_ = older.visible() ? older.identity_ : FileIdentity{};
  }
  // Gives the file the length and the count of `records` records, then its final name.
  Status publish(const Geometry& geometry, std::int64_t records);
  // The same of a file whose metadata are no header of fixed length: gives it the changes and the length, then its
  // final name. Where it has that already, a kill in between leaves a journal by which the changes are rolled back.
  Status publish(std::span<const Change> changes, std::int64_t length);
  // The same in two parts, for files that are published together: prepare() does what no reader sees, on stable storage
  // where that is wanted, and adds the step that publishes the file, if there is anything to publish; published() says
  // that the steps stand. The file cannot go on where they come to nothing.
  Status prepare(const Geometry& geometry, std::int64_t records, std::vector<PublishStep>& steps);
  Status prepare(std::span<const Change> changes, std::int64_t length, std::vector<PublishStep>& steps);
  void published() { written_path_ = path_; }
  // Of what the file began with, only so many bytes are watched for changes of others.
  void watch(std::size_t bytes) { header_.resize(std::min(bytes, header_.size())); }
  // Removes it where it was never visible.
  void discard() noexcept;

 private:
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
};

// `path` as it means a file whatever becomes of the working folder and of symbolic links: absolute, with what the last
// part links to in its place, whether that exists or not. Throws Error(WEIR_EIO) where links lead round and round.
std::string resolved_path(const std::string& path);

}  // namespace weir
