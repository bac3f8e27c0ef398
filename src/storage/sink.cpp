// SPDX-License-Identifier: Apache-2.0
#include "storage/sink.hpp"

namespace weir {

namespace {

class NullSink final : public Sink {
 public:
  SinkKind kind() const noexcept override { return SinkKind::null; }
  Status write(std::span<const Extent>) override { return {}; }
  Status make_durable() override { return {}; }
};

}  // namespace

std::unique_ptr<Sink> make_null_sink() {
  return std::make_unique<NullSink>();
}

Status MemorySink::write(std::span<const Extent> extents) {
  for (const Extent& extent : extents) written_[extent.offset].assign(extent.data, extent.data + extent.bytes);
  return {};
}

std::unique_ptr<Sink> make_sink(SinkKind kind, const Comm& comm, const SinkOptions& options) {
  switch (kind) {
    case SinkKind::pnetcdf:
      return make_pnetcdf_sink(comm, options);
    case SinkKind::memory:
      return std::make_unique<MemorySink>();
    case SinkKind::null:
      return make_null_sink();
    case SinkKind::automatic:
    case SinkKind::direct:
      break;
  }
  return make_direct_sink(options);
}

}  // namespace weir
