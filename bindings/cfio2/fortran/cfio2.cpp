// SPDX-License-Identifier: Apache-2.0
// The procedures of module cfio2.
#include <cfio2.h>

#include <array>
#include <cstring>

#include "../../fortran/descriptor.hpp"
#include "../calls.hpp"
#include "base/text.hpp"

namespace weir::cfio2 {
namespace {

using fortran::Buffer;
using fortran::integers;
using fortran::Refusal;
using fortran::trimmed_text;

struct Answer {
  int* stat;
  CFI_cdesc_t* errmsg;

  void give(int code) const {
    if (stat != nullptr) *stat = code;
    if (code != WEIR_OK) fortran::assign_text(errmsg, cfio2_error());
  }
};

// An integer handle and the one component of a type(MPI_Comm) look alike.
MPI_Comm communicator(const CFI_cdesc_t* comm) {
  MPI_Fint handle = 0;
  if (comm->rank != 0 || comm->elem_len != sizeof handle) return MPI_COMM_NULL;
  std::memcpy(&handle, comm->base_addr, sizeof handle);
  return MPI_Comm_f2c(handle);
}

std::int64_t number(const CFI_cdesc_t* value) {
  const auto* bytes = static_cast<const unsigned char*>(value->base_addr);
  for (std::size_t i = 0; i < value->elem_len; ++i)
    if (bytes[i] != 0) return 1;
  return 0;
}

std::vector<std::string> texts(const CFI_cdesc_t* array) {
  std::vector<std::string> names;
  const auto* first = static_cast<const char*>(array->base_addr);
  for (CFI_index_t i = 0; i < array->dim[0].extent; ++i) {
    std::string name(first + i * static_cast<CFI_index_t>(array->elem_len), array->elem_len);
    name.erase(name.find_last_not_of(' ') + 1);
    names.push_back(std::move(name));
  }
  return names;
}

// The arrays of a call, one entry a dimension, and what is wrong with them.
struct Axes {
  std::vector<std::string> names;
  std::vector<const char*> name_pointers;
  Shape global, start, count;
};

Shape axis(const CFI_cdesc_t* array, const char* what, std::size_t ndims) {
  const bool is_integer = array->type != CFI_type_char && (array->elem_len == 4 || array->elem_len == 8);
  if (array->rank != 1 || !is_integer)
    throw Refusal(WEIR_EARGUMENT, formatted("{} is to be an array of integer(int32) or integer(int64)", what));
  Shape values = integers(*array);
  if (values.size() != ndims)
    throw Refusal(WEIR_EARGUMENT, formatted("{} has {} entries and dim_name {}; give one for each dimension", what,
                                            values.size(), ndims));
  return values;
}

Axes read_axes(const CFI_cdesc_t* dim_name, const CFI_cdesc_t* global, const CFI_cdesc_t* start,
               const CFI_cdesc_t* count) {
  Axes axes;
  axes.names = texts(dim_name);
  for (const std::string& name : axes.names) axes.name_pointers.push_back(name.c_str());
  axes.global = axis(global, "global", axes.names.size());
  axes.start = axis(start, "start", axes.names.size());
  axes.count = axis(count, "count", axes.names.size());
  for (std::int64_t& first : axes.start) --first;
  return axes;
}

bool is_of_type(weir_type memory, weir_type type) {
  return memory == type || (memory == WEIR_BYTE && type == WEIR_UBYTE) ||
         (memory == WEIR_SHORT && type == WEIR_USHORT) || (memory == WEIR_INT && type == WEIR_UINT) ||
         (memory == WEIR_INT64 && type == WEIR_UINT64);
}

// The buffer's kind and length are known here, and so they are checked.
const void* checked_values(const CFI_cdesc_t* buf, int datatype, const Axes& axes) {
  const Buffer buffer(*buf);
  const weir_type type = type_of(datatype);
  const std::int64_t needed = elements(axes.count);
  if (!is_of_type(buffer.type(), type))
    throw Refusal(WEIR_EARGUMENT, formatted("buf is of type {}, and datatype says {}",
                                            fortran::type_name(buffer.type()), fortran::type_name(type)));
  if (needed > 0 && buffer.length() >= 0 && buffer.length() != needed)
    throw Refusal(WEIR_EARGUMENT, formatted("buf has {} elements, and count says {}", buffer.length(), needed));
  return buffer.data();
}

struct PutCall {
  const CFI_cdesc_t *comm, *append, *filename, *var_name;
  int datatype;
  const CFI_cdesc_t *dim_name, *global, *start, *count;
};

template <class Values>
void put_vara(const PutCall& call, Values values, Answer answer) {
  const std::string path = trimmed_text(call.filename), name = trimmed_text(call.var_name);
  Axes axes;
  const void* data = nullptr;
  Status refused;
  try {
    axes = read_axes(call.dim_name, call.global, call.start, call.count);
    data = values(axes);
  } catch (const Refusal& refusal) {
    refused = {refusal.code(), formatted("cfio2_put_vara of \"{}\" into {}: {}", name, path, refusal.what())};
  } catch (const Error& error) {
    refused = {error.code(), formatted("cfio2_put_vara of \"{}\" into {}: {}", name, path, error.what())};
  }
  answer.give(
      put(communicator(call.comm),
          {path.c_str(), name.c_str(), call.datatype, static_cast<int>(axes.count.size()), axes.name_pointers.data(),
           axes.global.data(), axes.start.data(), axes.count.data(), data, number(call.append) != 0},
          refused));
}

int datatype_of(weir_type type) {
  for (int datatype = cfio2_data_type_int; datatype <= cfio2_data_type_uint64; ++datatype)
    if (type_of(datatype) == type) return datatype;
  return -1;
}

}  // namespace
}  // namespace weir::cfio2

