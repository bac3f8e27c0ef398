// SPDX-License-Identifier: Apache-2.0
// Servers follow the model: its rank 0 sends them each collective call as it makes it, and they make the same call with
// no data of their own (strategy `servers`: CFIO1, PIO's asynchronous mode). So a server is an ordinary rank of the
// pipeline, and the rest of the path does not distinguish it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi/comm.hpp"
#include "mpi/outbox.hpp"

namespace weir {

enum class CallKind : std::int64_t {
  create,     // mode; path
  open,       // mode; path
  define,     // file, fill mode, alignments; schema
  enddef,     // file
  redef,      // file
  put,        // file, var, record, layout, type
  put_box,    // file, var, type
  put_whole,  // file, var, record, type
  plan,       // file, var, layout
  get,        // file, var, record, layout, type
  get_box,    // file, var, type
  prefetch,   // file, record, layout, variables
  sync,       // file
  sync_all,
  close,        // file
  add_layout,   // shape
  free_layout,  // layout
  report,
  finish,
  give_up,  // from any rank of the model: it makes no further agreement
};

// A call as it is sent.
struct BroadcastCall {
  CallKind kind;
  std::vector<std::int64_t> words;
  std::vector<std::byte> bytes;

  std::string text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

class CallBroadcast {
 public:
  // No rank follows.
  CallBroadcast() = default;
  // `all`: the model's ranks, then the servers.
  CallBroadcast(const Comm& all, int servers);

  // A call, sent to the servers when it begins; not sent where it is part of another call. Local.
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
  // This rank of the model has waited too long for another: servers wait no more. Local.
  void give_up() noexcept;
  // The server's side: the next call. The rank that asks meanwhile is told that this rank is there. Throws
  // Error(WEIR_ETIMEOUT) where a rank has given up.
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
