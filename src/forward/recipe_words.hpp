// SPDX-License-Identifier: Apache-2.0
// A recipe as words of a message: blocks with their loops, then runs. Pure, Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rearrange/copy.hpp"

namespace weir {

// Appends the recipe.
void put_recipe(std::vector<std::int64_t>& words, const CopyProgram& recipe);
// The recipe that begins at `at`, which becomes what follows it.
CopyProgram take_recipe(const std::vector<std::int64_t>& words, std::size_t& at);

}  // namespace weir
