// SPDX-License-Identifier: Apache-2.0
// The procedures of module weir_inquiry.
#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "procedures.hpp"

namespace weir::fortran {
namespace {

struct AttributeShape {
  weir_type type = WEIR_CHAR;
  std::int64_t count = 0;
};

int ask_dimension(const weir_file* file, int dim, std::int64_t* length, CFI_cdesc_t* name) {
  char characters[WEIR_MAX_NAME] = "";
  const int code = weir_inq_dim(file, dim, characters, length);
  if (code == WEIR_OK) assign_text(name, characters);
  return code;
}

// dims: from slowest first to fastest first, and from counting from 0 to counting from 1.
int ask_dims(const weir_file* file, int var, int axes, const CFI_cdesc_t& dims_array) {
  if (dims_array.dim[0].extent < axes)
    throw Refusal(WEIR_EARGUMENT, formatted("dims has {} elements, but variable {} has {} dimensions",
                                            dims_array.dim[0].extent, var + 1, axes));
  std::vector<int> dims(static_cast<std::size_t>(axes));
  const int code = weir_inq_var(file, var, nullptr, nullptr, nullptr, dims.data(), nullptr);
  if (code != WEIR_OK) return code;
  auto* next = static_cast<int*>(dims_array.base_addr);
  std::for_each(dims.rbegin(), dims.rend(), [&](int dim) { *next++ = dim + 1; });
  return WEIR_OK;
}

struct VariableAnswer {
  CFI_cdesc_t* name;
  int *type, *axes;
  CFI_cdesc_t* dims;
  int* attributes;
};

int answer_variable(const weir_file* file, int var, const VariableAnswer& answer) {
  char characters[WEIR_MAX_NAME] = "";
  weir_type type = WEIR_BYTE;
  int axes = 0;
  int attributes = 0;
  const int code = weir_inq_var(file, var, characters, &type, &axes, nullptr, &attributes);
  if (code != WEIR_OK) return code;
  assign_text(answer.name, characters);
  if (answer.type != nullptr) *answer.type = type;
  if (answer.axes != nullptr) *answer.axes = axes;
  if (answer.attributes != nullptr) *answer.attributes = attributes;
  return answer.dims == nullptr ? WEIR_OK : ask_dims(file, var, axes, *answer.dims);
}

weir_type signed_twin(weir_type type) {
  switch (type) {
    case WEIR_UBYTE:
      return WEIR_BYTE;
    case WEIR_USHORT:
      return WEIR_SHORT;
    case WEIR_UINT:
      return WEIR_INT;
    case WEIR_UINT64:
      return WEIR_INT64;
    default:
      return type;
  }
}

void require_room(const std::string& name, const AttributeShape& attribute, const Buffer& values) {
  if (values.type() != signed_twin(attribute.type))
    throw Refusal(WEIR_EARGUMENT,
                  formatted("attribute {} is of type {}, but values are {}; give values of the attribute's kind", name,
                            type_name(attribute.type), type_name(values.type())));
  if (values.length() < attribute.count)
    throw Refusal(WEIR_EARGUMENT,
                  formatted("attribute {} has {} elements, but values have {}; ask weir_inq_att for the count first",
                            name, attribute.count, values.length()));
}

// One text an element, each with room for it; `whose` has them.
void assign_texts(const CFI_cdesc_t& array, const std::vector<const char*>& texts, const std::string& whose) {
  Buffer values(array);
  const std::int64_t length = values.type() == WEIR_CHAR ? static_cast<std::int64_t>(array.elem_len) : 0;
  if (values.type() != WEIR_CHAR || values.length() < std::ssize(texts) * length)
    throw Refusal(WEIR_EARGUMENT,
                  formatted("{} has {} string(s); give an array of so many characters, or one for one string", whose,
                            texts.size()));
  auto* element = static_cast<char*>(values.data());
  std::fill_n(element, values.length(), ' ');
  for (const char* const text : texts) {
    const std::string_view value(text);
    if (std::ssize(value) > length)
      throw Refusal(WEIR_EARGUMENT,
                    formatted("{} has a string of {} characters, but values have room for {}; give longer ones", whose,
                              value.size(), length));
    std::copy(value.begin(), value.end(), element);
    element += length;
  }
}

int get_texts(const weir_file* file, int var, const std::string& name, const CFI_cdesc_t& array, std::int64_t count) {
  std::vector<const char*> texts(static_cast<std::size_t>(count));
  const int code = weir_get_att(file, var, name.c_str(), texts.data());
  if (code == WEIR_OK) assign_texts(array, texts, formatted("attribute {}", name));
  return code;
}

int get_left_out(const weir_file* file, int* count, const CFI_cdesc_t* names, const CFI_cdesc_t* reasons) {
  int number = 0;
  if (const int code = weir_inq_left_out(file, &number, nullptr, nullptr); code != WEIR_OK) return code;
  if (count != nullptr) *count = number;
  std::vector<const char*> named(static_cast<std::size_t>(number)), why(named.size());
  const int code = weir_inq_left_out(file, nullptr, named.data(), why.data());
  if (code != WEIR_OK) return code;
  if (names != nullptr) assign_texts(*names, named, "the list of omitted items");
  if (reasons != nullptr) assign_texts(*reasons, why, "the list of reasons");
  return code;
}

int get_attribute(const weir_file* file, int var, const std::string& name, const CFI_cdesc_t& array) {
  AttributeShape attribute;
  const int code = weir_inq_att(file, var, name.c_str(), &attribute.type, &attribute.count);
  if (code != WEIR_OK) return code;
  if (attribute.type == WEIR_STRING) return get_texts(file, var, name, array, attribute.count);
  Buffer values(array);
  require_room(name, attribute, values);
  if (values.type() == WEIR_CHAR) std::fill_n(static_cast<char*>(values.data()), values.length(), ' ');
  return weir_get_att(file, var, name.c_str(), values.data());
}

}  // namespace
}  // namespace weir::fortran

