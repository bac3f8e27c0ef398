// SPDX-License-Identifier: Apache-2.0
// The marker beside a finished file, NAME.done: what the file has, with a sum of each variable
// (formats/field_sums.hpp), for workflows that must know when a file is complete, and for weir-verify.
// docs/reliability.md is for users. Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/error.hpp"

namespace weir {

struct DoneMarker {
  // The coordinate variable of the records.
  struct Times {
    std::string variable, units;  // units: "" if it has none
    double first = 0, last = 0;
    bool operator==(const Times&) const = default;
  };
  struct Field {
    std::string name, type;
    std::vector<std::int64_t> shape;   // with the records
    std::optional<std::uint64_t> sum;  // nullopt: this Weir cannot read the variable
    bool operator==(const Field&) const = default;
  };
  // What is on storage: a file, or all files of a folder.
  struct Size {
    std::int64_t bytes = 0, files = 1;
    bool operator==(const Size&) const = default;
  };

  std::string file;    // its name, without folders
  std::string format;  // CDF-1, CDF-2, CDF-5, netCDF-4, Zarr
  std::string weir;    // the version that made the marker
  std::int64_t records = 0;
  std::optional<Times> times;
  Size size;
  std::vector<Field> fields;
  std::vector<std::string> left_out;  // variables that Weir does not support
};

// Returns "/data/history.nc.done" for "/data/history.nc".
std::string marker_name(const std::string& path);

// Returns the marker as JSON.
std::string to_text(const DoneMarker& marker);

// Returns the marker of the file; nullopt if there is none, or another program has made what has its name.
// Errors: WEIR_EIO if it cannot be read; WEIR_EFORMAT if it is damaged, or of a newer Weir.
std::optional<DoneMarker> read_marker(const std::string& path);

// Writes the marker under a temporary name and renames it, so that it is there whole or not at all. With durability
// storage both the text and the name are on stable storage afterwards.
Status write_marker(const std::string& path, const DoneMarker& marker, Durability durability);

// Which file of the marker's name is removed: one that Weir has made, or any.
enum class MarkerOf { weir, anybody };
// Removes the marker of the file, if there is one, and what a killed run has left of it. The name is gone on stable
// storage.
Status remove_marker(const std::string& path, MarkerOf whose);

// Returns what a file or folder takes.
// Errors: WEIR_EIO.
DoneMarker::Size size_of(const std::string& path);

}  // namespace weir
