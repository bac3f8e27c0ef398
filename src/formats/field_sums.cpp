// SPDX-License-Identifier: Apache-2.0
#include "formats/field_sums.hpp"

#include <weir/weir.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/text.hpp"
#include "formats/chunked/chunk_map.hpp"
#include "formats/definition.hpp"
#include "rearrange/byteswap.hpp"
#include "rearrange/convert.hpp"
#include "rearrange/copy.hpp"

namespace weir {

namespace {

constexpr std::int64_t block_elements = 1 << 18;
constexpr std::int64_t bytes_at_a_time = 16 << 20;

// The finalizer of splitmix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"): each
// value of 64 bits has an image of its own.
constexpr std::uint64_t mixed(std::uint64_t bits) noexcept {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return bits ^ (bits >> 31);
}

constexpr std::uint64_t step = 0x9e3779b97f4a7c15ULL;  // 2^64 over the golden ratio

template <class Bits>
std::uint64_t sum_of_bits(std::uint64_t first, const std::byte* elements, std::size_t count) noexcept {
  std::uint64_t sum = 0, place = first * step;
  for (std::size_t i = 0; i < count; ++i)
    sum += mixed(load<Bits, ByteOrder::big>(elements + i * sizeof(Bits)) + (place += step));
  return sum;
}

// With the records.
Shape whole_shape(const ReadableFile& file, int var) {
  Shape shape = file.schema.shape(var);
  if (file.schema.is_record(var)) shape.insert(shape.begin(), file.records);
  return shape;
}

Shape strides_of(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

std::string_view format_name(int format) {
  if (format == netcdf4_format) return "netCDF-4";
  if (format == zarr_format) return "Zarr";
  return format == 1 ? "CDF-1" : format == 2 ? "CDF-2" : "CDF-5";
}

}  // namespace

std::uint64_t sum_of(std::uint64_t first, std::span<const std::byte> elements, int element_bytes) noexcept {
  const std::size_t count = elements.size() / static_cast<std::size_t>(element_bytes);
  switch (element_bytes) {
    case 1:
      return sum_of_bits<std::uint8_t>(first, elements.data(), count);
    case 2:
      return sum_of_bits<std::uint16_t>(first, elements.data(), count);
    case 4:
      return sum_of_bits<std::uint32_t>(first, elements.data(), count);
    default:
      return sum_of_bits<std::uint64_t>(first, elements.data(), count);
  }
}

bool can_read(const ReadableFile& file, int var) {
  return !file.in_chunks || file.in_chunks->array(var).obstacle.empty();
}

FieldSums::FieldSums(std::shared_ptr<const ReadableFile> file, int share, int shares)
    : file_(std::move(file)), share_(share), shares_(shares), sums_(file_->schema.variables().size(), 0) {}

bool FieldSums::advance() {
  for (std::int64_t bytes = 0; bytes < bytes_at_a_time;) {
    while (next_ == end_) {
      if (var_ + 1 == std::ssize(sums_)) return false;
      enter(var_ + 1);
    }
    bytes += add(var_, next_++);
  }
  return true;
}

// Small variables, which are one block, go round.
void FieldSums::enter(int var) {
  var_ = var;
  const std::int64_t count = can_read(*file_, var) ? blocks(var) : 0, mine = (share_ + var) % shares_;
  next_ = count * mine / shares_;
  end_ = count * (mine + 1) / shares_;
}

// Along all dimensions, of what is stored in the file.
Shape FieldSums::lengths(int var) const {
  Shape shape = whole_shape(*file_, var);
  const StoredArray& array = file_->in_chunks->array(var);
  for (std::size_t d = 0; d < shape.size(); ++d) shape[d] = std::min(shape[d], array.lengths[d]);
  return shape;
}

// Runs of elements, or chunks and, as the last block, what no chunk can hold.
std::int64_t FieldSums::blocks(int var) const {
  const Shape shape = whole_shape(*file_, var);
  if (!file_->in_chunks || file_->in_chunks->array(var).chunk.empty())
    return (elements(shape) + block_elements - 1) / block_elements;
  const StoredArray& array = file_->in_chunks->array(var);
  std::int64_t chunks = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) chunks *= (array.lengths[d] + array.chunk[d] - 1) / array.chunk[d];
  return chunks + (lengths(var) != shape ? 1 : 0);
}

// Returns the bytes that were looked at.
std::int64_t FieldSums::add(int var, std::int64_t block) {
  const std::int64_t all = elements(whole_shape(*file_, var)), first = block * block_elements;
  if (!file_->in_chunks || file_->in_chunks->array(var).chunk.empty())
    return add_elements(var, first, std::min(block_elements, all - first));
  const bool is_rest = lengths(var) != whole_shape(*file_, var) && block + 1 == blocks(var);
  return is_rest ? add_missing(var) : add_chunk(var, block);
}

std::int64_t FieldSums::add_elements(int var, std::int64_t first, std::int64_t count) {
  const int size = type_bytes(file_->schema.variable(var).type);
  const std::int64_t in_record = std::max<std::int64_t>(1, file_->schema.elements(var));
  memory_.resize(static_cast<std::size_t>(count * size));
  std::vector<Stretch> stretches;
  for (std::int64_t at = 0; at < count; at += stretches.back().count)
    stretches.push_back({(first + at) % in_record, 0, std::min(count - at, in_record - (first + at) % in_record)});
  std::vector<TileToRead> tiles;
  std::int64_t at = 0;
  for (const Stretch& stretch : stretches) {
    tiles.push_back({var, (first + at) / in_record, {&stretch, 1}, size, memory_.data() + at * size});
    at += stretch.count;
  }
  file_->source->read(tiles);
  sums_[static_cast<std::size_t>(var)] += sum_of(static_cast<std::uint64_t>(first), memory_, size);
  return count * size;
}

std::int64_t FieldSums::add_chunk(int var, std::int64_t number) {
  const StoredArray& array = file_->in_chunks->array(var);
  const Shape there = lengths(var);
  Shape lo(there.size()), hi(there.size());
  std::int64_t rest = number;
  for (std::size_t d = there.size(); d-- > 0;) {
    const std::int64_t along = (array.lengths[d] + array.chunk[d] - 1) / array.chunk[d];
    lo[d] = rest % along * array.chunk[d];
    hi[d] = std::min(lo[d] + array.chunk[d], there[d]);
    if (hi[d] <= lo[d]) return 1;
    rest /= along;
  }
  const std::span<const std::byte> chunk = file_->in_chunks->chunk(var, number);
  if (!chunk.empty()) return add_box(var, lo, hi, chunk.data(), std::ssize(chunk));
  const int size = type_bytes(file_->schema.variable(var).type);
  memory_.resize(static_cast<std::size_t>((hi.back() - lo.back()) * size));
  fill_elements(memory_.data(), hi.back() - lo.back(), array.fill, size);
  return add_box(var, lo, hi, nullptr, size);
}

// Adds the rows of a box: those of a chunk, or of what memory_ holds, again and again.
std::int64_t FieldSums::add_box(int var, const Shape& lo, const Shape& hi, const std::byte* chunk, std::int64_t bytes) {
  const int size = type_bytes(file_->schema.variable(var).type);
  const std::size_t last = lo.size() - 1;
  const std::int64_t row = hi[last] - lo[last];
  const Shape strides = strides_of(whole_shape(*file_, var));
  const Shape in_chunk = chunk ? strides_of(file_->in_chunks->array(var).chunk) : Shape(lo.size(), 0);
  std::uint64_t sum = 0;
  each_index(IndexView(lo).first(last), IndexView(hi).first(last), [&](const Shape& index) {
    std::int64_t element = lo[last], at = 0;
    for (std::size_t d = 0; d < last; ++d) {
      element += index[d] * strides[d];
      at += (index[d] - lo[d]) * in_chunk[d];
    }
    const std::byte* const from = chunk ? chunk + at * size : memory_.data();
    sum += sum_of(static_cast<std::uint64_t>(element), {from, static_cast<std::size_t>(row * size)}, size);
  });
  sums_[static_cast<std::size_t>(var)] += sum;
  return bytes;
}

// The elements of the variable for which the array in the file is too short: they are read as fill value. They are
// parted by the first dimension in which they are beyond the array.
std::int64_t FieldSums::add_missing(int var) {
  const Shape shape = whole_shape(*file_, var), there = lengths(var);
  const int size = type_bytes(file_->schema.variable(var).type);
  memory_.resize(static_cast<std::size_t>(shape.back() * size));
  fill_elements(memory_.data(), shape.back(), file_->schema.fill_value(var), size);
  Shape lo(shape.size(), 0), hi = shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    lo[d] = there[d];
    if (std::equal(lo.begin(), lo.end(), hi.begin(), std::less<>())) add_box(var, lo, hi, nullptr, 0);
    lo[d] = 0;
    hi[d] = there[d];
  }
  return elements(shape) * size;
}

