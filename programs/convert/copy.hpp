// SPDX-License-Identifier: Apache-2.0
// Copies the values of one variable from file to file, in boxes that are even over the ranks and bounded in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>
#include <weir/weir.hpp>

namespace weir::convert {

struct Ranks {
  int rank, size;
};

class Copier {
 public:
  // most_bytes: what a rank holds of values at a time, where one record of a variable over all ranks is not more.
  // cut: a record that is larger is copied in pieces. Formats with chunks want a record at once.
  Copier(const io::File& in, io::File& out, Ranks ranks, std::int64_t most_bytes, bool cut)
      : in_(in), out_(out), ranks_(ranks), most_bytes_(most_bytes), cut_(cut) {}

  // Values of a variable: of all records, or whole. Both files know it by the same number. Collective.
  void copy(int var);

 private:
  struct Box {
    std::vector<std::int64_t> start, count;
  };
  void copy_records(int var, weir_type type, const Box& whole, bool is_record);
  void copy_pieces(int var, weir_type type, const Box& box, std::size_t first);
  void copy_box(int var, weir_type type, Box box, std::size_t first);

  const io::File& in_;
  io::File& out_;
  Ranks ranks_;
  std::int64_t most_bytes_;
  bool cut_;
  std::vector<std::byte> values_;
};

}  // namespace weir::convert
