// SPDX-License-Identifier: Apache-2.0
// What can be said of a Zarr folder by itself, and what ended runs have left in it. Local.
#pragma once

#include <string>
#include <vector>

#include "formats/zarr/documents.hpp"
#include "verdict.hpp"

namespace weir::verify {

struct ZarrVerdict {
  Verdict::Kind kind;
  std::string sentence;
  // Of a whole folder: files in it that no reader looks for, and texts of arrays that a commit was to replace with the
  // group's, as the group has them.
  std::vector<std::string> leftovers = {};
  std::vector<ZarrDocument> behind = {};
};

ZarrVerdict judge_zarr(const std::string& path);

// Removes the leftovers and takes the texts back to the group's. Throws Error(WEIR_EIO) where a run of this host has
// the folder open, or it cannot be written.
void clean_zarr(const std::string& path, const ZarrVerdict& verdict);

// Removes an unfinished folder. Throws the same.
void remove_unfinished_zarr(const std::string& path);

}  // namespace weir::verify
