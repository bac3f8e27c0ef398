// SPDX-License-Identifier: Apache-2.0
#include "inquiry.hpp"

#include "buffer.hpp"

namespace weir::python::inquiry {

std::tuple<int, int, int, int> inq(const File& file) {
  int ndims = 0, nvars = 0, natts = 0, record_dim = -1;
  file.check(weir_inq(file.handle(), &ndims, &nvars, &natts, &record_dim));
  return {ndims, nvars, natts, record_dim};
}

std::int64_t records(const File& file) {
  std::int64_t records = 0;
  file.check(weir_inq_nrecords(file.handle(), &records));
  return records;
}

std::pair<std::string, std::int64_t> dim(const File& file, int number) {
  char name[WEIR_MAX_NAME] = "";
  std::int64_t length = 0;
  file.check(weir_inq_dim(file.handle(), number, name, &length));
  return {name, length};
}

std::tuple<std::string, int, std::vector<int>, int> var(const File& file, int number) {
  char name[WEIR_MAX_NAME] = "";
  weir_type type{};
  int ndims = 0, natts = 0;
  file.check(weir_inq_var(file.handle(), number, name, &type, &ndims, nullptr, &natts));
  std::vector<int> dims(static_cast<std::size_t>(ndims));
  file.check(weir_inq_var(file.handle(), number, nullptr, nullptr, nullptr, dims.data(), nullptr));
  return {name, type, dims, natts};
}

std::string attname(const File& file, int var, int number) {
  char name[WEIR_MAX_NAME] = "";
  file.check(weir_inq_attname(file.handle(), var, number, name));
  return name;
}

std::pair<int, std::int64_t> att(const File& file, int var, const std::string& name) {
  weir_type type{};
  std::int64_t count = 0;
  file.check(weir_inq_att(file.handle(), var, name.c_str(), &type, &count));
  return {type, count};
}

void get_att(const File& file, int var, const std::string& name, nanobind::handle values) {
  const auto [type, count] = att(file, var, name);
  const Buffer buffer(values, Buffer::Access::write);
  file.check(weir_get_att(file.handle(), var, name.c_str(), buffer.holding(count, static_cast<weir_type>(type))));
}

std::vector<std::string> get_att_texts(const File& file, int var, const std::string& name) {
  const auto [type, count] = att(file, var, name);
  if (type != WEIR_STRING) throw io::Error(WEIR_EARGUMENT, "attribute \"" + name + "\" has no strings");
  std::vector<const char*> values(static_cast<std::size_t>(count));
  file.check(weir_get_att(file.handle(), var, name.c_str(), values.data()));
  return {values.begin(), values.end()};
}

std::vector<int> unlimdims(const File& file) {
  int count = 0;
  file.check(weir_inq_unlimdims(file.handle(), &count, nullptr));
  std::vector<int> dims(static_cast<std::size_t>(count));
  file.check(weir_inq_unlimdims(file.handle(), &count, dims.data()));
  return dims;
}

std::vector<std::pair<std::string, std::string>> left_out(const File& file) {
  int count = 0;
  file.check(weir_inq_left_out(file.handle(), &count, nullptr, nullptr));
  std::vector<const char*> names(static_cast<std::size_t>(count)), reasons(names.size());
  file.check(weir_inq_left_out(file.handle(), nullptr, names.data(), reasons.data()));
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t i = 0; i < names.size(); ++i) all.emplace_back(names[i], reasons[i]);
  return all;
}

int format(const File& file) {
  int format = 0;
  file.check(weir_inq_format(file.handle(), &format));
  return format;
}

}  // namespace weir::python::inquiry
