// SPDX-License-Identifier: Apache-2.0
// The commit with which a Zarr folder goes back to fewer records (docs/decisions/113-going-back.md): files of records
// behind those that stay are removed, or replaced by new ones, which no single rename can do. What there is to do is
// written into the folder first. From then on the commit counts: the next run that opens the folder, or
// `weir-verify --clean`, completes it after a kill. Local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/config.hpp"
#include "base/error.hpp"
#include "formats/zarr/documents.hpp"

namespace weir {

void fields(auto& archive, Either<ZarrDocument> auto& document) {
  archive(document.folder, document.text);
}

// A file under a pending name: its folder inside the Zarr folder, and its name.
struct PendingFile {
  std::string folder, name;
};
void fields(auto& archive, Either<PendingFile> auto& file) {
  archive(file.folder, file.name);
}

// What the commit does, in this order. Each step can be done again.
struct GoingBack {
  std::string before;                // the group's text
  std::vector<ZarrDocument> fewer;   // texts that tell of the records that stay
  std::vector<std::string> removed;  // files of the others, inside the folder
  std::vector<PendingFile> shown;    // files that get their names
  std::vector<ZarrDocument> after;   // texts with the new records
};
void fields(auto& archive, Either<GoingBack> auto& step) {
  archive(step.before, step.fewer, step.removed, step.shown, step.after);
}

// Goes back. `folder`: the Zarr folder, held by this run.
// Requires: pending files are on stable storage, if the durability says so.
// Errors: returned; WEIR_EIO. The commit counts if the sentence says so.
Status go_back(const std::string& folder, const GoingBack& step, Durability durability);

// Whether a run that has ended has left such a commit unfinished.
bool has_unfinished_going_back(const std::string& folder);
// Completes it. Does nothing if there is none, if a running program holds the folder, or if this user may not write
// there.
// Errors: WEIR_EIO if it cannot be completed.
void finish_going_back(const std::string& folder);

// Writes texts under pending names, then gives them their own, one after another.
Status show_documents(const std::string& folder, const std::vector<ZarrDocument>& documents, Durability durability);

}  // namespace weir
