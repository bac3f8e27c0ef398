// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace faults {

// While it lives, this thread is held to the permissions of files, as root too, or lacks other rights of root.
class HeldToPermissions {
 public:
  static constexpr std::uint32_t reading_and_writing = (1U << CAP_DAC_OVERRIDE) | (1U << CAP_DAC_READ_SEARCH);
  static constexpr std::uint32_t giving_away = 1U << CAP_CHOWN;

  explicit HeldToPermissions(std::uint32_t rights = reading_and_writing) {
    __user_cap_data_struct less[2];
    worked_ = ::syscall(SYS_capget, &header_, before_) == 0;
    std::copy(std::begin(before_), std::end(before_), std::begin(less));
    less[0].effective &= ~rights;
    worked_ = worked_ && ::syscall(SYS_capset, &header_, less) == 0;
  }
  ~HeldToPermissions() {
    if (worked_) ::syscall(SYS_capset, &header_, before_);
  }
  HeldToPermissions(const HeldToPermissions&) = delete;
  HeldToPermissions& operator=(const HeldToPermissions&) = delete;
  bool worked() const { return worked_; }

 private:
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2] = {};
  bool worked_ = false;
};

}  // namespace faults
