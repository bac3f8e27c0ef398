// SPDX-License-Identifier: Apache-2.0
// Memory that processes share is at several addresses: which word of it is meant. And what processes have open and
// mapped, so that nothing is left of those that are killed, and a rank that has ended well has left nothing.
#pragma once

#include <cstddef>

#include "machine.hpp"

namespace sim {

// Of a word of memory, shared or not.
Key word_at(const void* address);

// Gives back what the processes of the last machine still hold; how many descriptors the process had left.
int clean_up(int process);

}  // namespace sim
