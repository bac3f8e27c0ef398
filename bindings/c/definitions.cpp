// SPDX-License-Identifier: Apache-2.0
// The C interface: definitions and questions. Contracts are in weir.h.
#include <cstring>

#include "base/text.hpp"
#include "handles.hpp"
#include "schema/text_list.hpp"

using weir::File;
using weir::require;

namespace {

void copy_name(const std::string& from, char* to) {
  if (!to) return;
  std::strncpy(to, from.c_str(), WEIR_MAX_NAME - 1);
  to[WEIR_MAX_NAME - 1] = '\0';
}

const char* named(const char* name) {
  require(name != nullptr, WEIR_EARGUMENT, "a name is NULL");
  return name;
}

int found(int number, const File& file, const char* what, const char* name) {
  require(number >= 0, WEIR_ENOTFOUND, "{} has no {} \"{}\"", file.path(), what, name);
  return number;
}

const weir::Attribute& attribute(const File& file, int var, const char* name) {
  const weir::Attribute* attribute = file.schema().find_attribute(var, named(name));
  require(attribute != nullptr, WEIR_ENOTFOUND, "{} has no attribute \"{}\" there", file.path(), name);
  return *attribute;
}

void put_attribute(File& file, int var, const char* name, weir_type type, std::int64_t count, const void* values) {
  file.definitions().define([&](weir::Schema& schema) {
    const weir::Name given(named(name));
    require(file.definitions().format_asked() != weir::netcdf4_format ||
                !weir::is_reserved_in_netcdf4(weir::last_name(given.text())),
            WEIR_EARGUMENT, "netCDF-4 reserves the attribute name \"{}\"; choose another name", given.text());
    schema.put_attribute(var, given, type, count, values);
  });
}

template <class Change>
int change_storage(weir_file* file, int var, Change change) {
  return weir::guard(file, [&](File& f) {
    f.definitions().define([&](weir::Schema& schema) {
      weir::Storage wanted = schema.variable(var).storage;
      change(wanted);
      schema.set_storage(var, std::move(wanted));
    });
  });
}

}  // namespace

