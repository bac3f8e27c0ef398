// SPDX-License-Identifier: Apache-2.0
#include "base/host_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "base/text.hpp"

namespace weir {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// "max", or no number: no limit.
std::int64_t limit_in(const fs::path& file) {
  std::ifstream stream(file);
  std::string word;
  if (!(stream >> word)) return no_limit;
  return parse_whole(word).value_or(no_limit);
}

// Of a group and all that it is part of. A container does not see the folder of its group, but at `mounted` its own
// limit.
std::int64_t limit_of_group(const fs::path& mounted, const std::string& group, const char* file) {
  std::int64_t least = limit_in(mounted / file);
  fs::path at = mounted;
  for (const fs::path& part : fs::path(group).relative_path()) least = std::min(least, limit_in((at /= part) / file));
  return least;
}

bool is_of_memory(const std::string& controllers) {
  return ("," + controllers + ",").find(",memory,") != std::string::npos;
}

}  // namespace

std::int64_t host_memory_bytes() noexcept {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

std::int64_t usable_memory_bytes(const fs::path& root) {
  std::int64_t bytes = host_memory_bytes();
  const fs::path groups = root / "sys/fs/cgroup";
  std::ifstream stream(root / "proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {  // "4:memory:/job_7", "0::/job_7"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty())
      bytes = std::min(bytes, limit_of_group(groups, group, "memory.max"));
    else if (is_of_memory(controllers))
      bytes = std::min(bytes, limit_of_group(groups / "memory", group, "memory.limit_in_bytes"));
  }
  return bytes;
}

}  // namespace weir
