// SPDX-License-Identifier: Apache-2.0
#include "formats/netcdf4/netcdf4_store.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/chunked/deferred_values.hpp"
#include "formats/chunked/packer.hpp"
#include "formats/classic/stored_file.hpp"
#include "plan/chunk_grid.hpp"
#include "schema/file_offsets.hpp"

namespace weir {

std::int64_t least_file_bytes(const StoredTables& tables) {
  std::int64_t least = 0;
  for (std::size_t var = 0; var < tables.arrays.size(); ++var) {
    const StoredArray& array = tables.arrays[var];
    if (array.address != StoredPiece::nowhere) {
      const int size = type_bytes(tables.schema.variables()[var].type);
      least = std::max(least, saturated_sum(array.address, elements(array.lengths) * size));
    }
    for (const StoredPiece& piece : array.pieces)
      if (piece.address != StoredPiece::nowhere) least = std::max(least, saturated_sum(piece.address, piece.bytes));
  }
  return least;
}

Netcdf4Store::Netcdf4Store(Known known, std::optional<Descriptor> opened)
    : known_(std::move(known)), least_bytes_(least_file_bytes(*known_.tables)), file_(std::move(opened)) {}

std::optional<ChunkPlace> Netcdf4Store::find(int var, std::int64_t number) {
  const StoredPiece& piece = array(var).pieces.at(static_cast<std::size_t>(number));
  if (piece.address == StoredPiece::nowhere) return std::nullopt;
  return ChunkPlace{0, piece.address, piece.bytes, piece.skipped};
}

void Netcdf4Store::check() {
  if (!file_) {
    file_.emplace(open_to_read(known_.path));
    ++count_.opens;
  }
  require_same_file(*file_, known_.path, known_.identity, least_bytes_);
}

void Netcdf4Store::read(std::int64_t, std::int64_t address, std::span<std::byte> to) {
  file_->read(to.data(), std::ssize(to), address);
  count_.bytes += std::ssize(to);
}

void Netcdf4Store::ask_for(const ChunkPlace& place) noexcept {
  ask_system_for(*file_, place.address, place.bytes);
  count_.bytes_ahead += place.bytes;
}

namespace {

bool little_endian(const Schema& schema, int var, const StoredArray& array) {
  return array.little_endian || type_bytes(schema.variable(var).type) == 1;
}

// As Weir packs them.
bool has_packable_chunks(const Schema& schema, int var, const StoredArray& array) {
  if (array.chunk.empty() || !little_endian(schema, var, array) || !missing_filter(array.filters).empty()) return false;
  const std::size_t skip = schema.is_record(var) ? 1 : 0;
  const Shape shape = schema.shape(var);
  return std::equal(shape.begin(), shape.end(), array.lengths.begin() + static_cast<std::ptrdiff_t>(skip)) &&
         std::equal(shape.begin(), shape.end(), array.chunk.begin() + static_cast<std::ptrdiff_t>(skip),
                    [](std::int64_t length, std::int64_t chunk) { return chunk <= length; });
}

// netCDF notes it in an attribute.
std::optional<Quantization> quantization_of(const Schema& schema, int var) {
  constexpr std::pair<const char*, QuantizeKind> notes[] = {
      {"_QuantizeBitGroomNumberOfSignificantDigits", QuantizeKind::bit_groom},
      {"_QuantizeGranularBitRoundNumberOfSignificantDigits", QuantizeKind::granular_bit_round},
      {"_QuantizeBitRoundNumberOfSignificantBits", QuantizeKind::bit_round}};
  for (const auto& [name, kind] : notes) {
    const Attribute* note = schema.find_attribute(var, name);
    if (!note || note->type != WEIR_INT || note->count != 1) continue;
    std::int32_t digits = 0;
    std::memcpy(&digits, note->values.data(), sizeof digits);
    return Quantization{kind, digits};
  }
  return std::nullopt;
}

StoredVariable form_of(const Schema& schema, int var, const StoredArray& array) {
  StoredVariable form;
  form.filters = array.filters;
  form.obstacle = array.obstacle;
  if (!form.obstacle.empty()) return form;
  if (has_packable_chunks(schema, var, array)) {
    const bool several = schema.is_record(var) && array.chunk[0] > 1;
    form.kept = several && is_a_few_bytes(variable_bytes(schema, var)) && !quantization_of(schema, var);
    return form;
  }
  const bool placed = array.address != StoredPiece::nowhere && little_endian(schema, var, array);
  if (schema.variable(var).dims.empty() && placed) {
    form.begin = array.address;
    return form;
  }
  form.kept = true;
  if (variable_bytes(schema, var) <= most_noted_bytes) return form;
  form.obstacle = array.chunk.empty() ? "it lies in one piece and is larger than 1 MiB"
                                      : "its chunks are not packed as by Weir, and a record is larger than 1 MiB";
  form.obstacle += "; copy the file (weir convert), and append to the copy";
  return form;
}

}  // namespace

std::vector<StoredVariable> append_forms(const StoredTables& tables) {
  std::vector<StoredVariable> forms;
  for (int var = 0; var < static_cast<int>(tables.arrays.size()); ++var)
    forms.push_back(form_of(tables.schema, var, tables.arrays[static_cast<std::size_t>(var)]));
  return forms;
}

void take_storage(const StoredTables& tables, Schema& schema) {
  for (int var = 0; var < static_cast<int>(tables.arrays.size()); ++var) {
    const StoredArray& array = tables.arrays[static_cast<std::size_t>(var)];
    if (!array.obstacle.empty() || !has_packable_chunks(schema, var, array)) continue;
    const Variable& variable = schema.variable(var);
    Storage storage = variable.storage;
    storage.chunk = array.chunk;
    if (variable.type == WEIR_FLOAT || variable.type == WEIR_DOUBLE)
      storage.quantization = quantization_of(tables.schema, var);
    schema.set_storage(var, std::move(storage));
  }
}

}  // namespace weir
