// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/chunk_map.hpp"

#include <algorithm>
#include <utility>

#include "formats/chunked/packed_file.hpp"

namespace weir {

namespace {

Shape without_records(const Shape& lengths, bool record) {
  Shape rest(lengths.begin() + (record ? 1 : 0), lengths.end());
  return rest.empty() ? Shape{1} : rest;
}

}  // namespace

Granule granule_of(const StoredArray& array, const Shape& shape, bool record) {
  if (array.chunk.empty() || elements(shape) == 0) return {};
  return granule_of(ChunkGrid(shape, without_records(array.chunk, record)), array.filters);
}

ChunkMap::ChunkMap(const StoredArray& array, Shape shape, bool record)
    : shape_(shape.empty() ? Shape{1} : std::move(shape)),
      chunk_(without_records(array.chunk, record)),
      lengths_(without_records(array.lengths, record)),
      strides_(strides(shape_)),
      chunk_strides_(strides(chunk_)),
      record_(record) {
  for (std::size_t d = 0; d < chunk_.size(); ++d) {
    grid_.push_back((lengths_[d] + chunk_[d] - 1) / chunk_[d]);
    chunks_per_row_ *= grid_[d];
  }
  if (!record_) return;
  records_ = array.lengths[0];
  records_per_chunk_ = array.chunk[0];
}

bool ChunkMap::falls_short(std::int64_t record) const noexcept {
  return (record_ && record >= records_) || lengths_ != shape_;
}

void ChunkMap::find(std::int64_t record, std::int64_t first, std::int64_t last,
                    std::vector<std::int64_t>& numbers) const {
  if (record_ && record >= records_) return;
  const std::int64_t before = record / records_per_chunk_ * chunks_per_row_;
  const std::vector<std::int64_t> steps = strides(grid_);
  BoxList boxes(static_cast<int>(shape_.size()));
  range_boxes(shape_, first, last, boxes);
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    Shape lo(shape_.size()), hi(shape_.size());
    bool any = true;
    for (std::size_t d = 0; d < lo.size(); ++d) {
      lo[d] = boxes[b].lo[d] / chunk_[d];
      hi[d] = std::min((boxes[b].hi[d] + chunk_[d] - 1) / chunk_[d], grid_[d]);
      any = any && lo[d] < hi[d];
    }
    if (any) each_index(lo, hi, [&](const Shape& index) { numbers.push_back(before + offset(index, steps)); });
  }
}

ChunkMap::Part ChunkMap::part(std::int64_t number, std::int64_t record) const {
  Part part{Shape(grid_.size()), Shape(grid_.size()), 0};
  std::int64_t left = number % chunks_per_row_;
  for (std::size_t d = grid_.size(); d-- > 0; left /= grid_[d]) {
    part.lo[d] = left % grid_[d] * chunk_[d];
    part.hi[d] = std::min(part.lo[d] + chunk_[d], lengths_[d]);
  }
  part.in_chunk = (record_ ? record % records_per_chunk_ : 0) * elements(chunk_);
  return part;
}

// From this dimension on elements follow each other in the record and in the chunk.
std::size_t ChunkMap::first_shared(const Part& part) const {
  std::size_t inner = shape_.size() - 1;
  while (inner > 0 && chunk_[inner] == shape_[inner] && part.hi[inner] - part.lo[inner] == shape_[inner]) --inner;
  return inner;
}

std::vector<ChunkMap::Row> ChunkMap::rows(const Part& part) const {
  const std::size_t inner = first_shared(part);
  const std::int64_t count = (part.hi[inner] - part.lo[inner]) * strides_[inner];
  Shape end = part.hi;
  for (std::size_t d = inner; d < end.size(); ++d) end[d] = part.lo[d] + 1;
  std::vector<Row> rows;
  each_index(part.lo, end, [&](const Shape& index) {
    std::int64_t in_chunk = part.in_chunk;
    for (std::size_t d = 0; d < index.size(); ++d) in_chunk += (index[d] - part.lo[d]) * chunk_strides_[d];
    rows.push_back({offset(index, strides_), in_chunk, count});
  });
  return rows;
}

bool ChunkMap::is_one_row(const Part& part) const {
  if (Box{part.lo, part.hi}.volume() != chunk_elements()) return false;
  const std::size_t inner = first_shared(part);
  for (std::size_t d = 0; d < inner; ++d)
    if (part.hi[d] - part.lo[d] > 1) return false;
  return true;
}

}  // namespace weir
