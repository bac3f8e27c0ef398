// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/definition.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "core/definition_walk.hpp"
#include "mpi/agree.hpp"
#include "pnetcdf/original_calls.hpp"

namespace weir::bridge {

namespace {

struct PnetcdfDefinitions {
  using Length = MPI_Offset;
  WEIR_DEFINITION_CALLS(WEIR_ORIGINAL, ncmpi)
  static std::string refusal(const char* what, int code) {
    return formatted("PnetCDF does not report {} (its error {})", what, code);
  }
};

void check(int code, const char* what) {
  if (code != NC_NOERR) throw Error(WEIR_EFORMAT, PnetcdfDefinitions::refusal(what, code));
}

enum class Attributes { fill_values, all };

DefinedFile definition_of(int ncid, Attributes attributes) {
  DefinedFile defined;
  Geometry& geometry = defined.geometry;
  DefinitionWalk<PnetcdfDefinitions> walk(ncid, defined.schema);
  geometry.records = walk.add_dimensions();
  if (attributes == Attributes::all) walk.add_attributes([](auto...) { return true; });
  const auto takes = [&](std::string_view name, int, std::int64_t length) {
    return attributes == Attributes::all || (name == "_FillValue" && length == 1);
  };
  for (int var = 0; var < walk.variables(); ++var) {
    MPI_Offset begin = 0;
    const int count = walk.add_variable(var);
    walk.add_attributes(var, count, takes);
    check(WEIR_ORIGINAL(ncmpi_inq_varoffset)(ncid, var, &begin), "the offset of a variable");
    geometry.begin.push_back(begin);
  }
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

std::vector<Variable> variables_of(const DefinedFile& defined) {
  std::vector<Variable> variables;
  for (int var = 0; var < std::ssize(defined.schema.variables()); ++var) {
    Variable variable{defined.schema.variable(var).type, defined.schema.is_record(var), defined.schema.shape(var)};
    if (variable.record) variable.shape.insert(variable.shape.begin(), defined.geometry.records);
    variables.push_back(std::move(variable));
  }
  return variables;
}

std::int64_t signature_of(const DefinedFile& defined) {
  Geometry geometry = defined.geometry;
  geometry.records = geometry.header_bytes = geometry.fixed_end = geometry.record_begin = 0;
  std::uint64_t sum = 0;
  for (const std::vector<std::byte>& bytes : {defined.schema.serialize(), serialize(geometry)})
    sum = mix(sum, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return static_cast<std::int64_t>(sum >> 2);
}

}  // namespace weir::bridge
