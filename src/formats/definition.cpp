// SPDX-License-Identifier: Apache-2.0
#include "formats/definition.hpp"

#include "base/config_keys.hpp"
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

}  // namespace weir
