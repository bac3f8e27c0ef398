// SPDX-License-Identifier: Apache-2.0
#include "formats/parts/part_schema.hpp"

#include <cstring>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "schema/schema.hpp"

namespace weir {

namespace {

std::vector<Region> all_regions(const Plan& plan) {
  std::vector<Region> regions;
  for (const Round& round : plan.rounds)
    regions.insert(regions.end(), round.tile.regions.begin(), round.tile.regions.end());
  return regions;
}

PartSchema::Table table_of_regions(const std::vector<Region>& regions) {
  PartSchema::Table table{-1, regions[0].lo.size(), {}};
  for (const Region& region : regions) {
    table.bounds.insert(table.bounds.end(), region.lo.begin(), region.lo.end());
    table.bounds.insert(table.bounds.end(), region.hi.begin(), region.hi.end());
  }
  return table;
}

bool same_boxes(const PartSchema::Table& a, const PartSchema::Table& b) {
  return a.ndims == b.ndims && a.bounds == b.bounds;
}

std::int64_t owned_elements(const Plan& plan) {
  std::int64_t count = 0;
  for (const Round& round : plan.rounds) count += round.tile.elements;
  return count;
}

class CheckSum {
 public:
  void add(std::byte byte) { sum_ = fnv_add(sum_, std::to_integer<std::uint64_t>(byte)); }
  // The same on every machine.
  void add(std::int64_t number) {
    for (int shift = 56; shift >= 0; shift -= 8) add(static_cast<std::byte>(number >> shift & 0xFF));
  }
  std::int64_t sum() const { return static_cast<std::int64_t>(sum_); }

 private:
  std::uint64_t sum_ = fnv_start;
};

template <class Number>
void add_numbers(CheckSum& sum, const Attribute& attribute) {
  for (std::size_t at = 0; at + sizeof(Number) <= attribute.values.size(); at += sizeof(Number)) {
    Number value = 0;
    std::memcpy(&value, attribute.values.data() + at, sizeof value);
    sum.add(std::int64_t{value});
  }
}

}  // namespace

std::int64_t check_sum(const Schema& part) {
  CheckSum sum;
  for (const char* name :
       {"weir_schema", "weir_rank", "weir_ranks", "weir_format", "weir_fill_mode", "weir_alignment"}) {
    const Attribute* found = part.find_attribute(WEIR_GLOBAL, name);
    if (!found) continue;
    sum.add(found->count);
    if (found->type == WEIR_BYTE)
      for (const std::byte byte : found->values) sum.add(byte);
    if (found->type == WEIR_INT) add_numbers<std::int32_t>(sum, *found);
    if (found->type == WEIR_INT64) add_numbers<std::int64_t>(sum, *found);
  }
  return sum.sum();
}

PartSchema::PartSchema(const Schema& whole, const OutputOptions& options) : whole_(whole) {
  put_attributes(part_, WEIR_GLOBAL, whole.attributes(WEIR_GLOBAL));
  const std::vector<std::byte> bytes = whole.serialize();
  part_.put_attribute(WEIR_GLOBAL, "weir_schema", WEIR_BYTE, static_cast<std::int64_t>(bytes.size()), bytes.data());
  put_number("weir_rank", options.comm.rank());
  put_number("weir_ranks", options.comm.size());
  put_number("weir_format", options.format);
  put_number("weir_fill_mode", options.fill);
  const Alignment& asked = options.alignment;
  const std::int64_t alignment[] = {asked.header_free_bytes, asked.variable_align_bytes, asked.record_align_bytes};
  part_.put_attribute(WEIR_GLOBAL, "weir_alignment", WEIR_INT64, 3, alignment);
  const std::int64_t check = check_sum(part_);
  part_.put_attribute(WEIR_GLOBAL, "weir_check", WEIR_INT64, 1, &check);
  parts_ = part_.add_variable("weir_parts", WEIR_INT, {});
  if (whole.record_dimension() < 0) return;
  const int time = dimension(whole.dimensions()[static_cast<std::size_t>(whole.record_dimension())].name, 0);
  part_.add_variable("weir_record", WEIR_BYTE, std::span(&time, 1));
}

void PartSchema::put_number(const char* attribute, std::int32_t value) {
  part_.put_attribute(WEIR_GLOBAL, attribute, WEIR_INT, 1, &value);
}

int PartSchema::part_variable(int var) const noexcept {
  const auto found = variables_.find(var);
  return found == variables_.end() ? -1 : found->second;
}

int PartSchema::dimension(const std::string& name, std::int64_t length) {
  const int known = part_.find_dimension(name);
  return known >= 0 ? known : part_.add_dimension(Name::stored(name), length);
}

std::size_t PartSchema::add_table(const std::vector<Region>& regions) {
  Table table = table_of_regions(regions);
  for (std::size_t t = 0; t < tables_.size(); ++t)
    if (same_boxes(tables_[t], table)) return t;
  const std::string name = formatted("weir_regions_{}", tables_.size());
  const auto boxes = static_cast<std::int64_t>(regions.size());
  const auto bounds = static_cast<std::int64_t>(2 * table.ndims);
  const int dims[2] = {dimension(formatted("weir_boxes_{}", boxes), boxes),
                       dimension(formatted("weir_bounds_{}", bounds), bounds)};
  table.variable = part_.add_variable(name, WEIR_INT64, dims);
  tables_.push_back(std::move(table));
  return tables_.size() - 1;
}

bool PartSchema::owns_the_same(int var, const Plan& plan) const {
  return same_boxes(tables_[table_of_.at(var)], table_of_regions(all_regions(plan)));
}

bool PartSchema::add(int var, const Plan& plan) {
  if (variables_.contains(var) || owned_elements(plan) == 0) return false;
  const Variable& variable = whole_.variables()[static_cast<std::size_t>(var)];
  const std::vector<Region> regions = all_regions(plan);
  const std::size_t skip = whole_.is_record(var) ? 1 : 0;
  const std::size_t ndims = variable.dims.size() - skip;
  std::vector<int> dims;
  if (skip) dims.push_back(dimension(whole_.dimensions()[static_cast<std::size_t>(variable.dims[0])].name, 0));
  if (regions.size() == 1 && regions[0].lo.size() == ndims) {
    for (std::size_t d = 0; d < ndims; ++d) {
      const std::int64_t lo = regions[0].lo[d], hi = regions[0].hi[d];
      const std::string& name = whole_.dimensions()[static_cast<std::size_t>(variable.dims[d + skip])].name;
      dims.push_back(dimension(formatted("{}_{}_{}", name, lo, hi), hi - lo));
    }
  } else if (ndims > 0) {
    const std::int64_t count = owned_elements(plan);
    dims.push_back(dimension(formatted("weir_elements_{}", count), count));
  }
  const std::size_t table = add_table(regions);
  const int number = part_.add_variable(Name::stored(variable.name), variable.type, dims);
  put_attributes(part_, number, variable.attributes);
  const std::string& name = part_.variables()[static_cast<std::size_t>(tables_[table].variable)].name;
  part_.put_attribute(number, "weir_regions", WEIR_CHAR, static_cast<std::int64_t>(name.size()), name.data());
  variables_[var] = number;
  table_of_[var] = table;
  return true;
}

}  // namespace weir
