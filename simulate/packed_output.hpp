// SPDX-License-Identifier: Apache-2.0
// A simulated file of packed chunks. A writer packs some MiB of its tile, which takes a core for a while, writes what
// is left of them, and goes on: into the one file, end to end, as the library's writers take their places by
// themselves (netCDF-4); or into files of its own (Zarr). What rank 0 does for it at the end is asked for here.
//
// A core is for one at a time. Of a node with as many ranks as cores each rank has its own, which its thread shares
// with its model; of one with fewer cores all who pack and compute share them alike, and what packs takes so much
// longer, as what computes does (Model). Ranks that wait take none.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/packing.hpp"
#include "simulate/script.hpp"

namespace weir::simulate {

class Job;

class PackedOutput {
 public:
  PackedOutput(Job& job, const Packing& packing);

  // The rank writes one tile of a cycle.
  void write(int rank, int cycle, const Entry& entry, const TileCost& tile);
  // What rank 0 needs for the file's tables once all is written, by chunk and by variable.
  double create_seconds() const noexcept { return packing_.create_seconds(variables_); }
  double enter_seconds() const noexcept;
  double commit_seconds() const noexcept { return packing_.commit_seconds(variables_); }

 private:
  void take_core(int rank, double seconds);
  double slower(int rank, double seconds);
  std::int64_t files_of(const Entry& entry, const TileCost& tile) const noexcept;

  Job& job_;
  const Packing& packing_;
  std::int64_t variables_;
  std::int64_t chunks_ = 0, files_ = 0;
  std::int64_t end_ = 0;         // of the file, so far
  std::vector<int> packing_on_;  // ranks, by node
};

}  // namespace weir::simulate
