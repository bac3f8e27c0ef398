// SPDX-License-Identifier: Apache-2.0
#include "verdict.hpp"

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "formats/classic/header.hpp"
#include "formats/definition.hpp"
#include "packed_file.hpp"

namespace weir::verify {

namespace {

Verdict of_whole_file(const std::string& path) {
  const DefinedFile file = read_definition(path);
  const Geometry& geometry = file.geometry;
  const std::int64_t length = open_to_read(path).bytes();
  Verdict verdict{Verdict::Kind::whole,
                  formatted("{} is whole: CDF-{}, {} variable(s), {} record(s), {} bytes", path, geometry.format,
                            file.schema.variables().size(), geometry.records, length),
                  geometry.file_bytes(geometry.records)};
  // A file without records may hold the gap before the first one, or not.
  if (length > std::max(verdict.bytes, geometry.record_begin)) verdict.bytes_behind = length - verdict.bytes;
  return verdict;
}

}  // namespace

Verdict judge(const std::string& path) try {
  if (is_hdf5(open_to_read(path))) return judge_netcdf4(path);
  if (const auto format = other_format(open_to_read(path)))
    return {Verdict::Kind::cannot_judge,
            formatted("{} cannot be judged: it is {} and not netCDF classic; ask the programs of that format", path,
                      *format)};
  return of_whole_file(path);
} catch (const Error& error) {
  if (error.code() == WEIR_EFORMAT)
    return {Verdict::Kind::damaged, formatted("{} is not whole: {}", path, error.what())};
  return {Verdict::Kind::cannot_judge, formatted("{} cannot be judged: {}", path, error.what())};
}

}  // namespace weir::verify
