// SPDX-License-Identifier: Apache-2.0
// A Zarr folder, as the committing rank sees it: written under a temporary name next to the final one until its first
// commit; later, and for an existing folder, its texts are replaced one by one, each by a rename, those of the arrays
// before the group's. So a reader always finds complete texts, and no array that is longer than its data on stable
// storage. Local.
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
#include "formats/zarr/texts.hpp"
#include "storage/identity.hpp"

namespace weir {

// What stands at `path` that a new Zarr folder must not take the place of, as a sentence: anything but a file, nothing,
// and a Zarr folder.
std::optional<std::string> zarr_target_problem(const std::string& path);

// Whether there is a Zarr folder, of whatever version.
bool is_zarr_folder(const std::string& path);

// Makes `folder/name` of these bytes under its pending name, or brings it from there to its own: each by itself, so
// that many files come to storage together. `durability` storage: the bytes are there before the name is.
Status write_pending(const std::string& folder, const std::string& name, std::span<const std::byte> bytes,
                     Durability durability);
Status show_pending(const std::string& folder, const std::string& name);
// The folders in which `folder/name` is, from `folder` on, which is there; a name may have several parts. They are
// added to `changed`: the caller syncs them if the name has to be on stable storage.
Status make_folders_of(const std::string& folder, const std::string& name, std::set<std::string>& changed);

class ZarrFolder {
 public:
  // Makes the folder and one in it for each array, and group before those. `path` is absolute and no symbolic link.
  // What a killed run has left of it is removed. Where it is a folder, the new one gets its mode. Throws
  // Error(WEIR_EIO).
  ZarrFolder(std::string path, const std::vector<std::string>& arrays, Durability durability);
  // The folder that is there, to add records to: what `tables` tell of it. What a killed run has left in it goes, and
  // what that run has published of a commit is rolled back; where the folder is refused it is left as it is. Throws
  // Error: WEIR_EIO (it cannot be written, is open elsewhere, has changed), WEIR_EFORMAT (nothing can be added to it).
  ZarrFolder(std::string path, const StoredTables& tables, Durability durability);

  // Of a folder that was there.
  const ZarrTexts& texts() const noexcept { return *texts_; }

  const std::string& written_path() const noexcept { return written_path_; }
  bool visible() const noexcept { return written_path_ == path_; }
  const FileIdentity& identity() const noexcept { return identity_; }
  // Makes a folder for each, groups before what is in them. Throws Error(WEIR_EIO).
  void add_arrays(const std::vector<std::string>& arrays);
  // The files that were written under pending names (each a folder within, and a name) get their own, then the texts
  // that have changed are replaced; then the folder has its final name.
  struct Pending {
    std::string folder, name;
  };
  Status publish(const std::vector<Pending>& files, std::vector<ZarrDocument> documents);
  // Removes it where it was never visible.
  void discard() noexcept;

 private:
  void make(const std::vector<std::string>& arrays);
  void hold();
  std::vector<ZarrDocument> cut_short() const;
  void roll_back(std::vector<ZarrDocument> documents);
  void remove_leftovers(const StoredTables& tables) const;
  Status check_same() const;
  Status show_texts(std::vector<ZarrDocument>& documents);
  Status sync(const std::string& folder) const;
  Status give_name();
  std::string within(const std::string& folder) const;

  std::string path_, written_path_;
  Durability durability_;
  Descriptor folder_;  // held locked: a run goes on
  FileIdentity identity_;
  std::map<std::string, std::string> shown_;  // the texts as they are in the folder
  std::optional<ZarrTexts> texts_;
};

}  // namespace weir
