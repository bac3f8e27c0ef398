// SPDX-License-Identifier: Apache-2.0
// Lists the folder of a Zarr array: files that a reader may open, and leftovers of a killed run, which no reader opens.
// Local.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/zarr/documents.hpp"
#include "formats/zarr/shard_files.hpp"

namespace weir {

struct ArrayFiles {
  std::vector<std::string> chunks;     // within the array's lengths
  std::vector<std::string> leftovers;  // beyond them, or to take the place of others at a commit that never came
};

// Their paths. `folder`: the array's own, of these lengths. Files of other names are passed over. Throws
// Error(WEIR_EIO).
ArrayFiles array_files(const std::string& folder, const ChunkFiles& files, const Shape& lengths);

// A whole file. Throws the same.
std::string text_of(const std::string& path);

// Texts of arrays as the commit that was interrupted was to have them, by their names; none where there was none.
nlohmann::ordered_json pending_arrays(const std::string& path);
// Folders of arrays that a killed run was to add to the folder `path`, whose group's text is `group`. Throws the same.
std::vector<std::string> leftover_arrays(const std::string& path, const std::string& group);

// Texts of groups within the folder that such a commit may have replaced, as they were: `there` are all texts that
// count.
std::vector<ZarrDocument> former_groups(const nlohmann::ordered_json& there, const nlohmann::ordered_json& coming);

// Whether a file of a Zarr folder has a name under which a run keeps it until a commit.
bool is_pending(const std::string& name);

}  // namespace weir
