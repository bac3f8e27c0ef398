// SPDX-License-Identifier: Apache-2.0
// Checks that all ranks have the same configuration: differences are found by the table of keys (base/config_keys.hpp),
// so that no key is forgotten. No key may differ: even a value that only rank 0 would use decides what the ranks do
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
