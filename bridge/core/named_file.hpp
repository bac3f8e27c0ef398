// SPDX-License-Identifier: Apache-2.0
// A file that the underlying library has just created or opened, as this rank finds it under its name. The library
// keeps its file even if the name is given to another one; Weir, which opens the file by its name, must check. Local,
// all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/descriptor.hpp"

namespace weir::bridge {

// By which it is found when the working directory is another one; the name itself where the directory is gone.
std::string absolute_path(const std::string& name);

class NamedFile {
 public:
  explicit NamedFile(const std::string& path);

  // Whether the name still is this file's.
  bool still_named() const noexcept;
  // Reads bytes as one finds them who opens the file now. Throws Error where it does not have so many.
  void read(std::int64_t from, std::span<std::byte> bytes) const;
  // Gives it at least so many bytes, the new ones zeros. It stays as it is where that cannot be.
  void lengthen(std::int64_t bytes) noexcept;
  // Takes back what lengthen() gave from byte `end` on, where nothing but zeros is there yet.
  void shorten(std::int64_t end) noexcept;

 private:
  bool holds_zeros(std::int64_t from, std::int64_t to) const noexcept;

  Descriptor file_;
  std::int64_t before_ = 0, given_ = 0;  // its bytes before and after lengthen(); given_ 0: not lengthened
};

}  // namespace weir::bridge
