// SPDX-License-Identifier: Apache-2.0
// A file beside its marker (commit/done_marker.hpp): whether it has what the marker tells of, and a marker for a file
// of any tool. Local.
#pragma once

#include <optional>
#include <string>

namespace weir::verify {

struct MarkerVerdict {
  bool agrees;
  std::string sentence;
};

// Reads the whole file and compares it with its marker; nullopt if it has none.
// Throws Error: WEIR_EIO, WEIR_EFORMAT.
std::optional<MarkerVerdict> compare_with_marker(const std::string& path);

// Reads the whole file and writes its marker, which replaces an older one. The file is on stable storage before.
// Returns a sentence about it.
// Throws Error: WEIR_EIO, WEIR_EFORMAT.
std::string make_marker(const std::string& path);

}  // namespace weir::verify
