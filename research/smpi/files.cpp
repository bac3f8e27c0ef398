// SPDX-License-Identifier: Apache-2.0
// The one seam where PnetCDF is left out, in the place of formats/definition*.cpp, storage/pnetcdf_sink.cpp and
// storage/sink.cpp: where variables lie is plain arithmetic (schema/file_offsets.hpp), there is no file, and the memory
// sink compares what it is given with what the model has put there instead of keeping it.
#include "smpi/files.hpp"

#include <cstring>

#include "base/error.hpp"
#include "formats/definition.hpp"
#include "schema/file_offsets.hpp"
#include "storage/sink.hpp"

namespace weir {

namespace {

class CheckingSink final : public Sink {
 public:
  explicit CheckingSink(bool checks) : checks_(checks) {}
  SinkKind kind() const noexcept override { return checks_ ? SinkKind::memory : SinkKind::null; }

  Status write(std::span<const Extent> extents) override {
    for (const Extent& extent : extents) {
      simgrid::written().bytes += extent.bytes;
      if (checks_) check(extent);
    }
    return {};
  }
  Status make_durable() override { return {}; }

 private:
  static void check(const Extent& extent) {
    for (std::int64_t at = 0; at + 4 <= extent.bytes; at += 4) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, extent.data + at, 4);
      if (__builtin_bswap32(bits) != simgrid::bits_at(extent.offset + at)) ++simgrid::written().wrong;
    }
  }
  bool checks_;
};

}  // namespace

namespace simgrid {

Written& written() {
  static Written all;
  return all;
}

}  // namespace simgrid

DefinedHeader define_header(const std::string& path, const Schema& schema, const Alignment& alignment, int format) {
  require(alignment.header_free_bytes == 0 && alignment.variable_align_bytes == 0 && alignment.record_align_bytes == 0,
          WEIR_EARGUMENT, "{}: alignments are not known here; leave them out", path);
  Geometry geometry;
  geometry.format = format == 0 ? minimal_format(schema, alignment) : format;
  FileOffsets places = place_variables(schema, geometry.format);
  geometry.begin = std::move(places.begin);
  geometry.record_begin = geometry.fixed_end = places.fixed_end;
  geometry.record_bytes = places.record_bytes;
  return {geometry, {}};
}

DefinedFile read_definition(const std::string& path) {
  throw Error(WEIR_EIO, "{}: files are not read here", path);
}

std::unique_ptr<Sink> make_sink(SinkKind kind, const Comm&, const SinkOptions& options) {
  require(kind == SinkKind::memory || kind == SinkKind::null, WEIR_ECONFIG,
          "{}: there is no storage here; set sink: memory or null", options.path);
  return std::make_unique<CheckingSink>(kind == SinkKind::memory);
}

}  // namespace weir
