// SPDX-License-Identifier: Apache-2.0
// Sends each collective call of the model to the servers, which make the same call without data (strategy `servers`:
// CFIO1, PIO's asynchronous mode). So a server is an ordinary rank of the pipeline, and the rest of the path does not
// distinguish it. The servers' loop is instance/server_loop.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "mpi/comm.hpp"
#include "mpi/outbox.hpp"

namespace weir {

enum class CallKind : std::int64_t {
  create,       // mode, marker; path
  open,         // mode, marker, records; path
  define,       // file, fill mode, alignments; schema
  enddef,       // file
  redef,        // file
  put,          // file, var, record, layout, type
  put_box,      // file, var, type
  put_whole,    // file, var, record, type
  plan,         // file, var, layout
  get,          // file, var, record, layout, type
  get_box,      // file, var, type
  prefetch,     // file, record, layout, variables
  sync,         // file
  sync_all,     // files that were committed alone
  close,        // file
  add_layout,   // shape
  free_layout,  // layout
  report,
  agree,  // point, signature; the call: an agreement of a call that concerns no file
  finish,
  give_up,  // from any rank of the model, which makes no further agreement
};

// A call as it is sent.
struct BroadcastCall {
  CallKind kind;
  std::vector<std::int64_t> words;
  std::vector<std::byte> bytes;

  std::string text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};
void fields(auto& archive, Either<BroadcastCall> auto& call) {
  archive(call.kind, call.words, call.bytes);
}

// Thread: the thread of the rank's calls; calls MPI, and waits for no rank except in receive().
class CallBroadcast {
 public:
  // Without servers: sends nothing.
  CallBroadcast() = default;
  // `all`: the model's ranks, then the servers; it outlives this.
  CallBroadcast(const Comm& all, int servers);

  // A call of the model. Rank 0 sends it to the servers when it begins, unless it is part of another call. Local.
  class Call {
   public:
    Call(CallBroadcast& call_broadcast, CallKind kind, std::initializer_list<std::int64_t> words,
         std::span<const std::byte> bytes = {});
    Call(CallBroadcast& call_broadcast, CallKind kind, std::span<const std::int64_t> words,
         std::span<const std::byte> bytes);
    ~Call() { --call_broadcast_.depth_; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    CallBroadcast& call_broadcast_;
  };
  // Tells the servers to stop waiting, from a rank of the model that has timed out. Local.
  void give_up() noexcept;
  // Waits for the next call, on a server. Meanwhile this rank answers liveness checks.
  // Errors: WEIR_ETIMEOUT if a rank of the model has given up.
  static BroadcastCall receive(const Comm& all, const WaitLimit& limit);

 private:
  void send(CallKind kind, std::span<const std::int64_t> words, std::span<const std::byte> bytes);

  const Comm* all_ = nullptr;
  int servers_ = 0;
  int depth_ = 0;
  std::optional<Outbox> outbox_;
  std::vector<std::int64_t> message_;
};

}  // namespace weir
