// SPDX-License-Identifier: Apache-2.0
// Chunks that Weir has no memory for. One rank holds all chunks of a record that file order crosses: with chunks of
// half of x, half of y and all levels that is the whole record. buffer_limit may give a tile less.
#pragma once

#include <cstdint>
#include <optional>

#include "base/config.hpp"
#include "mpi/comm.hpp"
#include "schema/schema.hpp"

namespace weir::bridge {

struct LargeChunks {
  int var;
  std::int64_t bytes;         // that one rank holds at a time
  std::int64_t buffer_limit;  // that has room for them
};

// Returns the variable that needs most, if a tile has no room for it.
// Requires: all ranks give the same schema and configuration.
// Collective over `comm`.
std::optional<LargeChunks> chunks_without_room(const Schema& schema, const Config& config, const Comm& comm,
                                               const Deadline& deadline);

}  // namespace weir::bridge
