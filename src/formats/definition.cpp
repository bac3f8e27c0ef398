// SPDX-License-Identifier: Apache-2.0
#include "formats/definition.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/config_keys.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/classic/header_codec.hpp"
#include "schema/file_offsets.hpp"

namespace weir {
namespace {

void check_alignment(const Alignment& alignment) {
  for (const auto& [what, bytes] : {std::pair{"header_free", alignment.header_free_bytes},
                                    std::pair{"variable_align", alignment.variable_align_bytes},
                                    std::pair{"record_align", alignment.record_align_bytes}}) {
    require(bytes >= 0 && bytes <= largest_gap_bytes, WEIR_EARGUMENT, "{} is {} bytes; give 0 to {}", what, bytes,
            largest_gap_bytes);
  }
}

}  // namespace

DefinedHeader define_header(const std::string& path, const Schema& schema, const Alignment& alignment, int format) {
  check_alignment(alignment);
  const int chosen = format == 0 ? minimal_format(schema, alignment) : format;
  const auto obstacle = format_obstacle(schema, alignment, chosen);
  const bool fits_none = classic_obstacle(schema).has_value();
  require(!obstacle, WEIR_EARGUMENT, "CDF-{} cannot hold \"{}\": {}{}", chosen, path, obstacle.value_or(""),
          fits_none ? "" : (chosen == 5 ? "; make it smaller" : "; ask for CDF-5, or for no format"));
  const FileOffsets places = place_variables(schema, chosen, alignment);
  DefinedHeader header{{}, {}};
  header.geometry.format = chosen;
  header.geometry.begin = places.begin;
  header.geometry.record_bytes = places.record_bytes;
  derive_ends(header.geometry, schema, header_bytes(schema, chosen));
  header.bytes = encode_header(schema, header.geometry);
  return header;
}

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
  const std::string start = formatted("cannot read \"{}\": ", file.path());
  if (::fstat(file.number(), &status) != 0) throw Error(WEIR_EIO, start + std::strerror(errno));
  require(!S_ISDIR(status.st_mode), WEIR_EIO, "{}it is a directory; give a file's path", start);
  require(S_ISREG(status.st_mode), WEIR_EIO, "{}it is a device or pipe; give a file's path", start);
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
  DefinedFile defined = decode_header(head.image, head.path);
  Geometry& geometry = defined.geometry;
  geometry.records = head.image.records >= 0 ? head.image.records : streamed_records(defined, head.file_bytes);
  if (geometry.record_bytes == 0) geometry.records = 0;
  defined.identity = head.identity;
  const std::int64_t least = least_file_bytes(defined, geometry.records);
  require(head.file_bytes >= least, WEIR_EFORMAT,
          "\"{}\" is truncated: it has {} bytes, and its header tells of {} records and {} bytes; restore the file",
          head.path, head.file_bytes, geometry.records, least);
  return defined;
}

DefinedFile read_definition(const std::string& path) {
  return definition_of(read_head(path));
}

}  // namespace weir
