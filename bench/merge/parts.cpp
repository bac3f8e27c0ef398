// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>

#include "read/reader.hpp"

namespace weir {

Part::Part(const std::string& path) : path_(path), file_(read_definition(path)) {
  require(file_.schema.find_attribute(WEIR_GLOBAL, "weir_schema") != nullptr, WEIR_EFORMAT,
          path + " is no part file: it has no attribute weir_schema");
}

Schema Part::whole() const {
  return Schema::deserialize(file_.schema.find_attribute(WEIR_GLOBAL, "weir_schema")->values);
}

const Attribute& Part::attribute(const char* name, Type type, std::int64_t count) const {
  const Attribute* found = file_.schema.find_attribute(WEIR_GLOBAL, name);
  require(found && found->type == type && found->count == count, WEIR_EFORMAT,
          path_ + " has no attribute " + name + ", as a part file has");
  return *found;
}

std::int32_t Part::number(const char* name) const {
  std::int32_t value = 0;
  std::memcpy(&value, attribute(name, WEIR_INT, 1).values.data(), sizeof value);
  return value;
}

Alignment Part::alignment() const {
  std::int64_t values[3];
  std::memcpy(values, attribute("weir_alignment", WEIR_INT64, 3).values.data(), sizeof values);
  return {values[0], values[1], values[2]};
}

std::int64_t Part::parts() const {
  const int var = variable("weir_parts");
  require(var >= 0, WEIR_EFORMAT, path_ + " has no variable weir_parts");
  std::int64_t value = 0;
  const Source source{path_, file_.geometry.begin[static_cast<std::size_t>(var)], WEIR_INT};
  static_cast<void>(read_layout(source, Layout::boxes({}, {}, {}, {}), &value, WEIR_INT64));
  return value;
}

int Part::table(int var) const {
  const Attribute* named = file_.schema.find_attribute(var, "weir_regions");
  require(named != nullptr, WEIR_EFORMAT, path_ + ": a variable has no attribute weir_regions");
  const int found = variable(std::string(reinterpret_cast<const char*>(named->values.data()), named->values.size()));
  require(found >= 0, WEIR_EFORMAT, path_ + ": the table that weir_regions names is missing");
  return found;
}

int Part::bounds_ndims(int var) const {
  return static_cast<int>(file_.schema.shape(table(var))[1] / 2);
}

std::vector<std::int64_t> Part::bounds(int var) const {
  const int number = table(var);
  const std::int64_t count = file_.schema.elements(number), zero = 0;
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  const IndexView whole(&count, 1);
  const Source source{path_, file_.geometry.begin[static_cast<std::size_t>(number)], WEIR_INT64};
  static_cast<void>(
      read_layout(source, Layout::boxes(whole, IndexView(&zero, 1), whole, {}), values.data(), WEIR_INT64));
  return values;
}

void Part::read(int var, std::int64_t record, void* values) const {
  const std::int64_t count = elements(var), zero = 0;
  const Type type = file_.schema.variables()[static_cast<std::size_t>(var)].type;
  const std::int64_t place = file_.geometry.begin[static_cast<std::size_t>(var)] +
                             (file_.schema.is_record(var) ? record * file_.geometry.record_bytes : 0);
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
      parts.push_back(entry.path().string());
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

}  // namespace weir