namespace {

std::string units_of(const Schema& schema, int var) {
  const Attribute* const units = schema.find_attribute(var, "units");
  if (!units || (units->type != WEIR_CHAR && units->type != WEIR_STRING)) return {};
  const auto* const text = reinterpret_cast<const char*>(units->values.data());
  return {text, ::strnlen(text, units->values.size())};
}

double time_at(const ReadableFile& file, int var, std::int64_t record) {
  const Type type = file.schema.variable(var).type;
  ExternalValue value{};
  const Stretch one{0, 0, 1};
  const TileToRead tile{var, record, {&one, 1}, type_bytes(type), value.data()};
  file.source->read({&tile, 1});
  byteswap_in_place(std::span(value).first(static_cast<std::size_t>(type_bytes(type))), type_bytes(type));
  return number_at(type, value.data());
}

std::optional<DoneMarker::Times> times_of(const ReadableFile& file) {
  const int dimension = file.schema.record_dimension();
  if (dimension < 0 || file.records == 0) return std::nullopt;
  const int var = file.schema.find_variable(file.schema.dimensions()[static_cast<std::size_t>(dimension)].name);
  const bool has_times = var >= 0 && file.schema.is_record(var) && file.schema.shape(var).empty() &&
                         file.schema.variable(var).type != WEIR_CHAR && can_read(file, var);
  if (!has_times) return std::nullopt;
  return DoneMarker::Times{file.schema.variable(var).name, units_of(file.schema, var), time_at(file, var, 0),
                           time_at(file, var, file.records - 1)};
}

}  // namespace

DoneMarker marker_of(const ReadableFile& file, const std::string& path, std::span<const std::uint64_t> sums) {
  DoneMarker marker;
  marker.file = std::filesystem::path(path).filename().string();
  marker.format = format_name(file.format);
  marker.weir = WEIR_VERSION;
  marker.records = file.records;
  marker.times = times_of(file);
  marker.size = size_of(path);
  for (int var = 0; var < std::ssize(file.schema.variables()); ++var) {
    const Variable& variable = file.schema.variable(var);
    std::optional<std::uint64_t> sum;
    if (can_read(file, var)) sum = sums[static_cast<std::size_t>(var)];
    marker.fields.push_back({variable.name, std::string(type_name(variable.type)), whole_shape(file, var), sum});
  }
  marker.left_out = file.left_out;
  return marker;
}

}  // namespace weir
