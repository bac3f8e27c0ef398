// SPDX-License-Identifier: Apache-2.0
// How a file becomes visible: it is written under a name of its own beside the final one and renamed at its first
// commit; the record count in its header rises only after the records are on stable storage (contract 3). Local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/error.hpp"
#include "write/definition.hpp"

namespace weir {

struct VisibleFile {
  std::string path;          // the final name
  std::string written_path;  // the name it has now; equal to path once it is visible
  Durability durability = Durability::storage;
};

// "/data/.history.nc.weir" for "/data/history.nc": of a file that one rank alone opens.
std::string partial_name(const std::string& path);

// "/data/.history.nc.0123abcd.weir": of a file that ranks of several hosts open. Each has a name of its own, since
// a host that remembers a name for a while would open the file that had it before.
std::string partial_name(const std::string& path, std::uint32_t token);

// What killed runs have left of a file under names of the second kind, as far as the folder can be read.
std::vector<std::string> leftovers(const std::string& path) noexcept;
// Removes it, as far as that can be.
void remove_leftovers(const std::string& path) noexcept;

// Gives the file the length and the count of `records` records, then its final name.
Status show(VisibleFile& file, const Geometry& geometry, std::int64_t records);

}  // namespace weir
