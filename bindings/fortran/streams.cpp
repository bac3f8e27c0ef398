// SPDX-License-Identifier: Apache-2.0
// The procedures of module weir_streams. The shape of values is checked here, as in data.cpp.
#include <algorithm>

#include "base/text.hpp"
#include "c/start.hpp"
#include "procedures.hpp"
#include "values.hpp"

namespace weir::fortran {
namespace {

// Names of dimensions, slowest first.
std::vector<std::string> dimension_names(const CFI_cdesc_t& dims) {
  const Buffer names(dims);
  if (names.type() != WEIR_CHAR || dims.rank > 1 || names.length() < 0)
    throw Refusal(WEIR_EARGUMENT,
                  "dims are no list of names; give an array of characters: [character(3) :: 'lon', 'lat']");
  std::vector<std::string> turned = texts_of(dims, names);
  std::reverse(turned.begin(), turned.end());
  return turned;
}

// Makes a call that takes a field's values: call(buffer). A rank that refuses its values here makes it without them,
// by which the core refuses them too, and all ranks hear of it.
template <class Call>
void take_values(weir_t* instance, int field, const CFI_cdesc_t& array, Answer answer, Call call) {
  call_on(instance, answer, [&] {
    try {
      const Buffer values(array);
      require_fit(values, field_shape(instance, field), formatted("field {}", field + 1));
      return call(values.type(), values.data());
    } catch (const Refusal&) {
      static_cast<void>(call(WEIR_BYTE, nullptr));
      throw;
    }
  });
}

}  // namespace
}  // namespace weir::fortran

using namespace weir::fortran;

extern "C" {

void weir_f_def_field(weir_t* const* instance, const CFI_cdesc_t* name, const int* type, const CFI_cdesc_t* dims,
                      const int* layout, int* field, int* stat, CFI_cdesc_t* errmsg) {
  *field = 0;
  call_on(*instance, {stat, errmsg}, [&] {
    const std::vector<std::string> names = dimension_names(*dims);
    std::vector<const char*> pointers;
    for (const std::string& each : names) pointers.push_back(each.c_str());
    int field_from_0 = -1;
    const int code = weir_def_field(*instance, trimmed_text(name).c_str(), static_cast<weir_type>(*type),
                                    static_cast<int>(pointers.size()), pointers.data(), *layout - 1, &field_from_0);
    *field = field_from_0 + 1;
    return code;
  });
}

void weir_f_put_field_att(weir_t* const* instance, const int* field, const CFI_cdesc_t* name, const CFI_cdesc_t* values,
                          const int* type, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*instance, {stat, errmsg}, [&] {
    const AttributeValues given(*values, type);
    return weir_put_field_att(*instance, *field - 1, trimmed_text(name).c_str(), given.type(), given.count(),
                              given.data());
  });
}

void weir_f_set_field(weir_t* const* instance, const int* field, const CFI_cdesc_t* values, int* stat,
                      CFI_cdesc_t* errmsg) {
  take_values(*instance, *field - 1, *values, {stat, errmsg},
              [&](weir_type type, const void* data) { return weir_set_field(*instance, *field - 1, type, data); });
}

void weir_f_start_streams(weir_t* const* instance, const CFI_cdesc_t* units, const double* start,
                          const CFI_cdesc_t* calendar, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*instance, {stat, errmsg}, [&] {
    const std::string named = trimmed_text(calendar);
    return weir_start_streams(*instance, trimmed_text(units).c_str(), named.empty() ? nullptr : named.c_str(), *start);
  });
}

void weir_f_send(weir_t* const* instance, const int* field, const double* time, const CFI_cdesc_t* values, int* stat,
                 CFI_cdesc_t* errmsg) {
  take_values(*instance, *field - 1, *values, {stat, errmsg},
              [&](weir_type type, const void* data) { return weir_send(*instance, *field - 1, *time, type, data); });
}

}  // extern "C"
