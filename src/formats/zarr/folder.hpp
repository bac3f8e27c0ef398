// SPDX-License-Identifier: Apache-2.0
// A Zarr folder as rank 0 commits it: written under a temporary name until its first commit. Later, and in an existing
// folder, its texts are replaced one by one, each by a rename, the arrays' before the group's. So a reader always finds
// complete texts, and no array longer than its data on stable storage. zarr/zarr_file.cpp uses it. Local.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/descriptor.hpp"
#include "formats/stored_array.hpp"
#include "formats/zarr/documents.hpp"
#include "formats/zarr/going_back.hpp"
#include "formats/zarr/texts.hpp"
#include "storage/identity.hpp"

namespace weir {

// Returns, as a sentence, what is at `path` that a new Zarr folder must not replace: anything but a file, nothing, or a
// Zarr folder.
std::optional<std::string> zarr_target_problem(const std::string& path);

// Whether `path` is a Zarr folder, of any version.
bool is_zarr_folder(const std::string& path);

// write_pending() makes `folder/name` under its pending name; show_pending() renames it to its own. In two steps, so
// that many files come to storage together. With durability storage the bytes are there before the name is.
Status write_pending(const std::string& folder, const std::string& name, std::span<const std::byte> bytes,
                     Durability durability);
Status show_pending(const std::string& folder, const std::string& name);
// Makes the folders of `folder/name`, which may have several parts; `folder` exists. Adds them to `changed`, for the
// caller to sync if the name has to be on stable storage.
Status make_folders_of(const std::string& folder, const std::string& name, std::set<std::string>& changed);

// The folder is locked as long as this lives, if its file system has locks. Errors: constructors and add_arrays()
// throw, other methods return.
class ZarrFolder {
 public:
  // Makes the folder and one in it for each array, groups before their contents. Removes what a killed run has left of
  // it. The new folder gets an existing folder's mode.
  // Requires: `path` is absolute and no symbolic link.
  // Errors: WEIR_EIO.
  ZarrFolder(std::string path, const std::vector<std::string>& arrays, Durability durability);
  // Opens an existing folder, described by `tables`, to add records. Removes what a killed run has left in it, and
  // rolls back what that run has published of a commit.
  // Errors: WEIR_EIO if it cannot be written, is open elsewhere, or has changed; WEIR_EFORMAT if nothing can be added
  // to it. It is left as it is.
  ZarrFolder(std::string path, const StoredTables& tables, Durability durability);

  // The texts of an existing folder.
  const ZarrTexts& texts() const noexcept { return *texts_; }

  const std::string& written_path() const noexcept { return written_path_; }
  bool visible() const noexcept { return written_path_ == path_; }
  const FileIdentity& identity() const noexcept { return identity_; }
  // Makes a folder for each array, groups before their contents.
  // Errors: WEIR_EIO.
  void add_arrays(const std::vector<std::string>& arrays);
  using Pending = PendingFile;
  // Renames the pending files to their own names, then replaces the texts that have changed; then the folder gets its
  // final name.
  Status publish(const std::vector<Pending>& files, std::vector<ZarrDocument> documents);
  // Publishes an existing folder that goes back to its first `kept` records (zarr/going_back.hpp) and has `records`
  // with those that were put since. `tables`: as the folder was opened.
  Status publish_back(const std::vector<Pending>& files, const StoredTables& tables, std::int64_t kept,
                      std::int64_t records);
  // Removes the folder if it was never visible.
  void discard() noexcept;

 private:
  void make(const std::vector<std::string>& arrays);
  void hold();
  std::vector<ZarrDocument> cut_short() const;
  void roll_back(std::vector<ZarrDocument> documents);
  void remove_leftovers(const StoredTables& tables) const;
  Status check_same() const;
  Status show_texts(std::vector<ZarrDocument>& documents);
  std::vector<std::string> files_behind(const StoredTables& tables, std::int64_t kept) const;
  Status sync(const std::string& folder) const;
  Status give_name();
  std::string within(const std::string& folder) const;

  std::string path_, written_path_;
  Durability durability_;
  Descriptor folder_;  // locked while the run goes on
  FileIdentity identity_;
  std::map<std::string, std::string> shown_;  // the texts in the folder
  std::optional<ZarrTexts> texts_;
};

}  // namespace weir
