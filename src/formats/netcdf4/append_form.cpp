// SPDX-License-Identifier: Apache-2.0
#include "formats/netcdf4/append_form.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/chunked/deferred_values.hpp"
#include "formats/chunked/packer.hpp"
#include "schema/file_offsets.hpp"

namespace weir {

namespace {

bool little_endian(const Schema& schema, int var, const StoredArray& array) {
  return array.little_endian || type_bytes(schema.variable(var).type) == 1;
}

// As Weir packs them.
bool has_packable_chunks(const Schema& schema, int var, const StoredArray& array) {
  if (array.chunk.empty() || !little_endian(schema, var, array) || !missing_filter(array.filters).empty()) return false;
  const std::size_t skip = schema.is_record(var) ? 1 : 0;
  if (skip > 0 && array.chunk[0] != 1) return false;
  const Shape shape = schema.shape(var);
  return std::equal(shape.begin(), shape.end(), array.lengths.begin() + static_cast<std::ptrdiff_t>(skip)) &&
         std::equal(shape.begin(), shape.end(), array.chunk.begin() + static_cast<std::ptrdiff_t>(skip),
                    [](std::int64_t length, std::int64_t chunk) { return chunk <= length; });
}

StoredVariable form_of(const Schema& schema, int var, const StoredArray& array) {
  StoredVariable form;
  form.filters = array.filters;
  form.obstacle = array.obstacle;
  if (!form.obstacle.empty() || has_packable_chunks(schema, var, array)) return form;
  const bool placed = array.address != StoredPiece::nowhere && little_endian(schema, var, array);
  if (schema.variable(var).dims.empty() && placed) {
    form.begin = array.address;
    return form;
  }
  form.kept = true;
  if (variable_bytes(schema, var) <= most_noted_bytes) return form;
  form.obstacle = array.chunk.empty()
                      ? "it lies in one piece and is larger than 1 MiB"
                      : "its chunks do not hold one record each, packed as by Weir, and a record is larger than 1 MiB";
  form.obstacle += "; copy the file (weir convert), and append to the copy";
  return form;
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
