// SPDX-License-Identifier: Apache-2.0
// A field on this rank's block, with a layer of its neighbours' around it, and the sweep that replaces each element by
// the mean of its six neighbours. Beyond the domain the field is 1 before the first plane of the slowest axis, and 0
// elsewhere. Local.
#pragma once

#include <vector>

#include "workload.hpp"

namespace weir::bench {

// One side of a block: an axis, and its lower or upper end.
struct Side {
  int axis;
  bool upper;
};

class Jacobi {
 public:
  // `block` has three extents, slowest first; `first` where the domain begins here on the slowest axis. Each element of
  // the block begins with `value`.
  Jacobi(const Extents& block, bool first, float value = 0.0F);

  // The outermost own layer at a side, to be sent to the neighbour there.
  void read_layer(Side side, std::vector<float>& values) const;
  // The neighbour's layer, which lies beyond that side.
  void set_halo(Side side, const std::vector<float>& values);
  void sweep() { sweep_planes(block_[0]); }
  // A part of a sweep: so many planes of the slowest axis, from where the last call ended. The sweep is over with the
  // last plane, and the next one begins.
  void sweep_planes(std::int64_t count);
  // The largest change of an element in the last sweep.
  [[nodiscard]] float change() const;

 private:
  // Calls visit(index) for the elements of layer `at` of an axis, counted with the surroundings.
  template <class Visit>
  void visit_layer(int axis, std::int64_t at, Visit visit) const;
  void sweep_plane(std::int64_t z);

  Extents block_;
  Extents stride_;                 // of the block with its surroundings
  std::vector<float> now_, next_;  // after a sweep, next_ is what was before it
  std::int64_t plane_ = 1;         // the next one to be swept
};

}  // namespace weir::bench
