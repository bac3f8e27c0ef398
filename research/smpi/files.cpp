// SPDX-License-Identifier: Apache-2.0
// In the place of storage/pnetcdf_sink.cpp and storage/sink.cpp: there is no file, and the memory sink compares what it
// is given with what the model has put there instead of keeping it.
#include "smpi/files.hpp"

#include <cstring>

#include "base/error.hpp"
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

std::unique_ptr<Sink> make_sink(SinkKind kind, const Comm&, const SinkOptions& options) {
  require(kind == SinkKind::memory || kind == SinkKind::null, WEIR_ECONFIG,
          "{}: there is no storage here; set sink: memory or null", options.path);
  return std::make_unique<CheckingSink>(kind == SinkKind::memory);
}

}  // namespace weir
