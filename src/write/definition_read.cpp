// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>
#include <pnetcdf.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/spelling.hpp"
#include "write/definition.hpp"
#include "write/definition_header.hpp"
#include "write/scratch_file.hpp"

namespace weir {
namespace {

std::vector<Attribute> read_attributes(const HeaderFile& file, int var, int count) {
  std::vector<Attribute> attributes;
  for (int number = 0; number < count; ++number) {
    std::array<char, NC_MAX_NAME + 1> name{};
    nc_type type = 0;
    MPI_Offset length = 0;
    file.check(ncmpi_inq_attname(file.id(), var, number, name.data()), "an attribute");
    file.check(ncmpi_inq_att(file.id(), var, name.data(), &type, &length), "the attribute " + in_quotes(name.data()));
    Attribute attribute{name.data(), static_cast<Type>(type), length, {}};
    attribute.values.resize(static_cast<std::size_t>(length * type_bytes(attribute.type)));
    if (length > 0) {
      file.check(ncmpi_get_att(file.id(), var, name.data(), attribute.values.data()),
                 "the attribute " + in_quotes(name.data()));
    }
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

void add_attributes(Schema& schema, int var, const std::vector<Attribute>& attributes) {
  for (const auto& attribute : attributes) {
    schema.put_attribute(var, attribute.name, attribute.type, attribute.count, attribute.values.data());
  }
}

void read_variable(const HeaderFile& file, int var, Schema& schema) {
  int rank = 0;
  file.check(ncmpi_inq_varndims(file.id(), var, &rank), "a variable");
  std::vector<int> dims(static_cast<std::size_t>(rank));
  std::array<char, NC_MAX_NAME + 1> name{};
  nc_type type = 0;
  int attributes = 0;
  file.check(ncmpi_inq_var(file.id(), var, name.data(), &type, nullptr, dims.data(), &attributes), "a variable");
  schema.add_variable(name.data(), static_cast<Type>(type), dims);
  add_attributes(schema, var, read_attributes(file, var, attributes));
}

Schema read_schema(const HeaderFile& file) {
  Schema schema;
  int dimensions = 0;
  int variables = 0;
  int attributes = 0;
  int record_dimension = -1;
  file.check(ncmpi_inq(file.id(), &dimensions, &variables, &attributes, &record_dimension), "the header");
  for (int dim = 0; dim < dimensions; ++dim) {
    std::array<char, NC_MAX_NAME + 1> name{};
    MPI_Offset length = 0;
    file.check(ncmpi_inq_dim(file.id(), dim, name.data(), &length), "a dimension");
    schema.add_dimension(name.data(), dim == record_dimension ? 0 : length);
  }
  add_attributes(schema, WEIR_GLOBAL, read_attributes(file, NC_GLOBAL, attributes));
  for (int var = 0; var < variables; ++var) read_variable(file, var, schema);
  return schema;
}

DefinedFile parse_header(const HeaderImage& image, const std::string& path) {
  const ScratchFile scratch(image.bytes);
  HeaderFile file(path, WEIR_EFORMAT);
  file.check(ncmpi_open(MPI_COMM_SELF, scratch.path().c_str(), NC_NOWRITE, MPI_INFO_NULL, file.place()), "the header");
  DefinedFile defined;
  try {
    defined.schema = read_schema(file);
  } catch (const Error& error) {
    if (error.code() != WEIR_EARGUMENT) throw;
    throw Error(WEIR_EFORMAT, "the header of " + in_quotes(path) + " is impossible: " + error.what());
  }
  defined.geometry = inquire_geometry(file, defined.schema, image.format);
  file.close();
  return defined;
}

}  // namespace

std::int64_t least_file_bytes(const DefinedFile& defined, std::int64_t records) {
  std::int64_t least = 0;
  for (int var = 0; var < static_cast<int>(defined.schema.variables().size()); ++var) {
    const bool is_record = defined.schema.is_record(var);
    if (is_record && records == 0) continue;
    const std::int64_t before = is_record ? records - 1 : 0;
    std::int64_t skipped = 0;
    if (__builtin_mul_overflow(before, defined.geometry.record_bytes, &skipped)) return INT64_MAX;
    const std::int64_t begin = defined.geometry.begin[static_cast<std::size_t>(var)];
    const std::int64_t end = saturated_sum(saturated_sum(begin, skipped), variable_bytes(defined.schema, var));
    least = std::max(least, end);
  }
  return least;
}

namespace {

// Whole records in a file whose header does not count them.
std::int64_t streamed_records(const DefinedFile& defined, std::int64_t file_bytes) {
  const std::int64_t record_bytes = defined.geometry.record_bytes;
  if (record_bytes == 0) return 0;
  std::int64_t records = std::max<std::int64_t>(0, file_bytes - defined.geometry.record_begin) / record_bytes;
  if (least_file_bytes(defined, records + 1) <= file_bytes) ++records;  // its padding may lack
  return records;
}

void require_regular(const Descriptor& file) {
  struct stat status {};
  const std::string start = "cannot read " + in_quotes(file.path()) + ": ";
  require(::fstat(file.number(), &status) == 0, WEIR_EIO, [&] { return start + std::strerror(errno); });
  require(!S_ISDIR(status.st_mode), WEIR_EIO, start + "it is a directory; give a file's path");
  require(S_ISREG(status.st_mode), WEIR_EIO, start + "it is a device or pipe; give a file's path");
}

}  // namespace

FileHead read_head(const std::string& path) {
  return read_head(open_to_read(path));
}

FileHead read_head(const Descriptor& file) {
  require_regular(file);
  const std::int64_t file_bytes = file.bytes();
  return {file.path(), read_header(file, file_bytes), file_bytes, identity_of(file.number(), file.path())};
}

DefinedFile definition_of(const FileHead& head) {
  DefinedFile defined = parse_header(head.image, head.path);
  Geometry& geometry = defined.geometry;
  geometry.records = head.image.records >= 0 ? head.image.records : streamed_records(defined, head.file_bytes);
  if (geometry.record_bytes == 0) geometry.records = 0;
  defined.identity = head.identity;
  const std::int64_t least = least_file_bytes(defined, geometry.records);
  require(head.file_bytes >= least, WEIR_EFORMAT,
          in_quotes(head.path) + " is cut off: it has " + std::to_string(head.file_bytes) +
              " bytes, and its header tells of " + std::to_string(geometry.records) + " records and " +
              std::to_string(least) + " bytes; restore the file");
  return defined;
}

DefinedFile read_definition(const std::string& path) {
  return definition_of(read_head(path));
}

}  // namespace weir
