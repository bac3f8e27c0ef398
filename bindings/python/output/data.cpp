// SPDX-License-Identifier: Apache-2.0
#include "data.hpp"

#include "buffer.hpp"

namespace weir::python {

namespace {

using Access = Buffer::Access;

// Elements of a variable without its record dimension.
std::int64_t whole_length(const io::File& file, int var) {
  const int record_dim = file.inq().record_dim;
  std::int64_t all = 1;
  for (const int dim : file.inq_var(var).dims)
    if (dim != record_dim) all *= file.inq_dim(dim).length;
  return all;
}

// call(handle), without the GIL.
template <class Call>
void make(const Instance& instance, Call call) {
  weir_t* const handle = instance.running().handle();
  if (const int code = outside([&] { return call(handle); }); code != WEIR_OK)
    throw io::Error(code, weir_error(handle));
}

// call(handle, data, type) with a field's values.
template <class Call>
void take_values(const Instance& instance, const io::Field& field, int type, nanobind::handle values, Call call) {
  const auto element = static_cast<weir_type>(type);
  if (values.is_none()) return make(instance, [&](weir_t* to) { return call(to, element, nullptr); });
  const Buffer buffer(values, Access::read);
  const void* data = buffer.holding(field.buffer_length(), element);
  make(instance, [&](weir_t* to) { return call(to, element, data); });
}

}  // namespace

void put_att(const File& file, int var, const std::string& name, int type, nanobind::handle values) {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::read);
  const std::int64_t count = buffer.bytes() / type_bytes(element);
  file.make([&](weir_file* to) { return weir_put_att(to, var, name.c_str(), element, count, buffer.data()); });
}

void get_att(const File& file, int var, const std::string& name, nanobind::handle values) {
  const io::File::Attribute attribute = file.open().inq_att(var, name);
  const Buffer buffer(values, Access::write);
  void* data = buffer.holding(attribute.count, attribute.type);
  file.make([&](weir_file* from) { return weir_get_att(from, var, name.c_str(), data); });
}

io::Layout def_layout_map(const Instance& instance, const Indices& shape, nanobind::handle offsets) {
  const Buffer buffer(offsets, Access::read);
  const auto length = static_cast<std::size_t>(buffer.bytes()) / sizeof(std::int64_t);
  const std::span places(static_cast<const std::int64_t*>(buffer.data()), length);
  return outside([&, &weir = instance.running()] { return weir.def_layout_map(shape, places); });
}

void put_vara(const File& file, int var, const Indices& start, const Indices& count, int type,
              nanobind::handle values) {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::read);
  const void* data = buffer.holding(elements(count), element);
  file.make([&](weir_file* to) { return weir_put_vara(to, var, start.data(), count.data(), element, data); });
}

void put(const File& file, int var, std::int64_t record, const io::Layout& layout, int type, nanobind::handle values) {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::read);
  const void* data = buffer.holding(layout.buffer_length(), element);
  file.make([&](weir_file* to) { return weir_put(to, var, record, layout.number(), element, data); });
}

void put_var(const File& file, int var, std::int64_t record, int type, nanobind::handle values) {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::read);
  const void* data = buffer.holding(whole_length(file.open(), var), element);
  file.make([&](weir_file* to) { return weir_put_var(to, var, record, element, data); });
}

std::string fail(const File& file, int code, const std::string& sentence) {
  weir_file* const handle = file.open().handle();
  weir_fail(handle, code, sentence.c_str());
  return weir_file_error(handle);
}

void fail_box(const File& file, int var, int code, const std::string& sentence) {
  file.make([&](weir_file* to) {
    weir_fail(to, code, sentence.c_str());
    return weir_put_vara(to, var, nullptr, nullptr, WEIR_BYTE, nullptr);
  });
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

void get(const File& file, int var, std::int64_t record, const io::Layout& layout, int type, nanobind::handle values) {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::write);
  void* data = buffer.holding(layout.buffer_length(), element);
  file.make([&](weir_file* from) { return weir_get(from, var, record, layout.number(), element, data); });
}

void put_field_att(const Instance& instance, const io::Field* field, const std::string& name, int type,
                   nanobind::handle values) {
  const auto element = static_cast<weir_type>(type);
  const Buffer buffer(values, Access::read);
  const std::int64_t count = buffer.bytes() / type_bytes(element);
  const int number = field ? field->number() : WEIR_GLOBAL;
  make(instance,
       [&](weir_t* to) { return weir_put_field_att(to, number, name.c_str(), element, count, buffer.data()); });
}

void set_field(const Instance& instance, const io::Field& field, int type, nanobind::handle values) {
  take_values(instance, field, type, values, [&](weir_t* to, weir_type element, const void* data) {
    return weir_set_field(to, field.number(), element, data);
  });
}

void send(const Instance& instance, const io::Field& field, double time, int type, nanobind::handle values) {
  take_values(instance, field, type, values, [&](weir_t* to, weir_type element, const void* data) {
    return weir_send(to, field.number(), time, element, data);
  });
}

}  // namespace weir::python
