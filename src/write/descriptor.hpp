// SPDX-License-Identifier: Apache-2.0
// An open file descriptor, closed at the end of its scope.
#pragma once

#include <unistd.h>

namespace weir {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const noexcept { return number_; }
  // Network file systems tell some errors of writing only here.
  bool close() noexcept {
    const int number = number_;
    number_ = none_;
    return number == none_ || ::close(number) == 0;
  }

 private:
  static constexpr int none_ = -1;

  int number_;
};

}  // namespace weir
