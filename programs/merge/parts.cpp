// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>

#include "base/descriptor.hpp"
#include "base/text.hpp"
#include "engine/reader.hpp"
#include "formats/parts/part_schema.hpp"
#include "plan/box.hpp"

namespace weir {

PartReader::PartReader(const std::string& path) : path_(path), file_(read_definition(path)) {
  require(file_.schema.find_attribute(WEIR_GLOBAL, "weir_schema") != nullptr, WEIR_EFORMAT,
          "{} is not a part file: it has no attribute weir_schema", path);
  std::int64_t check = 0;
  std::memcpy(&check, attribute("weir_check", WEIR_INT64, 1).values.data(), sizeof check);
  if (check != check_sum(file_.schema)) damaged("its definitions of the whole file do not match their checksum");
}

void PartReader::damaged(const std::string& what) const {
  throw Error(WEIR_EFORMAT, "{} is damaged: {}; restore it, or write it again", path_, what);
}

Schema PartReader::whole() const {
  return Schema::deserialize(file_.schema.find_attribute(WEIR_GLOBAL, "weir_schema")->values);
}

weir_fill_mode PartReader::fill_mode() const {
  const std::int32_t mode = number("weir_fill_mode");
  if (mode < WEIR_FILL || mode > WEIR_COVER) damaged(formatted("unknown fill mode {}", mode));
  return static_cast<weir_fill_mode>(mode);
}

const Attribute& PartReader::attribute(const char* name, Type type, std::int64_t count) const {
  const Attribute* found = file_.schema.find_attribute(WEIR_GLOBAL, name);
  require(found && found->type == type && found->count == count, WEIR_EFORMAT,
          "{} has no attribute {}, as a part file has", path_, name);
  return *found;
}

std::int32_t PartReader::number(const char* name) const {
  std::int32_t value = 0;
  std::memcpy(&value, attribute(name, WEIR_INT, 1).values.data(), sizeof value);
  return value;
}

Alignment PartReader::alignment() const {
  std::int64_t values[3];
  std::memcpy(values, attribute("weir_alignment", WEIR_INT64, 3).values.data(), sizeof values);
  return {values[0], values[1], values[2]};
}

std::int64_t PartReader::parts() const {
  const int var = variable("weir_parts");
  if (var < 0 || !file_.schema.variables()[static_cast<std::size_t>(var)].dims.empty())
    damaged("it does not say how many parts there are");
  std::int64_t value = 0;
  const Source source{path_, file_.geometry.first_byte(var, 0), WEIR_INT};
  static_cast<void>(read_layout(source, Layout::boxes({}, {}, {}, {}), &value, WEIR_INT64));
  return value;
}

std::int64_t PartReader::bytes_behind() const {
  return std::max<std::int64_t>(0, open_to_read(path_).bytes() - file_.geometry.file_bytes(records()));
}

int PartReader::table(int var) const {
  const Attribute* named = file_.schema.find_attribute(var, "weir_regions");
  const auto name = [&] {
    return std::string(reinterpret_cast<const char*>(named->values.data()), named->values.size());
  };
  const int found = named ? variable(name()) : -1;
  const std::string& whose = file_.schema.variable(var).name;
  if (found < 0) damaged(formatted("variable \"{}\" has no table of regions", whose));
  const bool is_table = file_.schema.variable(found).type == WEIR_INT64 && !file_.schema.is_record(found) &&
                        file_.schema.shape(found).size() == 2;
  if (!is_table) damaged(formatted("the table of regions of variable \"{}\" is none", whose));
  return found;
}

void PartReader::check(const PartReader& first, const Schema& whole) const {
  for (const char* name : {"weir_schema", "weir_ranks", "weir_format", "weir_fill_mode", "weir_alignment"}) {
    const Attribute* mine = file_.schema.find_attribute(WEIR_GLOBAL, name);
    const Attribute* theirs = first.file_.schema.find_attribute(WEIR_GLOBAL, name);
    require(mine && theirs && *mine == *theirs, WEIR_EFORMAT, "{} and {} are not parts of one file: they differ in {}",
            path_, first.path_, name);
  }
  for (int var = 0; var < static_cast<int>(file_.schema.variables().size()); ++var)
    if (!file_.schema.variable(var).name.starts_with("weir_") || file_.schema.find_attribute(var, "weir_regions"))
      check_variable(var, whole);
}

void PartReader::check_variable(int var, const Schema& whole) const {
  const Variable& mine = file_.schema.variable(var);
  const int number = whole.find_variable(mine.name);
  if (number < 0) damaged(formatted("the whole file has no variable \"{}\"", mine.name));
  if (mine.type != whole.variable(number).type || file_.schema.is_record(var) != whole.is_record(number))
    damaged(formatted("variable \"{}\" is of another type than in the whole file, or has other records", mine.name));
  check_boxes(var, whole.shape(number));
}

// Boxes of the variable's own dimensions, or of one: of elements in file order.
void PartReader::check_boxes(int var, const Shape& shape) const {
  const std::string whose = formatted(" of variable \"{}\"", file_.schema.variable(var).name);
  const auto n = static_cast<std::size_t>(bounds_ndims(var));
  const Shape space = n == shape.size() ? shape : Shape{weir::elements(shape)};
  const std::int64_t columns = file_.schema.shape(table(var))[1];
  if (n != space.size() || columns != static_cast<std::int64_t>(2 * n))
    damaged(formatted("the boxes{} have {} bounds each", whose, columns));
  const std::vector<std::int64_t> bounds = this->bounds(var);
  std::int64_t volume = 0;
  for (std::size_t at = 0; at < bounds.size(); at += 2 * n) {
    const Box box{IndexView(bounds).subspan(at, n), IndexView(bounds).subspan(at + n, n)};
    for (std::size_t d = 0; d < n; ++d)
      if (box.lo[d] < 0 || box.lo[d] > box.hi[d] || box.hi[d] > space[d])
        damaged(
            formatted("the box {}{} is not inside it: dimension {} has length {}", to_string(box), whose, d, space[d]));
    if (__builtin_add_overflow(volume, box.volume(), &volume)) volume = INT64_MAX;
  }
  if (volume != elements(var))
    damaged(formatted("the boxes{} have {} elements, and the part has {}", whose, volume, elements(var)));
}

int PartReader::bounds_ndims(int var) const {
  return static_cast<int>(file_.schema.shape(table(var))[1] / 2);
}

std::vector<std::int64_t> PartReader::bounds(int var) const {
  const int number = table(var);
  const std::int64_t count = file_.schema.elements(number), zero = 0;
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  const IndexView whole(&count, 1);
  const Source source{path_, file_.geometry.first_byte(number, 0), WEIR_INT64};
  static_cast<void>(
      read_layout(source, Layout::boxes(whole, IndexView(&zero, 1), whole, {}), values.data(), WEIR_INT64));
  return values;
}

void PartReader::read(int var, std::int64_t record, void* values) const {
  const std::int64_t count = elements(var), zero = 0;
  const Type type = file_.schema.variables()[static_cast<std::size_t>(var)].type;
  const std::int64_t place = file_.geometry.first_byte(var, record);
  const IndexView whole(&count, 1);
  static_cast<void>(
      read_layout({path_, place, type}, Layout::boxes(whole, IndexView(&zero, 1), whole, {}), values, type));
}

std::vector<std::string> find_parts(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::filesystem::path folder = whole.parent_path().empty() ? "." : whole.parent_path();
  const std::string prefix = whole.filename().string() + ".";
  std::vector<std::string> parts;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.size() < prefix.size() + 4 || name.compare(0, prefix.size(), prefix) != 0) continue;
    if (std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(),
                    [](unsigned char c) { return std::isdigit(c); }))
      parts.push_back((whole.parent_path() / name).string());
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

}  // namespace weir
