// SPDX-License-Identifier: Apache-2.0
#include "write/definition_header.hpp"

#include <algorithm>
#include <utility>

#include "base/spelling.hpp"

namespace weir {
namespace {

// What PnetCDF answers where not the definitions are wrong, but the machine had no room or would not do it.
bool is_of_the_system(int result) {
  return result == NC_EFILE || result == NC_EREAD || result == NC_EWRITE || result == NC_EACCESS ||
         result == NC_ENO_SPACE || result == NC_EQUOTA;
}

}  // namespace

HeaderFile::~HeaderFile() {
  if (id_ != none_) ncmpi_abort(id_);
}

void HeaderFile::check(int result, const std::string& what) const {
  if (result == NC_NOERR) return;
  const Code code = result == NC_ENOMEM ? WEIR_EMEMORY : (is_of_the_system(result) ? WEIR_EIO : code_);
  throw Error(code, "PnetCDF refuses " + what + " of " + in_quotes(path_) + ": " + ncmpi_strerror(result));
}

std::int64_t HeaderFile::header_bytes() const {
  MPI_Offset bytes = 0;
  check(ncmpi_inq_header_size(id_, &bytes), "the header size");
  return bytes;
}

void HeaderFile::close() {
  check(ncmpi_close(std::exchange(id_, none_)), "the end");
}

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

std::int64_t variable_bytes(const Schema& schema, int var) {
  return schema.elements(var) * type_bytes(schema.variable(var).type);
}

void derive_ends(Geometry& geometry, const Schema& schema, std::int64_t header_bytes) {
  geometry.fixed_end = geometry.header_bytes = header_bytes;
  std::int64_t first_record = INT64_MAX;
  for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var) {
    const std::int64_t begin = geometry.begin[static_cast<std::size_t>(var)];
    if (schema.is_record(var)) {
      first_record = std::min(first_record, begin);
    } else {
      geometry.fixed_end =
          std::max(geometry.fixed_end, saturated_sum(begin, padded_bytes(variable_bytes(schema, var))));
    }
  }
  geometry.record_begin = first_record != INT64_MAX ? first_record : geometry.fixed_end;
}

Geometry inquire_geometry(const HeaderFile& file, const Schema& schema, int format) {
  Geometry geometry;
  geometry.format = format;
  bool has_records = false;
  for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var) {
    MPI_Offset begin = 0;
    file.check(ncmpi_inq_varoffset(file.id(), var, &begin), "the place of a variable");
    geometry.begin.push_back(begin);
    has_records = has_records || schema.is_record(var);
  }
  derive_ends(geometry, schema, file.header_bytes());
  MPI_Offset record_bytes = 0;
  if (has_records) file.check(ncmpi_inq_recsize(file.id(), &record_bytes), "the record size");
  geometry.record_bytes = record_bytes;
  return geometry;
}

}  // namespace weir