extern "C" {

int weir_def_dim(weir_file* file, const char* name, int64_t length, int* dim) {
  return weir::guard(file, [&](File& f) {
    f.definitions().define([&](weir::Schema& schema) {
      const int number = schema.add_dimension(named(name), length);
      if (dim) *dim = number;
    });
  });
}

int weir_def_dim_unlimited(weir_file* file, const char* name, int64_t length, int* dim) {
  return weir::guard(file, [&](File& f) {
    f.definitions().define([&](weir::Schema& schema) {
      const int number = schema.add_growing_dimension(named(name), length);
      if (dim) *dim = number;
    });
  });
}

int weir_extend_dim(weir_file* file, int dim, int64_t length) {
  return weir::guard(file, [&](File& f) {
    f.definitions().define([&](weir::Schema& schema) { schema.extend_dimension(dim, length); });
  });
}

int weir_def_var(weir_file* file, const char* name, weir_type type, int ndims, const int dims[], int* var) {
  return weir::guard(file, [&](File& f) {
    f.definitions().define([&](weir::Schema& schema) {
      require(ndims >= 0 && (ndims == 0 || dims), WEIR_EARGUMENT, "a variable needs ndims of 0 or more, and its dims");
      const auto count = static_cast<std::size_t>(ndims);
      const int number = schema.add_variable(named(name), type, std::span<const int>(dims, count));
      if (var) *var = number;
    });
  });
}

int weir_put_att(weir_file* file, int var, const char* name, weir_type type, int64_t count, const void* values) {
  return weir::guard(file, [&](File& f) {
    put_attribute(f, var, name, type, count, weir::AttributeValues(type, count, values).data());
  });
}

int weir_put_att_text(weir_file* file, int var, const char* name, const char* text) {
  return weir::guard(file, [&](File& f) { put_attribute(f, var, name, WEIR_CHAR, weir::text_length(text), text); });
}

int weir_def_var_chunking(weir_file* file, int var, int storage, const int64_t chunks[]) {
  return weir::guard(file, [&](File& f) {
    f.definitions().define([&](weir::Schema& schema) {
      require(storage == WEIR_CHUNKED, WEIR_EARGUMENT, "the storage of a variable is {}; Weir writes WEIR_CHUNKED (0)",
              storage);
      weir::Storage wanted = schema.variable(var).storage;
      wanted.chunk.clear();
      if (chunks) wanted.chunk.assign(chunks, chunks + schema.variable(var).dims.size());
      schema.set_storage(var, std::move(wanted));
    });
  });
}

int weir_def_var_deflate(weir_file* file, int var, int shuffle, int deflate, int level) {
  return change_storage(file, var, [&](weir::Storage& wanted) {
    wanted.deflate_level = deflate ? std::optional<int>(level) : std::nullopt;
    wanted.shuffle = shuffle != 0;
  });
}

int weir_def_var_zstd(weir_file* file, int var, int level) {
  return change_storage(file, var, [&](weir::Storage& wanted) { wanted.zstd_level = level; });
}

int weir_def_var_fletcher32(weir_file* file, int var, int fletcher32) {
  return change_storage(file, var, [&](weir::Storage& wanted) { wanted.fletcher32 = fletcher32 != 0; });
}

int weir_def_var_quantize(weir_file* file, int var, int mode, int digits) {
  return change_storage(file, var, [&](weir::Storage& wanted) {
    require(mode >= WEIR_NOQUANTIZE && mode <= WEIR_QUANTIZE_BITROUND, WEIR_EARGUMENT,
            "the quantization mode is {}; give WEIR_NOQUANTIZE, WEIR_QUANTIZE_BITGROOM, WEIR_QUANTIZE_GRANULARBR or "
            "WEIR_QUANTIZE_BITROUND",
            mode);
    wanted.quantization.reset();
    if (mode != WEIR_NOQUANTIZE) wanted.quantization = {static_cast<weir::QuantizeKind>(mode), digits};
  });
}

int weir_set_fill(weir_file* file, weir_fill_mode mode) {
  return weir::guard(file, [&](File& f) { f.definitions().set_fill(mode); });
}

int weir_set_alignment(weir_file* file, int64_t header_free_bytes, int64_t variable_align_bytes,
                       int64_t record_align_bytes) {
  return weir::guard(file, [&](File& f) {
    f.definitions().set_alignment({header_free_bytes, variable_align_bytes, record_align_bytes});
  });
}

int weir_enddef(weir_file* file) {
  return weir::guard(file, [](File& f) { f.definitions().enddef(); });
}

int weir_inq(const weir_file* file, int* ndims, int* nvars, int* natts, int* record_dim) {
  return weir::ask(file, [&](const File& f) {
    if (ndims) *ndims = static_cast<int>(f.schema().dimensions().size());
    if (nvars) *nvars = static_cast<int>(f.schema().variables().size());
    if (natts) *natts = static_cast<int>(f.schema().attributes(WEIR_GLOBAL).size());
    if (record_dim) *record_dim = f.schema().record_dimension();
  });
}

int weir_inq_unlimdims(const weir_file* file, int* ndims, int dims[]) {
  return weir::ask(file, [&](const File& f) {
    int count = 0;
    const auto& dimensions = f.schema().dimensions();
    for (int dim = 0; dim < static_cast<int>(dimensions.size()); ++dim) {
      const weir::Dimension& each = dimensions[static_cast<std::size_t>(dim)];
      if (each.length != WEIR_UNLIMITED && !each.grows) continue;
      if (dims) dims[count] = dim;
      ++count;
    }
    if (ndims) *ndims = count;
  });
}

int weir_inq_nrecords(const weir_file* file, int64_t* records) {
  return weir::ask(file, [&](const File& f) {
    if (records) *records = f.records();
  });
}

int weir_inq_dimid(const weir_file* file, const char* name, int* dim) {
  return weir::ask(file, [&](const File& f) {
    const int number = found(f.schema().find_dimension(named(name)), f, "dimension", name);
    if (dim) *dim = number;
  });
}

int weir_inq_dim(const weir_file* file, int dim, char name[WEIR_MAX_NAME], int64_t* length) {
  return weir::ask(file, [&](const File& f) {
    const auto& dimensions = f.schema().dimensions();
    require(dim >= 0 && static_cast<std::size_t>(dim) < dimensions.size(), WEIR_EARGUMENT,
            "{} has no dimension number {}", f.path(), f.open_file().counting.number(dim));
    const weir::Dimension& dimension = dimensions[static_cast<std::size_t>(dim)];
    copy_name(dimension.name, name);
    if (length) *length = dim == f.schema().record_dimension() ? f.records() : dimension.length;
  });
}

int weir_inq_varid(const weir_file* file, const char* name, int* var) {
  return weir::ask(file, [&](const File& f) {
    const int there = f.schema().find_variable(named(name));
    const std::string reason = there < 0 ? weir::why_left_out(f, name) : "";
    require(reason.empty(), WEIR_ENOTFOUND, reason);
    const int number = found(there, f, "variable", name);
    if (var) *var = number;
  });
}

int weir_inq_var(const weir_file* file, int var, char name[WEIR_MAX_NAME], weir_type* type, int* ndims, int dims[],
                 int* natts) {
  return weir::ask(file, [&](const File& f) {
    const weir::Variable& v = f.variable(var);
    copy_name(v.name, name);
    if (type) *type = v.type;
    if (ndims) *ndims = static_cast<int>(v.dims.size());
    if (dims) std::copy(v.dims.begin(), v.dims.end(), dims);
    if (natts) *natts = static_cast<int>(v.attributes.size());
  });
}

int weir_inq_left_out(const weir_file* file, int* count, const char* names[], const char* reasons[]) {
  return weir::ask(file, [&](const File& f) {
    int number = 0;
    for (const auto& [name, reason] : f.left_out()) {
      if (names) names[number] = name.c_str();
      if (reasons) reasons[number] = reason.c_str();
      ++number;
    }
    if (count) *count = number;
  });
}

int weir_inq_attname(const weir_file* file, int var, int number, char name[WEIR_MAX_NAME]) {
  return weir::ask(file, [&](const File& f) {
    const auto& attributes = f.schema().attributes(var);
    require(number >= 0 && static_cast<std::size_t>(number) < attributes.size(), WEIR_EARGUMENT,
            "{} has no attribute number {} there", f.path(), f.open_file().counting.number(number));
    copy_name(attributes[static_cast<std::size_t>(number)].name, name);
  });
}

int weir_inq_att(const weir_file* file, int var, const char* name, weir_type* type, int64_t* count) {
  return weir::ask(file, [&](const File& f) {
    const weir::Attribute& a = attribute(f, var, name);
    if (type) *type = a.type;
    if (count) *count = a.count;
  });
}

int weir_get_att(const weir_file* file, int var, const char* name, void* values) {
  return weir::ask(file, [&](const File& f) {
    const weir::Attribute& a = attribute(f, var, name);
    if (!values || a.values.empty()) return;
    if (a.type == WEIR_STRING)
      std::ranges::copy(weir::texts_in(a.values), static_cast<const char**>(values));
    else
      std::memcpy(values, a.values.data(), a.values.size());
  });
}

int weir_inq_format(const weir_file* file, int* format) {
  return weir::ask(file, [&](const File& f) {
    require(f.phase() != weir::FilePhase::defining, WEIR_ESTATE, "{}: the format is chosen at weir_enddef", f.path());
    if (format) *format = f.format();
  });
}

}  // extern "C"
