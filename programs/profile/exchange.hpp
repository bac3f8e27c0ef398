// SPDX-License-Identifier: Apache-2.0
// Messages between two ranks, as many as the measurement wants. Both sides call with the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/comm.hpp"
#include "sampler.hpp"

namespace weir::profile {

struct Stream {
  std::int64_t messages;
  int message_bytes;
  int window;  // messages under way at once
};

class Exchange {
 public:
  static constexpr int data_tag = 11, answer_tag = 12;

  explicit Exchange(const Comm& comm) : comm_(comm) {}

  // Until the receiver has all of them and the sender knows.
  Span send(const Stream& stream, int to);
  Span receive(const Stream& stream, int from);
  // Sends and receives at once.
  Span both(const Stream& stream, int to, int from);
  // There and back again, `rounds` times, with no bytes.
  Span ping(std::int64_t rounds, int with);
  Span pong(std::int64_t rounds, int with);

 private:
  void begin(const Stream& stream);
  void finish();

  const Comm& comm_;
  std::vector<std::byte> out_, in_;
  std::vector<MPI_Request> requests_;
};

}  // namespace weir::profile
