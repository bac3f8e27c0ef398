// SPDX-License-Identifier: Apache-2.0
#include "instance.hpp"

namespace weir::python {

namespace {

using Access = Buffer::Access;

template <class T>
const T* pointer(const std::optional<std::vector<T>>& values) {
  return values ? values->data() : nullptr;
}

}  // namespace

// Without a box this rank holds nothing.
int Instance::def_layout(const Indices& shape, const std::optional<Indices>& start, const std::optional<Indices>& count,
                         const std::optional<std::vector<int>>& order) const {
  int layout = -1;
  const int ndims = static_cast<int>(shape.size());
  check(outside([&, weir = handle()] {
    return weir_def_layout(weir, ndims, shape.data(), start ? 1 : 0, pointer(start), pointer(count), pointer(order),
                           &layout);
  }));
  return layout;
}

int Instance::def_layout_subarray(const Indices& shape, const std::pair<Indices, Indices>& box,
                                  const std::optional<std::vector<int>>& order,
                                  const std::pair<Indices, Indices>& memory) const {
  int layout = -1;
  const int ndims = static_cast<int>(shape.size());
  check(outside([&, weir = handle()] {
    return weir_def_layout_subarray(weir, ndims, shape.data(), box.first.data(), box.second.data(), pointer(order),
                                    memory.first.data(), memory.second.data(), &layout);
  }));
  return layout;
}

int Instance::def_layout_map(const Indices& shape, nanobind::handle offsets) const {
  int layout = -1;
  const int ndims = static_cast<int>(shape.size());
  const Buffer buffer(offsets, Access::read);
  check(outside([&, weir = handle()] {
    const auto length = buffer.bytes() / static_cast<std::int64_t>(sizeof(std::int64_t));
    return weir_def_layout_map(weir, ndims, shape.data(), length, static_cast<const std::int64_t*>(buffer.data()),
                               &layout);
  }));
  return layout;
}

File::File(std::shared_ptr<Instance> instance, const std::string& path, int mode, bool is_new)
    : instance_(std::move(instance)), path_(path) {
  instance_->check(outside([&, weir = instance_->handle()] {
    return is_new ? weir_create(weir, path_.c_str(), mode, &file_) : weir_open(weir, path_.c_str(), mode, &file_);
  }));
}

void File::put_att(int var, const std::string& name, int type, nanobind::handle values) const {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::read);
  check(weir_put_att(handle(), var, name.c_str(), element, buffer.bytes() / type_bytes(element), buffer.data()));
}

void File::put_att_texts(int var, const std::string& name, const std::vector<std::string>& texts) const {
  std::vector<const char*> values;
  for (const std::string& text : texts) values.push_back(text.c_str());
  check(weir_put_att(handle(), var, name.c_str(), WEIR_STRING, std::ssize(values), values.data()));
}

void File::def_var_chunking(int var, const Indices& chunks) const {
  int ndims = 0;
  check(weir_inq_var(handle(), var, nullptr, nullptr, &ndims, nullptr, nullptr));
  if (std::ssize(chunks) != ndims)
    throw io::Error(WEIR_EARGUMENT, "chunksizes has " + std::to_string(chunks.size()) + " numbers for " +
                                        std::to_string(ndims) + " dimensions: give one for each");
  check(weir_def_var_chunking(handle(), var, WEIR_CHUNKED, chunks.data()));
}

void File::put_vara(int var, const Indices& start, const Indices& count, int type, nanobind::handle values) const {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::read);
  const void* data = buffer.holding(elements(count), element);
  check(outside([&, file = handle()] { return weir_put_vara(file, var, start.data(), count.data(), element, data); }));
}

void File::put(int var, std::int64_t record, int layout, int type, nanobind::handle values) const {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::read);
  const void* data = buffer.holding(instance_->layout_length(layout), element);
  check(outside([&, file = handle()] { return weir_put(file, var, record, layout, element, data); }));
}

void File::put_var(int var, std::int64_t record, int type, nanobind::handle values) const {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::read);
  const void* data = buffer.holding(whole_length(var), element);
  check(outside([&, file = handle()] { return weir_put_var(file, var, record, element, data); }));
}

