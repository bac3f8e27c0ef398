// SPDX-License-Identifier: Apache-2.0
#include "write/zarr/kept_part.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/spelling.hpp"

namespace weir {

KeptPart::KeptPart(const ZarrArray& array, int element_bytes)
    : array_(array),
      element_bytes_(element_bytes),
      grid_(array.file_lengths(), array.chunk_lengths()),
      elements_(static_cast<std::size_t>(weir::elements(array.file_lengths()) * element_bytes)) {
  fill(elements_);
}

void KeptPart::fill(std::span<std::byte> elements) const {
  for (std::size_t at = 0; at < elements.size(); at += static_cast<std::size_t>(element_bytes_))
    std::copy_n(array_.fill.begin(), element_bytes_, elements.begin() + static_cast<std::ptrdiff_t>(at));
}

void KeptPart::read(const std::string& path, std::int64_t first_record, Unpacker& unpacker) {
  if (::access(path.c_str(), F_OK) != 0) return;
  const Descriptor file = open_to_read(path);
  std::vector<std::uint64_t> places = {0, static_cast<std::uint64_t>(file.bytes())};
  if (array_.indexed) {
    ShardIndex index = read_index(file, {}, grid_.chunks());
    require(index.problem.empty(), WEIR_EIO, [&] { return index.problem + "; restore it"; });
    places = std::move(index.words);
  }
  grid_.visit(0, weir::elements(grid_.shape()), [&](const Chunk& chunk) {
    const auto place = std::span<const std::uint64_t>(places).subspan(2 * static_cast<std::size_t>(chunk.number), 2);
    if (place[0] != ShardIndex::no_chunk) read_chunk(file, chunk, place, unpacker);
  });
  const std::int64_t committed = array_.length - first_record;
  if (!array_.record || committed >= array_.records) return;
  const std::int64_t bytes = std::ssize(elements_) / array_.records;
  fill(std::span(elements_).subspan(static_cast<std::size_t>(std::max<std::int64_t>(0, committed) * bytes)));
}

void KeptPart::read_chunk(const Descriptor& file, const Chunk& chunk, std::span<const std::uint64_t> place,
                          Unpacker& unpacker) {
  std::vector<std::byte> packed(place[1]);
  file.read(packed.data(), std::ssize(packed), static_cast<std::int64_t>(place[0]));
  StoredArray form;
  form.filters = array_.codecs;
  form.little_endian = array_.little_endian;
  std::vector<std::byte> values(static_cast<std::size_t>(grid_.chunk_elements() * element_bytes_));
  const std::string problem = unpacker.unpack(packed, form, 0, element_bytes_, values);
  require(problem.empty(), WEIR_EFORMAT,
          [&] { return in_quotes(file.path()) + " is damaged: a chunk of it " + problem + "; restore it"; });
  spread(chunk, values);
}

// Row by row to where they lie among the file's elements. A file holds whole chunks.
void KeptPart::spread(const Chunk& chunk, std::span<const std::byte> values) {
  const std::vector<std::int64_t> in_file = strides(grid_.shape());
  const std::size_t last = grid_.shape().size() - 1;
  const std::int64_t row = grid_.chunk()[last] * element_bytes_;
  Shape index = chunk.lo;
  for (std::int64_t at = 0; at < std::ssize(values); at += row) {
    std::copy_n(values.begin() + at, row, elements_.begin() + offset(index, in_file) * element_bytes_);
    for (std::size_t d = last; d-- > 0;) {
      if (++index[d] < chunk.hi[d]) break;
      index[d] = chunk.lo[d];
    }
  }
}

std::vector<std::byte> KeptPart::packed(Packer& packer) {
  PackedBatch batch;
  std::vector<std::uint64_t> index;
  const Packer::Source source{
      elements_.data(), 0, element_bytes_, array_.fill, array_.codecs, array_.little_endian && element_bytes_ > 1};
  grid_.visit(0, weir::elements(grid_.shape()), [&](const Chunk& chunk) {
    const std::int64_t begin = batch.bytes();
    require(packer.pack(grid_, chunk, source, batch) == 0, WEIR_EMEMORY,
            "a chunk could not be compressed: no memory is left");
    index.push_back(static_cast<std::uint64_t>(begin));
    index.push_back(static_cast<std::uint64_t>(batch.bytes() - begin));
  });
  std::vector<std::byte> bytes;
  for (const Extent& extent : batch.extents(0)) bytes.insert(bytes.end(), extent.data, extent.data + extent.bytes);
  if (!array_.indexed) return bytes;
  const std::vector<std::byte> end = pack_index(index);
  bytes.insert(bytes.end(), end.begin(), end.end());
  return bytes;
}

}  // namespace weir
