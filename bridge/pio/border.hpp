// SPDX-License-Identifier: Apache-2.0
// The border between PIO's callers and Weir (core/border.hpp). What fails there returns a code, or ends the program, as
// PIO's error handling has it.
#pragma once

#include <memory>

#include "core/border.hpp"
#include "pio/systems.hpp"

namespace weir::bridge {

// That of a file of an I/O system.
class PioBorder : public Border {
 public:
  explicit PioBorder(std::shared_ptr<System> system) noexcept : Border(*system->group), system_(std::move(system)) {}

  // PIO's error handling of this file alone. Local.
  void set_error_method(int method) noexcept { error_method_ = method; }

 protected:
  int end_with(int code) const noexcept override;

  std::shared_ptr<System> system_;

 private:
  int error_method_ = 0;  // 0: the system's
};

// A call on a file, by PIO's number, or one that makes or opens a file of an I/O system. Within PIO's own calls, and
// where the number is none of the bridge's, `body` is all there is to it. As collective as that.
int at_file(int file, LibraryCall body) noexcept;
int at_system(int system, LibraryCall body) noexcept;

}  // namespace weir::bridge
