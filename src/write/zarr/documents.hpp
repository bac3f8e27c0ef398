// SPDX-License-Identifier: Apache-2.0
// The texts of a Zarr folder, version 3: zarr.json of each array and that of the group, which repeats the others
// (consolidated metadata). Attributes are as xarray writes them. Pure, Local.
#pragma once

#include <string>
#include <vector>

#include "schema/schema.hpp"
#include "write/zarr/array.hpp"

namespace weir {

// A text of the folder `folder` in the file's own; "": of that itself.
struct ZarrDocument {
  std::string folder, text;
};

// With so many records; the group's comes last. Throws Error(WEIR_EARGUMENT) on a text that is not UTF-8.
std::vector<ZarrDocument> zarr_documents(const Schema& schema, const std::vector<ZarrArray>& arrays,
                                         std::int64_t records);

}  // namespace weir