using namespace weir::cfio2;

extern "C" {

void cfio2_f_init(const CFI_cdesc_t* comm, const int* per_node, const int* per_var, int* stat, CFI_cdesc_t* errmsg) {
  Answer{stat, errmsg}.give(cfio2_init(communicator(comm), *per_node, *per_var));
}

void cfio2_f_wait_output(const CFI_cdesc_t* comm, int* stat, CFI_cdesc_t* errmsg) {
  Answer{stat, errmsg}.give(cfio2_wait_output(communicator(comm)));
}

void cfio2_f_finalize(const CFI_cdesc_t* comm, int* stat, CFI_cdesc_t* errmsg) {
  Answer{stat, errmsg}.give(cfio2_finalize(communicator(comm)));
}

int cfio2_f_control_process(const CFI_cdesc_t* comm) {
  return cfio2_control_process(communicator(comm));
}

void cfio2_f_put_vara(const CFI_cdesc_t* comm, const CFI_cdesc_t* filename, const CFI_cdesc_t* var_name,
                      const int* datatype, const CFI_cdesc_t* dim_name, const CFI_cdesc_t* global,
                      const CFI_cdesc_t* start, const CFI_cdesc_t* count, const CFI_cdesc_t* buf,
                      const CFI_cdesc_t* append, int* stat, CFI_cdesc_t* errmsg) {
  put_vara({comm, append, filename, var_name, *datatype, dim_name, global, start, count},
           [&](const Axes& axes) { return checked_values(buf, *datatype, axes); }, {stat, errmsg});
}

void cfio2_f_put_vara_address(const CFI_cdesc_t* comm, const CFI_cdesc_t* filename, const CFI_cdesc_t* var_name,
                              const int* datatype, const CFI_cdesc_t* dim_name, const CFI_cdesc_t* global,
                              const CFI_cdesc_t* start, const CFI_cdesc_t* count, const void* buf,
                              const CFI_cdesc_t* append, int* stat, CFI_cdesc_t* errmsg) {
  put_vara({comm, append, filename, var_name, *datatype, dim_name, global, start, count},
           [&](const Axes&) { return buf; }, {stat, errmsg});
}

void cfio2_f_put_att(const CFI_cdesc_t* comm, const CFI_cdesc_t* filename, const CFI_cdesc_t* var_name,
                     const CFI_cdesc_t* name, const CFI_cdesc_t* values, int* stat, CFI_cdesc_t* errmsg) {
  const std::string path = trimmed_text(filename), var = trimmed_text(var_name), attribute = trimmed_text(name);
  AttributeArguments call{path.c_str(), var.c_str(), attribute.c_str(), cfio2_data_type_char, 0, nullptr};
  weir::Status refused;
  try {
    const Buffer buffer(*values);
    call.datatype = datatype_of(buffer.type());
    call.length = buffer.length();
    call.values = buffer.data();
  } catch (const Refusal& refusal) {
    refused = {refusal.code(), weir::formatted("cfio2_put_att of \"{}\" into {}: {}", attribute, path, refusal.what())};
  }
  Answer{stat, errmsg}.give(put_attribute(communicator(comm), call, refused));
}

}  // extern "C"
