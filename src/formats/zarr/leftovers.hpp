// SPDX-License-Identifier: Apache-2.0
// Lists the folder of a Zarr array: files that a reader may open, and leftovers of a killed run, which no reader opens.
// zarr/folder.hpp removes the leftovers. Local. Errors: WEIR_EIO.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/zarr/documents.hpp"
#include "formats/zarr/shard_files.hpp"

namespace weir {

// Paths of files.
struct ArrayFiles {
  std::vector<std::string> chunks;     // within the array's lengths
  std::vector<std::string> leftovers;  // beyond them, or pending for a commit that did not come
};

// Lists the folder of an array of these lengths; files of other names are passed over.
ArrayFiles array_files(const std::string& folder, const ChunkFiles& files, const Shape& lengths);

// Returns a whole file.
std::string text_of(const std::string& path);

// Returns the texts of arrays, by name, that an interrupted commit was to write; none if there was no such commit.
nlohmann::ordered_json pending_arrays(const std::string& path);
// Returns the folders of arrays that a killed run was to add to the folder `path`. `group`: the text of its group.
std::vector<std::string> leftover_arrays(const std::string& path, const std::string& group);

// Returns the former texts of groups inside the folder that such a commit may have replaced. `there`: all texts that
// count.
std::vector<ZarrDocument> former_groups(const nlohmann::ordered_json& there, const nlohmann::ordered_json& coming);

// Whether a file has a name under which a run keeps it until a commit.
bool is_pending(const std::string& name);

}  // namespace weir
