// SPDX-License-Identifier: Apache-2.0
// The C interface: streams. Contracts are in weir.h.
#include "streams/streams.hpp"

#include "handles.hpp"
#include "start.hpp"

using weir::require;
using weir::require_pointer;
using weir::Streams;

namespace {

template <class Call>
int call_streams(weir_t* weir, Call call) {
  return weir::guard(weir, nullptr, [&] { call(weir->instance->streams()); });
}

std::vector<std::string> dimension_names(int ndims, const char* const dims[]) {
  require(ndims >= 0 && (ndims == 0 || dims), WEIR_EARGUMENT,
          "a field needs ndims of 0 or more, and the names of its dims");
  std::vector<std::string> names;
  for (int dim = 0; dim < ndims; ++dim) {
    require_pointer(dims[dim], "the name of a dimension");
    names.emplace_back(dims[dim]);
  }
  return names;
}

void put_field_attribute(weir_t* weir, int field, const char* name, weir_type type, std::int64_t count,
                         const void* values) {
  require_pointer(name, "name");
  weir->instance->streams().definitions().put_attribute(field, name, type, count,
                                                        weir::AttributeValues(type, count, values).data());
}

// The layout of a field, or -1 of a scalar.
void remember_layout(weir_instance& weir, int field, int layout) {
  const auto number = static_cast<std::size_t>(field);
  if (weir.field_layouts.size() <= number) weir.field_layouts.resize(number + 1, -1);
  weir.field_layouts[number] = layout;
}

}  // namespace

const std::int64_t* weir_binding_field_shape(const weir_t* weir, int field, std::size_t* axes) noexcept {
  static constexpr std::int64_t nothing = 0, one = 1;
  *axes = 1;
  if (!weir || field < 0 || static_cast<std::size_t>(field) >= weir->field_layouts.size()) return &nothing;
  const int layout = weir->field_layouts[static_cast<std::size_t>(field)];
  if (layout < 0) return weir->instance->comm().rank() == 0 ? &one : &nothing;
  return weir_binding_memory_shape(weir, layout, axes);
}

extern "C" {

int weir_def_field(weir_t* weir, const char* name, weir_type type, int ndims, const char* const dims[], int layout,
                   int* field) {
  return call_streams(weir, [&](Streams& streams) {
    require_pointer(name, "name");
    require_pointer(field, "field");
    *field = streams.definitions().define_field(name, type, dimension_names(ndims, dims), layout);
    remember_layout(*weir, *field, ndims == 0 ? -1 : layout);
  });
}

int weir_put_field_att(weir_t* weir, int field, const char* name, weir_type type, int64_t count, const void* values) {
  return call_streams(weir, [&](Streams&) { put_field_attribute(weir, field, name, type, count, values); });
}

int weir_put_field_att_text(weir_t* weir, int field, const char* name, const char* text) {
  return call_streams(
      weir, [&](Streams&) { put_field_attribute(weir, field, name, WEIR_CHAR, weir::text_length(text), text); });
}

int weir_set_field(weir_t* weir, int field, weir_type type, const void* values) {
  return call_streams(weir, [&](Streams& streams) { streams.definitions().set_field(field, type, values); });
}

int weir_start_streams(weir_t* weir, const char* units, const char* calendar, double start) {
  return call_streams(weir, [&](Streams& streams) {
    // What is NULL on this rank alone becomes known to all ranks by start, where "" are no units.
    streams.start(units ? units : "", calendar ? calendar : "standard", start);
  });
}

int weir_send(weir_t* weir, int field, double time, weir_type type, const void* values) {
  return call_streams(weir, [&](Streams& streams) { streams.send(field, time, type, values); });
}

int weir_field_wanted(const weir_t* weir, int field, double time, int* wanted) {
  if (!weir || !wanted) return WEIR_EARGUMENT;
  try {
    *wanted = weir->instance->streams().wanted(field, time) ? 1 : 0;
    return WEIR_OK;
  } catch (const std::exception&) {
    weir::Status status = weir::caught();
    weir->error = std::move(status.message);
    return status.code;
  }
}

}  // extern "C"
