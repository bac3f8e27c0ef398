// SPDX-License-Identifier: Apache-2.0
// Groups within a Zarr folder, as the names of a schema have them. Pure, Local.
#pragma once

#include <string>
#include <vector>

#include "schema/schema.hpp"

namespace weir {

// "ice", "ice/snow": each before those that it holds. Throws Error(WEIR_EARGUMENT) where a variable is called so too.
std::vector<std::string> groups_of(const Schema& schema);

// The folders of groups that `before` has not, and those of the variables from number `first` on, each after the folder
// that it is in. Throws as groups_of.
std::vector<std::string> new_folders(const Schema& before, const Schema& after, int first);

}  // namespace weir
