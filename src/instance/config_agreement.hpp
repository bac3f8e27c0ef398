// SPDX-License-Identifier: Apache-2.0
// Checks that all ranks have the same configuration. Differences are found by the table of keys (base/config_keys.hpp),
// so no key is forgotten. No key may differ: even a value that only rank 0 uses decides what the ranks do together.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "base/config.hpp"
#include "mpi/comm.hpp"

namespace weir {

// Returns a signature, equal on two ranks with the same configuration. Local.
std::uint64_t signature(const Config& config);

// Returns the first key whose value differs from rank 0's, with both values and what to do; the same text on all ranks.
// Requires: signatures differ.
// Collective over `comm`.
std::string difference_in_words(const Comm& comm, const Config& config, const Deadline& deadline);

}  // namespace weir
