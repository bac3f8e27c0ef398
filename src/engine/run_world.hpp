// SPDX-License-Identifier: Apache-2.0
// The world of a run (flow/world.hpp): MPI ranks, shared memory of hosts, files and threads. A wait polls until its
// deadline. Allocates nothing in steady state. The flow above it is flow/flow.hpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/host.hpp"
#include "base/tally.hpp"
#include "base/trace.hpp"
#include "engine/background_threads.hpp"
#include "engine/pending_puts.hpp"
#include "engine/staging.hpp"
#include "engine/transport.hpp"
#include "flow/world.hpp"
#include "mpi/comm.hpp"
#include "mpi/host_status.hpp"
#include "plan/machine.hpp"
#include "storage/storage_calls.hpp"

namespace weir {

// What the flow of a run works with. The pipeline owns it; it outlives the flow.
struct RunParts {
  const Config& config;  // with which the flow was made; outlives it
  const Comm& comm;
  const Machine& machine;
  const Reach& reach;
  Staging& staging;
  HostStatus& host_status;
  Batch& batch;  // of the open cycle
  Tally& tally;
  Trace& trace;
  std::vector<Status>& noted;  // failures of this rank, for the next agreement
  LivenessCheck& liveness_check;
  StorageCalls& storage;
  const CoreSet& writer_cores;

  Deadline deadline() const noexcept { return Deadline(config.timeout_seconds, &liveness_check); }
};

// Methods keep the contracts of World.
class RunWorld final : public World {
 public:
  // Collective over the parts' communicator.
  explicit RunWorld(const RunParts& parts);

  int rank() const noexcept override { return parts_.comm.rank(); }
  void say_put(std::uint32_t cycle) override { parts_.host_status.say_put(cycle); }
  bool all_put(std::uint32_t cycle) const noexcept override { return parts_.host_status.all_put(cycle); }
  bool all_others_put(std::uint32_t cycle) const noexcept override { return parts_.host_status.all_others_put(cycle); }
  void say_written(std::uint32_t cycle) override { parts_.host_status.say_written(cycle); }
  bool all_written(std::uint32_t cycle) const noexcept override { return parts_.host_status.all_written(cycle); }
  void say_out_of_sync() override;
  bool has_diverged(std::uint32_t cycle) override;
  bool begin_writing(int most) override { return parts_.host_status.begin_writing(most); }
  void end_writing() override { parts_.host_status.end_writing(); }
  void await_turn(int most, Wait* wait) override;

  std::unique_ptr<PendingWrite> take_puts(std::uint32_t cycle, std::unique_ptr<PendingWrite> spare) override;
  std::int64_t pieces_to_come(const PendingWrite& pending, const HeldTile& tile, bool fixed,
                              bool sent_via_relay) const override;
  void hold(int tile_buffer, std::int64_t bytes) noexcept override { parts_.staging.hold(tile_buffer, bytes); }

  void send(const Cycle& cycle, const PendingWrite& puts) override;
  void listen() override { transport_.listen(); }
  Status receive(PendingWrite& pending, bool relay) override { return transport_.receive(of(pending), relay); }
  bool sent(std::uint32_t cycle) override { return transport_.sent(cycle); }
  bool sending() const noexcept override { return transport_.sending(); }

  bool must_prepare(PendingWrite& pending) const override { return weir::must_prepare(of(pending)); }
  void prepare(PendingWrite& pending) override { prepare_tiles(of(pending)); }
  void write(PendingWrite& pending) override;
  void write_in_background(PendingWrite& pending) override;
  void close(PendingWrite& pending) override;
  void note(Status failure) override { parts_.noted.push_back(std::move(failure)); }

  double now() const noexcept override { return now_seconds(); }
  void spent(Account account, double begin, std::uint32_t cycle) override;
  void mark(Mark mark, const Detail& detail, bool background) override;
  Deadline deadline() const override { return parts_.deadline(); }
  void pause(Wait& wait) override;

  std::unique_ptr<BackgroundWriter> make_background_writer(BackgroundWriter::Work work) override;
  void yield_to_background_writer() noexcept override { WriterThread::let_it_run(); }

  // Gives messages and the writer thread up after a timeout; no MPI call follows. Returns false if the writer thread is
  // in a write that does not end. Local.
  [[nodiscard]] bool abandon() noexcept;

  Transport& transport() noexcept { return transport_; }
  const Transport& transport() const noexcept { return transport_; }

 private:
  static PendingPuts& of(PendingWrite& pending) noexcept { return static_cast<PendingPuts&>(pending); }
  static const PendingPuts& of(const PendingWrite& pending) noexcept {
    return static_cast<const PendingPuts&>(pending);
  }
  std::string too_late(const Wait& wait) const;
  std::string incomplete(const PendingPuts& pending) const;
  std::string not_written(std::uint32_t cycle) const;

  RunParts parts_;
  Transport transport_;
  WriterThread* writer_thread_ = nullptr;  // owned by the flow
};

// Returns the text of a timeout of a pending write.
std::string not_written(const PendingWrite& pending, const Deadline& deadline);
std::string within(const Deadline& deadline);

}  // namespace weir
