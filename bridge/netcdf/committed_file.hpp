// SPDX-License-Identifier: Apache-2.0
// The file as it was last committed: netCDF gets from it, under a number of its own. Local.
#pragma once

#include <cstddef>
#include <string>

#include "core/named_file.hpp"
#include "core/record_pieces.hpp"

namespace weir::bridge {

class CommittedFile {
 public:
  // given: as the program calls it.
  explicit CommittedFile(std::string given);

  // Absolute: the working directory may change before Weir makes the file.
  const std::string& path() const noexcept { return path_; }

  // What was put and defined is in it.
  void commit() noexcept { committed_ = true, changed_ = false; }
  // Something was put, or defined, that is not.
  void change() noexcept { changed_ = true; }
  // Whether all is in it.
  bool holds_all() const noexcept { return committed_ && !changed_; }

  // netCDF's number of it, which opens it where it is not open; its code.
  int open(int& number);
  // Before Weir writes it.
  void close() noexcept;
  // What it has of a record, of a variable with records or without: it is opened anew, since it is being written.
  // Throws Error.
  void read_back(const RecordPieces::Where& where, bool is_record, IndexView start, IndexView count,
                 std::byte* values) const;

 private:
  std::string given_, path_;
  bool committed_ = false, changed_ = false;
  int number_ = -1;
};

}  // namespace weir::bridge