using namespace weir::fortran;

extern "C" {

void weir_f_inq(const FileHandle* file, int* ndims, int* nvars, int* natts, int* record_dim, int* stat,
                CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] {
    int dims = 0, vars = 0, atts = 0, record = -1;
    const int code = weir_inq(file->file, &dims, &vars, &atts, &record);
    if (ndims != nullptr) *ndims = dims;
    if (nvars != nullptr) *nvars = vars;
    if (natts != nullptr) *natts = atts;
    if (record_dim != nullptr) *record_dim = record + 1;
    return code;
  });
}

// dims(1:ndims) gets the dimensions; its other elements stay as they are.
void weir_f_inq_unlimdims(const FileHandle* file, int* ndims, CFI_cdesc_t* dims, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] {
    int count = 0;
    if (const int code = weir_inq_unlimdims(file->file, &count, nullptr); code != WEIR_OK) return code;
    if (ndims != nullptr) *ndims = count;
    if (dims == nullptr) return static_cast<int>(WEIR_OK);
    if (dims->dim[0].extent < count)
      throw Refusal(WEIR_EARGUMENT, weir::formatted("dims has {} elements, but there are {} unlimited dimensions",
                                                    dims->dim[0].extent, count));
    auto* const first = static_cast<int*>(dims->base_addr);
    const int code = weir_inq_unlimdims(file->file, nullptr, first);
    std::for_each(first, first + count, [](int& dim) { ++dim; });
    return code;
  });
}

void weir_f_inq_nrecords_int32(const FileHandle* file, std::int32_t* records, int* stat, CFI_cdesc_t* errmsg) {
  *records = 0;
  call_on(*file, {stat, errmsg}, [&] {
    std::int64_t number = 0;
    const int code = weir_inq_nrecords(file->file, &number);
    *records = short_integer(number, "the number of records");
    return code;
  });
}

void weir_f_inq_dim_int64(const FileHandle* file, const int* dim, std::int64_t* length, CFI_cdesc_t* name, int* stat,
                          CFI_cdesc_t* errmsg) {
  *length = 0;
  call_on(*file, {stat, errmsg}, [&] { return ask_dimension(file->file, *dim - 1, length, name); });
}

void weir_f_inq_dim_int32(const FileHandle* file, const int* dim, std::int32_t* length, CFI_cdesc_t* name, int* stat,
                          CFI_cdesc_t* errmsg) {
  *length = 0;
  call_on(*file, {stat, errmsg}, [&] {
    std::int64_t elements = 0;
    const int code = ask_dimension(file->file, *dim - 1, &elements, name);
    *length = short_integer(elements, "the dimension's length");
    return code;
  });
}

void weir_f_inq_var(const FileHandle* file, const int* var, CFI_cdesc_t* name, int* type, int* ndims, CFI_cdesc_t* dims,
                    int* natts, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] {
    return answer_variable(file->file, *var - 1, {name, type, ndims, dims, natts});
  });
}

void weir_f_inq_left_out(const FileHandle* file, int* count, CFI_cdesc_t* names, CFI_cdesc_t* reasons, int* stat,
                         CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] { return get_left_out(file->file, count, names, reasons); });
}

void weir_f_inq_attname(const FileHandle* file, const int* var, const int* number, CFI_cdesc_t* name, int* stat,
                        CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] {
    char characters[WEIR_MAX_NAME] = "";
    const int code = weir_inq_attname(file->file, *var - 1, *number - 1, characters);
    if (code == WEIR_OK) assign_text(name, characters);
    return code;
  });
}

void weir_f_inq_att(const FileHandle* file, const int* var, const CFI_cdesc_t* name, int* type, std::int64_t* count,
                    int* stat, CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] {
    AttributeShape attribute;
    const int code = weir_inq_att(file->file, *var - 1, trimmed_text(name).c_str(), &attribute.type, &attribute.count);
    if (type != nullptr) *type = attribute.type;
    if (count != nullptr) *count = attribute.count;
    return code;
  });
}

void weir_f_get_att(const FileHandle* file, const int* var, const CFI_cdesc_t* name, CFI_cdesc_t* values, int* stat,
                    CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] { return get_attribute(file->file, *var - 1, trimmed_text(name), *values); });
}

}  // extern "C"