void File::fail_box(int var, int code, const std::string& sentence) const {
  check(outside([&, file = handle()] {
    weir_fail(file, code, sentence.c_str());
    return weir_put_vara(file, var, nullptr, nullptr, WEIR_BYTE, nullptr);
  }));
}

void File::get_vara(int var, const Indices& start, const Indices& count, int type, nanobind::handle values) const {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::write);
  void* data = buffer.holding(elements(count), element);
  check(outside([&, file = handle()] { return weir_get_vara(file, var, start.data(), count.data(), element, data); }));
}

void File::get_vara_all(int var, const Indices& start, const Indices& count, int type, nanobind::handle values) const {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::write);
  void* data = buffer.holding(elements(count), element);
  check(outside(
      [&, file = handle()] { return weir_get_vara_all(file, var, start.data(), count.data(), element, data); }));
}

void File::get(int var, std::int64_t record, int layout, int type, nanobind::handle values) const {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::write);
  void* data = buffer.holding(instance_->layout_length(layout), element);
  check(outside([&, file = handle()] { return weir_get(file, var, record, layout, element, data); }));
}

void File::prefetch(const std::vector<int>& vars, std::int64_t record, int layout) const {
  const int count = static_cast<int>(vars.size());
  check(outside([&, file = handle()] { return weir_prefetch(file, count, vars.data(), record, layout); }));
}

std::tuple<std::string, int, std::vector<int>, int> File::var(int number) const {
  char name[WEIR_MAX_NAME] = "";
  weir_type type{};
  int ndims = 0, natts = 0;
  check(weir_inq_var(handle(), number, name, &type, &ndims, nullptr, &natts));
  std::vector<int> dims(static_cast<std::size_t>(ndims));
  check(weir_inq_var(handle(), number, nullptr, nullptr, nullptr, dims.data(), nullptr));
  return {name, type, dims, natts};
}

void File::get_att(int var, const std::string& name, nanobind::handle values) const {
  const auto [type, count] = att(var, name);
  const Buffer buffer(values, Access::write);
  check(weir_get_att(handle(), var, name.c_str(), buffer.holding(count, static_cast<weir_type>(type))));
}

std::vector<std::string> File::get_att_texts(int var, const std::string& name) const {
  const auto [type, count] = att(var, name);
  if (type != WEIR_STRING) throw io::Error(WEIR_EARGUMENT, "attribute \"" + name + "\" has no strings");
  std::vector<const char*> values(static_cast<std::size_t>(count));
  check(weir_get_att(handle(), var, name.c_str(), values.data()));
  return {values.begin(), values.end()};
}

std::vector<int> File::unlimdims() const {
  int count = 0;
  check(weir_inq_unlimdims(handle(), &count, nullptr));
  std::vector<int> dims(static_cast<std::size_t>(count));
  check(weir_inq_unlimdims(handle(), &count, dims.data()));
  return dims;
}

std::vector<std::pair<std::string, std::string>> File::left_out() const {
  int count = 0;
  check(weir_inq_left_out(handle(), &count, nullptr, nullptr));
  std::vector<const char*> names(static_cast<std::size_t>(count)), reasons(names.size());
  check(weir_inq_left_out(handle(), nullptr, names.data(), reasons.data()));
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t i = 0; i < names.size(); ++i) all.emplace_back(names[i], reasons[i]);
  return all;
}

// Elements of a variable without its record dimension.
std::int64_t File::whole_length(int var) const {
  int ndims = 0, record_dim = -1;
  check(weir_inq_var(handle(), var, nullptr, nullptr, &ndims, nullptr, nullptr));
  std::vector<int> dims(static_cast<std::size_t>(ndims));
  check(weir_inq_var(handle(), var, nullptr, nullptr, nullptr, dims.data(), nullptr));
  check(weir_inq(handle(), nullptr, nullptr, nullptr, &record_dim));
  std::int64_t all = 1;
  for (const int dim : dims) {
    std::int64_t length = 1;
    if (dim != record_dim) check(weir_inq_dim(handle(), dim, nullptr, &length));
    all *= length;
  }
  return all;
}

}  // namespace weir::python
