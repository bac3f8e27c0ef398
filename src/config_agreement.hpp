// SPDX-License-Identifier: Apache-2.0
// All ranks are told the same configuration: what differs is found by the table of keys (base/config_keys.hpp), so that
// no key is forgotten. None may differ: even where only rank 0 would use a value, ranks decide by it what they do
// together.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "base/config.hpp"
#include "mpi/comm.hpp"

namespace weir {

// Equal on two ranks that are configured alike. Local.
std::uint64_t signature(const Config& config);

// Where signatures differ: the first key that a rank has otherwise than rank 0, with both values, and what to do. The
// same sentence on all ranks. Collective.
std::string difference_in_words(const Comm& comm, const Config& config, const Deadline& deadline);

}  // namespace weir
