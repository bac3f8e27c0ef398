// SPDX-License-Identifier: Apache-2.0
#include "schema/storage.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
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

void check_chunk(std::span<const std::int64_t> chunk, const Variable& variable, std::span<const Dimension> dimensions) {
  const std::string whose = formatted("the chunk {} of variable \"{}\"", listed(chunk), variable.name);
  require(chunk.size() == variable.dims.size(), WEIR_EARGUMENT,
          "{} has {} lengths; give one for each of its {} dimensions", whose, chunk.size(), variable.dims.size());
  std::int64_t bytes = type_bytes(variable.type);
  for (std::size_t d = 0; d < chunk.size(); ++d) {
    const Dimension& dimension = dimensions[static_cast<std::size_t>(variable.dims[d])];
    const std::string along = formatted(" along \"{}\"", dimension.name);
    require(chunk[d] >= 1, WEIR_EARGUMENT, "{} has the length {}{}; give 1 or more", whose, chunk[d], along);
    require(dimension.length == 0 || chunk[d] <= dimension.length, WEIR_EARGUMENT,
            "{} is longer than its dimension{}, which has {}", whose, along, dimension.length);
    require(!__builtin_mul_overflow(bytes, chunk[d], &bytes) && bytes <= most_chunk_bytes, WEIR_EARGUMENT,
            "{} has 4 GiB or more, which HDF5 does not take; make it smaller", whose);
  }
}

struct Range {
  int least, most;
};

void check_level(const char* filter, const Variable& variable, std::optional<int> level, Range range) {
  if (level && (*level < range.least || *level > range.most))
    throw Error(WEIR_EARGUMENT, "the {} level of variable \"{}\" is {}; give {} to {}", filter, variable.name, *level,
                range.least, range.most);
}

void check_quantization(const Quantization& quantization, const Variable& variable) {
  require(variable.type == WEIR_FLOAT || variable.type == WEIR_DOUBLE, WEIR_EARGUMENT,
          "variable \"{}\" has type {}, and only float and double can be quantized; leave the call out", variable.name,
          type_name(variable.type));
  const bool bits = quantization.kind == QuantizeKind::bit_round;
  const int most = variable.type == WEIR_FLOAT ? (bits ? 23 : 7) : (bits ? 52 : 15);
  require(quantization.digits >= 1 && quantization.digits <= most, WEIR_EARGUMENT,
          "variable \"{}\" cannot keep {} significant {}; give 1 to {}", variable.name, quantization.digits,
          bits ? "bits" : "digits", most);
}

}  // namespace

namespace {

std::vector<std::int64_t> chunk_of(std::span<const std::int64_t> shape, std::int64_t element_bytes) {
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

}  // namespace

std::vector<std::int64_t> default_chunk(std::span<const std::int64_t> shape, int element_bytes) {
  return chunk_of(shape, element_bytes);
}

std::vector<std::int64_t> default_chunk(std::span<const std::int64_t> shape, int element_bytes, std::int64_t records) {
  std::vector<std::int64_t> chunk = chunk_of(shape, element_bytes * records);
  chunk.insert(chunk.begin(), records);
  return chunk;
}

void Schema::set_storage(int var, Storage storage) {
  const Variable& known = variable(var);
  require(!known.dims.empty(), WEIR_EARGUMENT,
          "variable \"{}\" is a scalar: it has no chunks, filters or quantization; leave the call out", known.name);
  if (!storage.chunk.empty()) check_chunk(storage.chunk, known, dimensions_);
  check_level("deflate", known, storage.deflate_level, {0, most_deflate_level});
  check_level("zstd", known, storage.zstd_level, {least_zstd_level, most_zstd_level});
  if (storage.quantization) check_quantization(*storage.quantization, known);
  variables_[static_cast<std::size_t>(var)].storage = std::move(storage);
}

std::vector<std::int64_t> Schema::chunk(int var) const {
  const Variable& known = variable(var);
  if (!known.storage.chunk.empty()) return known.storage.chunk;
  if (is_record(var)) return default_chunk(shape(var), type_bytes(known.type), 1);
  return default_chunk(shape(var), type_bytes(known.type));
}

}  // namespace weir
