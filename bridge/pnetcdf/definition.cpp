// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/definition.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "mpi/agree.hpp"
#include "pnetcdf/original_calls.hpp"

namespace weir::bridge {

namespace {

void check(int code, const char* what) {
  require(code == NC_NOERR, WEIR_EFORMAT,
          [&] { return std::string("PnetCDF does not tell ") + what + " (its error " + std::to_string(code) + ")"; });
}

int record_dimension_of(int ncid) {
  int dim = -1;
  check(WEIR_ORIGINAL(ncmpi_inq_unlimdim)(ncid, &dim), "the record dimension");
  return dim;
}

void add_dimensions(int ncid, Schema& schema, std::int64_t& records) {
  int count = 0;
  const int record_dimension = record_dimension_of(ncid);
  check(WEIR_ORIGINAL(ncmpi_inq_ndims)(ncid, &count), "the dimensions");
  for (int dim = 0; dim < count; ++dim) {
    std::array<char, NC_MAX_NAME + 1> name{};
    MPI_Offset length = 0;
    check(WEIR_ORIGINAL(ncmpi_inq_dim)(ncid, dim, name.data(), &length), "a dimension");
    schema.add_dimension(name.data(), dim == record_dimension ? 0 : length);
    if (dim == record_dimension) records = length;
  }
}

void add_fill_value(int ncid, int var, Schema& schema) {
  nc_type type = NC_NAT;
  MPI_Offset length = 0;
  if (WEIR_ORIGINAL(ncmpi_inq_att)(ncid, var, "_FillValue", &type, &length) != NC_NOERR) return;
  std::array<std::byte, 8> value{};
  if (length != 1) return;
  check(WEIR_ORIGINAL(ncmpi_get_att)(ncid, var, "_FillValue", value.data()), "a fill value");
  schema.put_attribute(var, "_FillValue", static_cast<Type>(type), 1, value.data());
}

void add_attributes(int ncid, int var, Schema& schema) {
  int count = 0;
  check(var == NC_GLOBAL ? WEIR_ORIGINAL(ncmpi_inq_natts)(ncid, &count)
                         : WEIR_ORIGINAL(ncmpi_inq_varnatts)(ncid, var, &count),
        "the attributes");
  for (int number = 0; number < count; ++number) {
    std::array<char, NC_MAX_NAME + 1> name{};
    nc_type type = NC_NAT;
    MPI_Offset length = 0;
    check(WEIR_ORIGINAL(ncmpi_inq_attname)(ncid, var, number, name.data()), "an attribute");
    check(WEIR_ORIGINAL(ncmpi_inq_att)(ncid, var, name.data(), &type, &length), "an attribute");
    const auto external = static_cast<Type>(type);
    std::vector<std::byte> values(static_cast<std::size_t>(length * type_bytes(external)) + 1);
    check(WEIR_ORIGINAL(ncmpi_get_att)(ncid, var, name.data(), values.data()), "an attribute");
    schema.put_attribute(var == NC_GLOBAL ? WEIR_GLOBAL : var, name.data(), external, length, values.data());
  }
}

enum class Attributes { fill_values, all };

void add_variables(int ncid, Attributes attributes, DefinedFile& defined) {
  int count = 0;
  check(WEIR_ORIGINAL(ncmpi_inq_nvars)(ncid, &count), "the variables");
  std::vector<int> dims;
  for (int var = 0; var < count; ++var) {
    std::array<char, NC_MAX_NAME + 1> name{};
    nc_type type = NC_NAT;
    int ndims = 0;
    MPI_Offset begin = 0;
    check(WEIR_ORIGINAL(ncmpi_inq_varndims)(ncid, var, &ndims), "a variable");
    dims.resize(static_cast<std::size_t>(ndims));
    check(WEIR_ORIGINAL(ncmpi_inq_var)(ncid, var, name.data(), &type, nullptr, dims.data(), nullptr), "a variable");
    check(WEIR_ORIGINAL(ncmpi_inq_varoffset)(ncid, var, &begin), "the place of a variable");
    defined.schema.add_variable(name.data(), static_cast<Type>(type), dims);
    if (attributes == Attributes::all)
      add_attributes(ncid, var, defined.schema);
    else
      add_fill_value(ncid, var, defined.schema);
    defined.geometry.begin.push_back(begin);
  }
}

DefinedFile definition_of(int ncid, Attributes attributes) {
  DefinedFile defined;
  Geometry& geometry = defined.geometry;
  add_dimensions(ncid, defined.schema, geometry.records);
  if (attributes == Attributes::all) add_attributes(ncid, NC_GLOBAL, defined.schema);
  add_variables(ncid, attributes, defined);
  int format = NC_FORMAT_CLASSIC;
  MPI_Offset header_bytes = 0, record_bytes = 0;
  check(WEIR_ORIGINAL(ncmpi_inq_format)(ncid, &format), "the format");
  check(WEIR_ORIGINAL(ncmpi_inq_header_size)(ncid, &header_bytes), "the header size");
  check(WEIR_ORIGINAL(ncmpi_inq_recsize)(ncid, &record_bytes), "the record size");
  geometry.format = format == NC_FORMAT_CDF5 ? 5 : (format == NC_FORMAT_CDF2 ? 2 : 1);
  geometry.record_bytes = record_bytes;
  derive_ends(geometry, defined.schema, header_bytes);
  return defined;
}

}  // namespace

DefinedFile definition_of(int ncid) {
  return definition_of(ncid, Attributes::fill_values);
}

DefinedFile whole_definition_of(int ncid) {
  return definition_of(ncid, Attributes::all);
}

std::int64_t signature_of(const DefinedFile& defined) {
  Geometry geometry = defined.geometry;
  geometry.records = 0;
  std::uint64_t sum = 0;
  for (const std::vector<std::byte>& bytes : {defined.schema.serialize(), serialize(geometry)})
    sum = mix(sum, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return static_cast<std::int64_t>(sum >> 2);
}

}  // namespace weir::bridge
