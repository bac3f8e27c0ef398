// SPDX-License-Identifier: Apache-2.0
// Maps elements of a record to the chunks of a stored array. Elements are counted in the variable's shape without
// records. A chunk may have several records, and the array may be shorter in the file than the variable: elements
// beyond it are in no chunk. Pure, Local.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "formats/stored_array.hpp"
#include "plan/chunk_grid.hpp"

namespace weir {

// Calls use(index) for each index of the box [lo, hi), the last dimension fastest.
// Requires: the box is not empty.
template <class Use>
void each_index(IndexView lo, IndexView hi, Use use) {
  Shape index(lo.begin(), lo.end());
  for (;;) {
    use(index);
    std::size_t d = index.size();
    for (; d > 0; --d) {
      if (++index[d - 1] < hi[d - 1]) break;
      index[d - 1] = lo[d - 1];
    }
    if (d == 0) return;
  }
}

// Returns where tiles of a stored array are cut, so that each chunk is in one of them; none for an array in one piece.
Granule granule_of(const StoredArray& array, const Shape& shape, bool record);

class ChunkMap {
 public:
  // Elements that are neighbours in a record and in a chunk.
  struct Row {
    std::int64_t element, in_chunk, count;
  };
  // The part of a record in a chunk.
  struct Part {
    Shape lo, hi;           // of the variable's shape
    std::int64_t in_chunk;  // position of its element `lo` in the chunk
  };

  // `array` is in chunks. `shape` and `record` are the variable's.
  ChunkMap(const StoredArray& array, Shape shape, bool record);

  // Elements of a chunk, with all its records and those beyond the edges.
  std::int64_t chunk_elements() const noexcept { return records_per_chunk_ * elements(chunk_); }
  // Whether a record has elements that are in no chunk.
  bool falls_short(std::int64_t record) const noexcept;
  // Adds the numbers of the chunks of elements [first, last) of a record; some may come twice.
  void find(std::int64_t record, std::int64_t first, std::int64_t last, std::vector<std::int64_t>& numbers) const;
  // Returns by how much the chunk numbers of the next record are larger; 0 if they are the same, or there is none.
  std::int64_t next_row(std::int64_t record) const noexcept {
    const bool other = record_ && record + 1 < records_ && (record + 1) % records_per_chunk_ == 0;
    return other ? chunks_per_row_ : 0;
  }
  Part part(std::int64_t number, std::int64_t record) const;
  // Returns its rows, ascending.
  std::vector<Row> rows(const Part& part) const;
  // Whether the chunk has this part and nothing else, in the order of the record: its first row is all of it.
  bool is_one_row(const Part& part) const;

 private:
  std::size_t first_shared(const Part& part) const;

  Shape shape_, chunk_, lengths_, grid_;  // without records; grid_: chunks along each dimension
  std::vector<std::int64_t> strides_, chunk_strides_;
  bool record_;
  std::int64_t records_ = 1, records_per_chunk_ = 1;  // in the file
  std::int64_t chunks_per_row_ = 1;                   // that hold the same records
};

}  // namespace weir
