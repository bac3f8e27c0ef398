// SPDX-License-Identifier: Apache-2.0
// Objects that stand one after another and never move, as many as are said at first: of tens of thousands of ranks, in
// large pages where there are any to be had. Local.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "base/pages.hpp"

namespace weir::simulate {

template <class Object>
class Row {
 public:
  explicit Row(std::size_t most) : memory_(allocate_large(most * sizeof(Object))) {}
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;
  ~Row() {
    while (count_ > 0) std::destroy_at(begin() + --count_);
  }

  template <class... Arguments>
  void add(Arguments&&... arguments) {
    std::construct_at(begin() + count_, std::forward<Arguments>(arguments)...);
    ++count_;
  }
  Object& operator[](std::size_t number) noexcept { return begin()[number]; }
  const Object& operator[](std::size_t number) const noexcept { return begin()[number]; }

 private:
  Object* begin() const noexcept { return std::launder(reinterpret_cast<Object*>(memory_.get())); }

  LargeMemory memory_;
  std::size_t count_ = 0;
};

}  // namespace weir::simulate
