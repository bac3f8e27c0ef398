// SPDX-License-Identifier: Apache-2.0
#include "jacobi.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir::bench {

Jacobi::Jacobi(const Extents& block, bool first, float value)
    : block_(block), stride_{(block[1] + 2) * (block[2] + 2), block[2] + 2, 1} {
  now_.assign((block[0] + 2) * stride_[0], 0.0F);
  for (std::int64_t z = 1; z <= block[0]; ++z) visit_layer(0, z, [&](std::int64_t index) { now_[index] = value; });
  if (first) visit_layer(0, 0, [this](std::int64_t index) { now_[index] = 1.0F; });
  next_ = now_;
}

template <class Visit>
void Jacobi::visit_layer(int axis, std::int64_t at, Visit visit) const {
  const int outer = axis == 0 ? 1 : 0;
  const int inner = axis == 2 ? 1 : 2;
  for (std::int64_t i = 1; i <= block_[outer]; ++i) {
    for (std::int64_t j = 1; j <= block_[inner]; ++j) {
      visit(at * stride_[axis] + i * stride_[outer] + j * stride_[inner]);
    }
  }
}

void Jacobi::read_layer(Side side, std::vector<float>& values) const {
  values.clear();
  visit_layer(side.axis, side.upper ? block_[side.axis] : 1,
              [&](std::int64_t index) { values.push_back(now_[index]); });
}

void Jacobi::set_halo(Side side, const std::vector<float>& values) {
  auto value = values.begin();
  visit_layer(side.axis, side.upper ? block_[side.axis] + 1 : 0,
              [&](std::int64_t index) { now_[index] = next_[index] = *value++; });
}

void Jacobi::sweep_planes(std::int64_t count) {
  for (std::int64_t done = 0; done < count; ++done) {
    sweep_plane(plane_++);
    if (plane_ <= block_[0]) continue;
    std::swap(now_, next_);
    plane_ = 1;
  }
}

void Jacobi::sweep_plane(std::int64_t z) {
  for (std::int64_t y = 1; y <= block_[1]; ++y) {
    const float* now = now_.data() + z * stride_[0] + y * stride_[1];
    float* next = next_.data() + z * stride_[0] + y * stride_[1];
    for (std::int64_t x = 1; x <= block_[2]; ++x) {
      next[x] = (now[x - stride_[0]] + now[x + stride_[0]] + now[x - stride_[1]] + now[x + stride_[1]] + now[x - 1] +
                 now[x + 1]) /
                6.0F;
    }
  }
}

float Jacobi::change() const {
  float change = 0.0F;
  for (std::int64_t z = 1; z <= block_[0]; ++z) {
    visit_layer(0, z, [&](std::int64_t index) { change = std::max(change, std::abs(now_[index] - next_[index])); });
  }
  return change;
}

}  // namespace weir::bench
