// SPDX-License-Identifier: Apache-2.0
// The world of a run (flow/world.hpp): ranks of MPI, whose hosts share memory, files, threads. A wait is a call that
// polls until its deadline, so no task suspends, and nothing is allocated in its stride.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/tally.hpp"
#include "base/trace.hpp"
#include "flow/world.hpp"
#include "forward/courier.hpp"
#include "mpi/board.hpp"
#include "mpi/comm.hpp"
#include "put/batch.hpp"
#include "put/duty.hpp"
#include "put/reach.hpp"
#include "put/staging.hpp"
#include "write/storage_calls.hpp"

namespace weir {

// What a run's flow works with; the pipeline's, and outlives it.
struct RunParts {
  const Config& config;
  const Comm& comm;
  const Machine& machine;
  const Reach& reach;
  Staging& staging;
  Board& board;
  Batch& batch;  // of the open cycle
  Tally& tally;
  Trace& trace;
  std::vector<Status>& noted;  // failures of this rank, for the next meeting
  RollCall& roll_call;
  StorageCalls& storage;

  Deadline deadline() const noexcept { return Deadline(config.timeout_seconds, &roll_call); }
};

class RunWorld final : public World {
 public:
  // Collective over the parts' communicator.
  explicit RunWorld(const RunParts& parts);

  int rank() const noexcept override { return parts_.comm.rank(); }
  void say_put(std::uint32_t cycle) override { parts_.board.say_put(cycle); }
  bool all_put(std::uint32_t cycle) const noexcept override { return parts_.board.all_put(cycle); }
  bool all_others_put(std::uint32_t cycle) const noexcept override { return parts_.board.all_others_put(cycle); }
  void say_written(std::uint32_t cycle) override { parts_.board.say_written(cycle); }
  bool all_written(std::uint32_t cycle) const noexcept override { return parts_.board.all_written(cycle); }
  void say_lost() override;
  bool parted(std::uint32_t cycle) override;
  bool begin_writing(int most) override { return parts_.board.begin_writing(most); }
  void end_writing() override { parts_.board.end_writing(); }
  Task<> await_turn(int most, Wait* wait) override;

  std::unique_ptr<Duty> new_duty() override { return std::make_unique<PutDuty>(); }
  std::int64_t take_puts(Duty& duty) override;
  bool owns_tile(const Duty& duty) const override;
  std::int64_t pieces_to_come(const Duty& duty, const HeldTile& tile, bool fixed, bool given_away) const override;
  void hold(int place, std::int64_t bytes) noexcept override { parts_.staging.hold(place, bytes); }

  void send(const Cycle& cycle, const Duty& puts) override;
  void send_to_relay(const Cycle& cycle, const Duty& puts) override;
  void listen() override { courier_.listen(); }
  Task<> receive(Duty& duty, bool relay, Status& failure) override;
  bool sent(std::uint32_t cycle) override { return courier_.sent(cycle); }
  bool sending() const noexcept override { return courier_.sending(); }

  bool collective(const Duty& duty) const override;
  bool one_at_a_time(const Duty& duty) const override;
  bool must_prepare(Duty& duty) const override { return weir::must_prepare(of(duty)); }
  void prepare(Duty& duty) override { prepare_tiles(of(duty)); }
  Task<> write(Duty& duty) override;
  Task<> write_beside(Duty& duty) override;
  void close(Duty& duty) override;
  void note(Status failure) override { parts_.noted.push_back(std::move(failure)); }

  double now() const noexcept override { return now_seconds(); }
  void spent(Account account, double begin, std::uint32_t cycle) override;
  void mark(Mark mark, const Detail& detail, bool beside) override;
  Deadline deadline() const override { return parts_.deadline(); }
  Task<> pause(Wait& wait) override;

  std::unique_ptr<Beside> make_beside(Beside::Work work) override;
  void let_beside_run() noexcept override;

  Courier& courier() noexcept { return courier_; }
  const Courier& courier() const noexcept { return courier_; }

 private:
  static PutDuty& of(Duty& duty) noexcept { return static_cast<PutDuty&>(duty); }
  static const PutDuty& of(const Duty& duty) noexcept { return static_cast<const PutDuty&>(duty); }
  std::string too_late(const Wait& wait) const;
  std::string incomplete(const PutDuty& duty) const;
  std::string not_written(std::uint32_t cycle) const;

  RunParts parts_;
  Courier courier_;
};

// Of a duty that nobody has written in time.
std::string not_written(const Duty& duty, const Deadline& deadline);
std::string within(const Deadline& deadline);

}  // namespace weir
