// SPDX-License-Identifier: Apache-2.0
// Layouts of weir.hpp: what one rank holds of an array, as an owner of weir.h's number. Included by weir.hpp.
#ifndef WEIR_LAYOUT_HPP
#define WEIR_LAYOUT_HPP

#include <weir/weir.h>

#include <memory>
#include <utility>
#include <vector>

namespace weir::io {

// Shapes, starts and counts: a number a dimension, slowest first.
using Indices = std::vector<std::int64_t>;

struct Box {
  Indices start, count;
};

// What files and layouts know of their Weir: nullptr once it has ended.
struct Running {
  weir_t* weir = nullptr;
  bool ended() const noexcept {
    int finalized = 0;
    MPI_Finalized(&finalized);
    return weir == nullptr || finalized != 0;
  }
};

// What one rank holds of an array: made by Weir::def_layout*.
class Layout {
 public:
  Layout() = default;
  Layout(Layout&& other) noexcept { swap(other); }
  Layout& operator=(Layout&& other) noexcept {
    Layout(std::move(other)).swap(*this);
    return *this;
  }
  ~Layout() {
    if (number_ >= 0 && !running_->ended()) weir_free_layout(running_->weir, number_);
  }

  // weir.h's number of it; -1: none.
  int number() const noexcept { return number_; }
  // Elements of a buffer for it on this rank.
  std::int64_t buffer_length() const noexcept { return length_; }

 private:
  friend class Weir;
  Layout(std::shared_ptr<Running> running, int number, std::int64_t length)
      : running_(std::move(running)), number_(number), length_(length) {}
  void swap(Layout& other) noexcept {
    running_.swap(other.running_);
    std::swap(number_, other.number_);
    std::swap(length_, other.length_);
  }

  std::shared_ptr<Running> running_;
  int number_ = -1;
  std::int64_t length_ = 0;
};

}  // namespace weir::io

#endif
