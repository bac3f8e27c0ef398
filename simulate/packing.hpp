// SPDX-License-Identifier: Apache-2.0
// What becomes of a run's variables in a format that packs chunks (netCDF-4, Zarr), by the library's own rules
// (plan/chunk_grid.hpp, plan/chunk_grid.hpp), and what that takes on a machine, as its profile says or the run is
// told. Pure, Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/config.hpp"
#include "plan/chunk_grid.hpp"
#include "plan/roles.hpp"
#include "simulate/profile.hpp"

namespace weir::simulate {

// What a run is told of packing instead of what the profile says; 0: as the profile says.
struct PackingAsked {
  double ratio = 0;  // bytes put for each that is stored
  double rate = 0;   // bytes that a thread compresses in a second of a core's
};

struct PackedVariable {
  Granule granule;    // where its tiles are cut; none where it is kept
  bool kept = false;  // by rank 0 until the commit
  bool compressed = false;
  std::int64_t chunk_bytes = 0;  // of a whole chunk
};

class Packing {
 public:
  // Throws Error(WEIR_ECONFIG) where neither the profile nor the run says how fast this machine compresses, or how
  // much.
  Packing(const Profile& profile, const Config& config, const PackingAsked& asked);
  static bool packs(const Config& config) noexcept { return config.format != FormatKind::automatic; }

  bool zarr() const noexcept { return config_.format == FormatKind::zarr; }
  PackedVariable variable(const Shape& shape, int element_bytes, bool record, const Roles& roles) const;

  // Seconds of a core for so many bytes that are put, and what is stored of them.
  double seconds(const PackedVariable& variable, std::int64_t bytes) const noexcept {
    return static_cast<double>(bytes) * (variable.compressed ? compressing_ : plain_);
  }
  std::int64_t stored(const PackedVariable& variable, std::int64_t bytes) const noexcept {
    return variable.compressed ? static_cast<std::int64_t>(static_cast<double>(bytes) / ratio_ + 0.5) : bytes;
  }

  // Of rank 0, and of who writes a file.
  double create_seconds(std::int64_t variables) const noexcept {
    return cost_.create.value + static_cast<double>(variables) * cost_.create_variable.value;
  }
  double commit_seconds(std::int64_t variables) const noexcept {
    return cost_.commit.value + static_cast<double>(variables) * cost_.commit_variable.value;
  }
  double piece_seconds() const noexcept { return cost_.piece.value; }

 private:
  const Config& config_;
  double plain_ = 0, compressing_ = 0;  // seconds a byte
  double ratio_ = 1;
  FormatCost cost_;
};

}  // namespace weir::simulate
