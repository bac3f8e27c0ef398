// SPDX-License-Identifier: Apache-2.0
#include "data.hpp"

#include "buffer.hpp"

namespace weir::python::data {

namespace {

using Access = Buffer::Access;

// Elements of a variable without its record dimension.
std::int64_t whole_length(const File& file, int var) {
  int ndims = 0, record_dim = -1;
  file.check(weir_inq_var(file.handle(), var, nullptr, nullptr, &ndims, nullptr, nullptr));
  std::vector<int> dims(static_cast<std::size_t>(ndims));
  file.check(weir_inq_var(file.handle(), var, nullptr, nullptr, nullptr, dims.data(), nullptr));
  file.check(weir_inq(file.handle(), nullptr, nullptr, nullptr, &record_dim));
  std::int64_t all = 1;
  for (const int dim : dims) {
    std::int64_t length = 1;
    if (dim != record_dim) file.check(weir_inq_dim(file.handle(), dim, nullptr, &length));
    all *= length;
  }
  return all;
}

}  // namespace

void put_vara(const File& file, int var, const Indices& start, const Indices& count, int type,
              nanobind::handle values) {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::read);
  const void* data = buffer.holding(elements(count), element);
  file.make([&](weir_file* to) { return weir_put_vara(to, var, start.data(), count.data(), element, data); });
}

void put(const File& file, int var, std::int64_t record, int layout, int type, nanobind::handle values) {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::read);
  const void* data = buffer.holding(file.instance().layout_length(layout), element);
  file.make([&](weir_file* to) { return weir_put(to, var, record, layout, element, data); });
}

void put_var(const File& file, int var, std::int64_t record, int type, nanobind::handle values) {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::read);
  const void* data = buffer.holding(whole_length(file, var), element);
  file.make([&](weir_file* to) { return weir_put_var(to, var, record, element, data); });
}

std::string fail(const File& file, int code, const std::string& sentence) {
  weir_fail(file.handle(), code, sentence.c_str());
  return weir_file_error(file.handle());
}

void fail_box(const File& file, int var, int code, const std::string& sentence) {
  file.make([&](weir_file* to) {
    weir_fail(to, code, sentence.c_str());
    return weir_put_vara(to, var, nullptr, nullptr, WEIR_BYTE, nullptr);
  });
}

void sync(const File& file) {
  file.make([](weir_file* handle) { return weir_sync(handle); });
}

void get_vara(const File& file, int var, const Indices& start, const Indices& count, int type,
              nanobind::handle values) {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::write);
  void* data = buffer.holding(elements(count), element);
  file.make([&](weir_file* from) { return weir_get_vara(from, var, start.data(), count.data(), element, data); });
}

void get_vara_all(const File& file, int var, const Indices& start, const Indices& count, int type,
                  nanobind::handle values) {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::write);
  void* data = buffer.holding(elements(count), element);
  file.make([&](weir_file* from) { return weir_get_vara_all(from, var, start.data(), count.data(), element, data); });
}

void get(const File& file, int var, std::int64_t record, int layout, int type, nanobind::handle values) {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::write);
  void* data = buffer.holding(file.instance().layout_length(layout), element);
  file.make([&](weir_file* from) { return weir_get(from, var, record, layout, element, data); });
}

void prefetch(const File& file, const std::vector<int>& vars, std::int64_t record, int layout) {
  const int count = static_cast<int>(vars.size());
  file.make([&](weir_file* from) { return weir_prefetch(from, count, vars.data(), record, layout); });
}

}  // namespace weir::python::data
