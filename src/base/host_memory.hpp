// SPDX-License-Identifier: Apache-2.0
// How much memory a job has on its host. Local.
#pragma once

#include <cstdint>
#include <filesystem>

namespace weir {

// Returns the bytes of memory of this host.
std::int64_t host_memory_bytes() noexcept;

// Returns the bytes of memory that this process and its neighbours may use: the host's, or fewer where a batch system
// or a container limits the job by a control group (version 1 or 2). `root`: where the system describes itself.
std::int64_t usable_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace weir
