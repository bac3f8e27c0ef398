// SPDX-License-Identifier: Apache-2.0
// Wraps any sink with a storage of limited bandwidth: a write waits until the storage would have taken the bytes. The
// time that the wrapped sink itself needs counts as part of that.
#include <cstdlib>
#include <utility>

#include "plan/file_runs.hpp"
#include "storage/sink.hpp"
#include "storage/storage_clock.hpp"

namespace weir {

namespace {

class ThrottledSink final : public Sink {
 public:
  ThrottledSink(std::unique_ptr<Sink> inner, const Comm& comm, const SinkOptions& options)
      : inner_(std::move(inner)),
        all_(comm),
        wait_(options.wait),
        storage_(*options.storage),
        aggregators_(joining_ranks(options.hints, storage_.hosts(), comm.size())) {}

  SinkKind kind() const noexcept override { return inner_->kind(); }
  bool collective() const noexcept override { return inner_->collective(); }
  void renamed(const std::string& path) override { inner_->renamed(path); }
  Status make_durable() override { return inner_->make_durable(); }
  std::string remark() const override { return inner_->remark(); }

  Status write(std::span<const Extent> extents) override {
    if (collective()) return write_together(extents);
    if (extents.empty()) return {};
    const StorageClock::Time end = storage_.take(total(extents));
    Status status = inner_->write(extents);
    if (status.ok()) StorageClock::wait(end);
    return status;
  }

 private:
  static std::int64_t total(std::span<const Extent> extents) {
    std::int64_t bytes = 0;
    for (const Extent& extent : extents) bytes += extent.bytes;
    return bytes;
  }

  // Nothing of a collective write reaches the storage before the last rank has come, and it ends for all when all is
  // there: none goes on before all have taken their turn.
  Status write_together(std::span<const Extent> extents) {
    const std::int64_t mine = total(extents);
    std::int64_t all = mine;
    if (comm_.raw() == MPI_COMM_NULL) comm_ = Comm::duplicate(all_.raw(), wait_.begin());
    allreduce_sum(comm_, std::span(&all, 1), wait_.begin(), "a collective write");
    const StorageClock::Time taken = storage_.take(mine, {all, aggregators_});
    Status status = inner_->write(extents);
    barrier(comm_, wait_.begin(), "a collective write");
    if (status.ok()) StorageClock::wait(storage_.end_of(taken));
    return status;
  }

  std::unique_ptr<Sink> inner_;
  const Comm& all_;
  Comm comm_;  // its own, from the first write of all ranks on
  WaitLimit wait_;
  const StorageClock& storage_;
  int aggregators_;
};

}  // namespace

std::unique_ptr<Sink> make_throttled_sink(std::unique_ptr<Sink> inner, const Comm& comm, const SinkOptions& options) {
  return std::make_unique<ThrottledSink>(std::move(inner), comm, options);
}

}  // namespace weir
