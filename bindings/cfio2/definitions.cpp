// SPDX-License-Identifier: Apache-2.0
#include "definitions.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "schema/schema.hpp"
#include "schema/text_list.hpp"

namespace weir::cfio2 {

namespace {

int define_dimension_from_put(Schema& schema, const std::string& name, std::int64_t length) {
  const int known = schema.find_dimension(name);
  if (known < 0) return schema.add_dimension(name, length);
  const std::int64_t there = schema.dimensions()[static_cast<std::size_t>(known)].length;
  const auto in_words = [](std::int64_t n) {
    return n == 0 ? std::string("no fixed length (it counts records)") : formatted("length {}", n);
  };
  require(there == length, WEIR_EARGUMENT,
          "dimension \"{}\" has {} in the file and {} here; give another length another name", name, in_words(there),
          in_words(length));
  return known;
}

void check(int code, const weir_file* file) {
  if (code != WEIR_OK) throw Error(static_cast<Code>(code), weir_file_error(file));
}

void read_attributes(const weir_file* file, int var, int natts, Schema& schema) {
  for (int number = 0; number < natts; ++number) {
    char name[WEIR_MAX_NAME];
    weir_type type = WEIR_CHAR;
    std::int64_t count = 0;
    check(weir_inq_attname(file, var, number, name), file);
    check(weir_inq_att(file, var, name, &type, &count), file);
    std::vector<std::byte> values(static_cast<std::size_t>(count * type_bytes(type)));
    if (type == WEIR_STRING) {
      std::vector<const char*> texts(static_cast<std::size_t>(count));
      check(weir_get_att(file, var, name, texts.data()), file);
      values = join_texts(texts);
    } else {
      check(weir_get_att(file, var, name, values.data()), file);
    }
    schema.put_attribute(var, Name::stored(name), type, count, values.data());
  }
}

void define_attributes(weir_file* file, int var, const Schema& schema) {
  for (const Attribute& attribute : schema.attributes(var)) {
    const std::vector<const char*> texts =
        attribute.type == WEIR_STRING ? texts_in(attribute.values) : std::vector<const char*>();
    const void* const values =
        attribute.type == WEIR_STRING ? static_cast<const void*>(texts.data()) : attribute.values.data();
    check(weir_put_att(file, var, attribute.name.c_str(), attribute.type, attribute.count, values), file);
  }
}

}  // namespace

int define_from_put(Schema& schema, const Put& put) {
  const int known = schema.find_variable(put.name);
  std::vector<int> dims;
  Schema grown = schema;
  for (std::size_t d = 0; d < put.dims.size(); ++d)
    dims.push_back(define_dimension_from_put(grown, put.dims[d], put.global[d]));
  if (known < 0) {
    const int var = grown.add_variable(put.name, put.type, dims);
    schema = std::move(grown);
    return var;
  }
  const Variable& there = schema.variable(known);
  require(there.type == put.type && there.dims == dims, WEIR_EARGUMENT,
          "\"{}\" is {} over {} dimension(s) in the file, and this put has another type or other dimensions; give it "
          "another name, or create the file again with append = 0",
          put.name, type_name(there.type), there.dims.size());
  return known;
}

bool agrees(const Schema& schema, int var, const Put& put) {
  const Variable& variable = schema.variables()[static_cast<std::size_t>(var)];
  if (variable.type != put.type || variable.dims.size() != put.dims.size()) return false;
  for (std::size_t d = 0; d < put.dims.size(); ++d) {
    const Dimension& dimension = schema.dimensions()[static_cast<std::size_t>(variable.dims[d])];
    if (!same_name(dimension.name, put.dims[d]) || dimension.length != put.global[d]) return false;
  }
  return true;
}

Schema merged(const Schema& base, const Schema& more) {
  Schema whole = base;
  for (const Dimension& dimension : more.dimensions())
    define_dimension_from_put(whole, dimension.name, dimension.length);
  put_attributes(whole, WEIR_GLOBAL, more.attributes(WEIR_GLOBAL));
  for (const Variable& variable : more.variables()) {
    Put put;
    put.name = variable.name;
    put.type = variable.type;
    for (const int dim : variable.dims) {
      const Dimension& dimension = more.dimensions()[static_cast<std::size_t>(dim)];
      put.dims.push_back(dimension.name);
      put.global.push_back(dimension.length);
    }
    put_attributes(whole, define_from_put(whole, put), variable.attributes);
  }
  return whole;
}

Schema read_schema(const weir_file* file) {
  Schema schema;
  int ndims = 0, nvars = 0, natts = 0, record_dim = -1;
  check(weir_inq(file, &ndims, &nvars, &natts, &record_dim), file);
  char name[WEIR_MAX_NAME];
  for (int dim = 0; dim < ndims; ++dim) {
    std::int64_t length = 0;
    check(weir_inq_dim(file, dim, name, &length), file);
    schema.add_dimension(Name::stored(name), dim == record_dim ? 0 : length);
  }
  read_attributes(file, WEIR_GLOBAL, natts, schema);
  for (int var = 0; var < nvars; ++var) {
    weir_type type = WEIR_INT;
    int rank = 0;
    check(weir_inq_var(file, var, nullptr, nullptr, &rank, nullptr, nullptr), file);
    std::vector<int> dims(static_cast<std::size_t>(rank));
    check(weir_inq_var(file, var, name, &type, nullptr, dims.data(), &natts), file);
    schema.add_variable(Name::stored(name), type, dims);
    read_attributes(file, var, natts, schema);
  }
  return schema;
}

void define_schema(weir_file* file, const Schema& schema) {
  for (const Dimension& dimension : schema.dimensions())
    check(weir_def_dim(file, dimension.name.c_str(), dimension.length, nullptr), file);
  define_attributes(file, WEIR_GLOBAL, schema);
  for (const Variable& variable : schema.variables()) {
    int var = -1;
    check(weir_def_var(file, variable.name.c_str(), variable.type, static_cast<int>(variable.dims.size()),
                       variable.dims.data(), &var),
          file);
    define_attributes(file, var, schema);
  }
}

}  // namespace weir::cfio2
