// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include <netcdf.h>

#include <algorithm>
#include <cstring>

#include "workloads/model_values.hpp"

namespace weir::bench {

using workloads::spread_bits;

namespace {

template <typename T, typename Value>
void write_each(std::uint64_t seed, Run run, std::byte* values, Value value) {
  for (std::int64_t i = 0; i < run.length; ++i) {
    const T element = static_cast<T>(value(spread_bits(seed, run.offset + i)));
    std::memcpy(values + i * sizeof(T), &element, sizeof(T));
  }
}

template <typename T>
void repeat_value(T value, std::int64_t count, std::byte* values) {
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(values + i * sizeof(T), &value, sizeof(T));
}

std::uint64_t seed_of(Field field) {
  return (static_cast<std::uint64_t>(field.variable) << 40) +
         static_cast<std::uint64_t>(field.record) * 0x2545F4914F6CDD1DULL;
}

void make_hashed(weir_type type, Field field, Run run, std::byte* values) {
  const std::uint64_t seed = seed_of(field);
  switch (type) {
    case WEIR_CHAR:
      return write_each<char>(seed, run, values, [](std::uint32_t bits) { return 'a' + bits % 26; });
    case WEIR_BYTE:
      return write_each<std::int8_t>(seed, run, values, [](std::uint32_t bits) { return bits & 0x7F; });
    case WEIR_UBYTE:
      return write_each<std::uint8_t>(seed, run, values, [](std::uint32_t bits) { return bits & 0x7F; });
    case WEIR_SHORT:
    case WEIR_USHORT:
      return write_each<std::int16_t>(seed, run, values, [](std::uint32_t bits) { return bits & 0x7FFF; });
    case WEIR_INT:
    case WEIR_UINT:
      return write_each<std::int32_t>(seed, run, values, [](std::uint32_t bits) { return bits; });
    case WEIR_FLOAT:  // 24 bits are exact
      return write_each<float>(seed, run, values, [](std::uint32_t bits) { return bits & 0xFFFFFF; });
    case WEIR_DOUBLE:
      return write_each<double>(seed, run, values, [](std::uint32_t bits) { return 1.0 / 1024 * bits; });
    default:
      return write_each<std::int64_t>(seed, run, values, [](std::uint32_t bits) { return std::int64_t{bits} << 20; });
  }
}

}  // namespace

FieldValues::FieldValues(const Workload& work) : work_(work) {
  if (!work.smooth) return;
  for (int v = 0; v < static_cast<int>(work.variables.size()); ++v) {
    waves_.emplace_back();
    for (const std::int64_t length : work.shape(work.variables[v]))
      waves_.back().push_back(workloads::waves(length, v));
  }
}

void FieldValues::make(Field field, Run run, std::byte* values) const {
  const weir_type type = work_.variables[field.variable].type;
  if (work_.smooth && type == WEIR_FLOAT) return make_smooth<float>(field, run, values);
  if (work_.smooth && type == WEIR_DOUBLE) return make_smooth<double>(field, run, values);
  make_hashed(type, field, run, values);
}

template <typename T>
void FieldValues::make_smooth(Field field, Run run, std::byte* values) const {
  const Extents shape = work_.shape(work_.variables[field.variable]);
  const auto& waves = waves_[field.variable];
  const std::uint64_t seed = seed_of(field);
  const double mean = 280 + 0.1 * static_cast<double>(field.record);
  for (std::int64_t i = 0; i < run.length; ++i) {
    double value = mean;
    std::int64_t rest = run.offset + i;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
      value += 10 * waves[axis][rest % shape[axis]];
    const T element = workloads::with_noise<T>(value, spread_bits(seed, run.offset + i));
    std::memcpy(values + i * sizeof(T), &element, sizeof(T));
  }
}

void make_fill(const Variable& variable, std::int64_t count, std::byte* values) {
  const std::int64_t bytes = type_bytes(variable.type);
  for (const Attribute& attribute : variable.attributes) {
    if (attribute.name != "_FillValue") continue;
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(values + i * bytes, attribute.values.data(), bytes);
    return;
  }
  switch (variable.type) {
    case WEIR_CHAR:
      return repeat_value<char>(NC_FILL_CHAR, count, values);
    case WEIR_BYTE:
      return repeat_value<std::int8_t>(NC_FILL_BYTE, count, values);
    case WEIR_UBYTE:
      return repeat_value<std::uint8_t>(NC_FILL_UBYTE, count, values);
    case WEIR_SHORT:
      return repeat_value<std::int16_t>(NC_FILL_SHORT, count, values);
    case WEIR_USHORT:
      return repeat_value<std::uint16_t>(NC_FILL_USHORT, count, values);
    case WEIR_INT:
      return repeat_value<std::int32_t>(NC_FILL_INT, count, values);
    case WEIR_UINT:
      return repeat_value<std::uint32_t>(NC_FILL_UINT, count, values);
    case WEIR_FLOAT:
      return repeat_value<float>(NC_FILL_FLOAT, count, values);
    case WEIR_DOUBLE:
      return repeat_value<double>(NC_FILL_DOUBLE, count, values);
    case WEIR_INT64:
      return repeat_value<long long>(NC_FILL_INT64, count, values);
    case WEIR_UINT64:
      return repeat_value<unsigned long long>(NC_FILL_UINT64, count, values);
    case WEIR_STRING:
      break;  // of attributes only
  }
}

FieldData::FieldData(const Workload& work) : values_(work.variables.size()) {
  const FieldValues fields(work);
  for (int v = 0; v < static_cast<int>(work.variables.size()); ++v) {
    const Variable& variable = work.variables[v];
    const Decomposition* part = work.part(variable);
    const std::int64_t bytes = type_bytes(variable.type);
    values_[v].resize(variable.record ? work.records : 1);
    for (std::int64_t record = 0; record < static_cast<std::int64_t>(values_[v].size()); ++record) {
      std::vector<std::byte>& values = values_[v][record];
      values.resize((part ? part->length() : work.elements(variable)) * bytes);
      const auto write_row = [&](std::int64_t file_offset, std::int64_t memory_offset, std::int64_t length) {
        fields.make({v, record}, {file_offset, length}, values.data() + memory_offset * bytes);
      };
      if (part) {
        for_each_row(*part, write_row);
      } else {
        write_row(0, 0, work.elements(variable));
      }
    }
  }
}

const std::byte* FieldData::at(int variable, std::int64_t record) const {
  const auto& records = values_[variable];
  return records[std::min<std::size_t>(record, records.size() - 1)].data();
}

}  // namespace weir::bench
