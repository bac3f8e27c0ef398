// SPDX-License-Identifier: Apache-2.0
#include "schema/storage.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/spelling.hpp"
#include "schema/schema.hpp"

namespace weir {

namespace {

constexpr std::int64_t default_chunk_bytes = 1 << 20;
constexpr std::int64_t most_chunk_bytes = std::numeric_limits<std::uint32_t>::max();  // HDF5's
constexpr int most_deflate_level = 9;
constexpr int least_zstd_level = -131072, most_zstd_level = 22;  // netCDF's

std::string listed(std::span<const std::int64_t> lengths) {
  std::string text;
  for (const std::int64_t length : lengths) text += (text.empty() ? "" : ", ") + std::to_string(length);
  return "(" + text + ")";
}

// Into how many pieces of at most `most` a length is cut: the fewest, or up to a half more where they then are alike.
std::int64_t pieces_of(std::int64_t length, std::int64_t most) {
  const std::int64_t fewest = (length + most - 1) / most;
  for (std::int64_t pieces = fewest; pieces <= fewest + fewest / 2; ++pieces)
    if (length % pieces == 0) return pieces;
  return fewest;
}

}  // namespace

std::vector<std::int64_t> default_chunk(std::span<const std::int64_t> shape, int element_bytes) {
  std::vector<std::int64_t> chunk(shape.size(), 1);
  std::int64_t bytes = element_bytes;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const std::int64_t most = std::max<std::int64_t>(1, default_chunk_bytes / bytes);
    const std::int64_t pieces = pieces_of(shape[d], most);
    chunk[d] = (shape[d] + pieces - 1) / pieces;
    bytes *= chunk[d];
    if (pieces > 1) break;
  }
  return chunk;
}

Storage& Schema::storage_of(int var, const char* what) {
  const Variable& known = variable(var);
  require(!known.dims.empty(), WEIR_EARGUMENT,
          "variable " + in_quotes(known.name) + " is a scalar: it has no " + what + "; leave the call out");
  return variables_[static_cast<std::size_t>(var)].storage;
}

void Schema::set_chunk(int var, std::span<const std::int64_t> chunk) {
  Storage& storage = storage_of(var, "chunks");
  const Variable& known = variable(var);
  const std::string whose = "the chunk " + listed(chunk) + " of variable " + in_quotes(known.name);
  if (chunk.empty()) return storage.chunk.clear();
  require(chunk.size() == known.dims.size(), WEIR_EARGUMENT,
          whose + " has " + std::to_string(chunk.size()) + " lengths; give one for each of its " +
              std::to_string(known.dims.size()) + " dimensions");
  std::int64_t bytes = type_bytes(known.type);
  for (std::size_t d = 0; d < chunk.size(); ++d) {
    const Dimension& dimension = dimensions_[static_cast<std::size_t>(known.dims[d])];
    const std::string along = " along " + in_quotes(dimension.name);
    require(chunk[d] >= 1, WEIR_EARGUMENT,
            whose + " has the length " + std::to_string(chunk[d]) + along + "; give 1 or more");
    require(dimension.length == 0 || chunk[d] <= dimension.length, WEIR_EARGUMENT,
            whose + " is longer than its dimension" + along + ", which has " + std::to_string(dimension.length));
    require(dimension.length > 0 || chunk[d] == 1, WEIR_EARGUMENT,
            whose + " holds several records" + along + "; give 1 there: Weir writes a record when it is put");
    require(!__builtin_mul_overflow(bytes, chunk[d], &bytes) && bytes <= most_chunk_bytes, WEIR_EARGUMENT,
            whose + " has 4 GiB or more, which HDF5 does not take; make it smaller");
  }
  storage.chunk.assign(chunk.begin(), chunk.end());
}

void Schema::set_shuffle(int var, bool shuffle) {
  storage_of(var, "filters").shuffle = shuffle;
}

void Schema::set_deflate(int var, std::optional<int> level) {
  Storage& storage = storage_of(var, "filters");
  require(!level || (*level >= 0 && *level <= most_deflate_level), WEIR_EARGUMENT,
          "the deflate level of variable " + in_quotes(variable(var).name) + " is " +
              std::to_string(level.value_or(0)) + "; give 0 to 9");
  storage.deflate_level = level;
}

void Schema::set_zstd(int var, std::optional<int> level) {
  Storage& storage = storage_of(var, "filters");
  require(!level || (*level >= least_zstd_level && *level <= most_zstd_level), WEIR_EARGUMENT,
          "the zstd level of variable " + in_quotes(variable(var).name) + " is " + std::to_string(level.value_or(0)) +
              "; give " + std::to_string(least_zstd_level) + " to " + std::to_string(most_zstd_level));
  storage.zstd_level = level;
}

void Schema::set_fletcher32(int var, bool fletcher32) {
  storage_of(var, "filters").fletcher32 = fletcher32;
}

std::vector<std::int64_t> Schema::chunk(int var) const {
  const Variable& known = variable(var);
  if (!known.storage.chunk.empty()) return known.storage.chunk;
  std::vector<std::int64_t> lengths = default_chunk(shape(var), type_bytes(known.type));
  if (is_record(var)) lengths.insert(lengths.begin(), 1);
  return lengths;
}

}  // namespace weir
