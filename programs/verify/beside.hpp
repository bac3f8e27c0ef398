// SPDX-License-Identifier: Apache-2.0
// What lies next to a file, as far as the folder can be read. Local.
#pragma once

#include <string>
#include <vector>

namespace weir::verify {

// What a run writes, or an ended one has left, of it and of its parts before their first commits: .NAME.TOKEN.weir,
// .NAME.0000.weir and the like. Ascending.
std::vector<std::string> unfinished(const std::string& path);

// Its parts that were written after it.
std::vector<std::string> newer_parts(const std::string& path);

}  // namespace weir::verify
