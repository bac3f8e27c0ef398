// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <pnetcdf.h>

#include <fstream>
#include <utility>

namespace harness {
namespace {

constexpr std::int64_t values = 999983;  // whole numbers that a float holds

std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  state = (state ^ word) * 0x9E3779B97F4A7C15u;
  return state ^ (state >> 29);
}

double fill_of(Type type) {
  if (type == Type::integer) return NC_FILL_INT;
  return type == Type::real ? NC_FILL_FLOAT : NC_FILL_DOUBLE;
}

// The part number `part` of `parts` of so many rows.
std::array<std::int64_t, 2> stretch(std::int64_t rows, int part, int parts) {
  return {rows * part / parts, rows * (part + 1) / parts};
}

}  // namespace

Plan Plan::read(const std::string& path) {
  return Plan(nlohmann::json::parse(std::ifstream(path)));
}

Plan::Plan(nlohmann::json words) : json_(std::move(words)) {
  seed_ = json_.at("seed").get<std::uint64_t>();
  decomposition_ = json_.at("decomposition").get<std::string>();
  holes_ = json_.at("holes").get<bool>();
  shape_ = json_.at("shape").get<std::array<std::int64_t, 3>>();
  if (json_.contains("left_out")) json_.at("left_out").get_to(left_out_);
}

std::string Plan::path(int file) const {
  return text("folder") + "/file" + std::to_string(file) + ".nc";
}

std::vector<std::int64_t> Plan::shape(int var) const {
  return {shape_.end() - variables[static_cast<std::size_t>(var)].ndims, shape_.end()};
}

std::int64_t Plan::elements(int var) const {
  std::int64_t count = 1;
  for (std::size_t i = 3 - static_cast<std::size_t>(variables[static_cast<std::size_t>(var)].ndims); i < 3; ++i)
    count *= shape_[i];
  return count;
}

std::int64_t Plan::rows_put(int var) const {
  return shape_[1] - (variables[static_cast<std::size_t>(var)].partial && holes_ ? 1 : 0);
}

Box Plan::box(int var, int rank, int ranks) const {
  const bool hollow = decomposition_ == "hollow" && ranks > 1;
  const int across = decomposition_ == "blocks" && ranks % 2 == 0 ? 2 : 1;
  const int part = hollow ? rank - 1 : rank / across, parts = hollow ? ranks - 1 : ranks / across;
  const auto rows = part < 0 ? std::array<std::int64_t, 2>{0, 0} : stretch(rows_put(var), part, parts);
  const auto columns = stretch(shape_[2], rank % across, across);
  Box box;
  if (variables[static_cast<std::size_t>(var)].ndims == 3) box.start = {0}, box.count = {shape_[0]};
  box.start.insert(box.start.end(), {rows[0], columns[0]});
  box.count.insert(box.count.end(), {rows[1] - rows[0], columns[1] - columns[0]});
  return box;
}

std::vector<std::int64_t> Plan::owned(int var, int rank, int ranks) const {
  const Box mine = has_boxes() ? box(var, rank, ranks) : Box{};
  const std::size_t y = static_cast<std::size_t>(variables[static_cast<std::size_t>(var)].ndims) - 2;
  std::vector<std::int64_t> found;
  for (std::int64_t row = 0, rows = elements(var) / shape_[2]; row < rows; ++row) {
    const std::int64_t of_plane = row % shape_[1];
    std::int64_t first = 0, end = shape_[2];
    if (has_boxes()) {
      if (of_plane < mine.start[y] || of_plane >= mine.start[y] + mine.count[y]) continue;
      first = mine.start[y + 1], end = first + mine.count[y + 1];
    } else if (of_plane % ranks != rank || of_plane >= rows_put(var)) {
      continue;
    }
    for (std::int64_t column = first; column < end; ++column) found.push_back(row * shape_[2] + column);
  }
  return found;
}

double Plan::expected(const RecordKey& place, std::int64_t element) const {
  const Variable& variable = variables[static_cast<std::size_t>(place.var)];
  if (left_out_.contains({place.file, place.generation, place.var, place.record})) return fill_of(variable.type);
  if (variable.ndims >= 2 && element / shape_[2] % shape_[1] >= rows_put(place.var)) return fill_of(variable.type);
  std::uint64_t state = mix(seed_, static_cast<std::uint64_t>(place.file));
  for (const std::int64_t word : {std::int64_t{place.generation}, std::int64_t{place.var}, place.record, element})
    state = mix(state, static_cast<std::uint64_t>(word) + 1);
  return static_cast<double>(state % values);
}

}  // namespace harness
