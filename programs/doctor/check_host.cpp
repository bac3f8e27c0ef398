// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/host.hpp"
#include "base/host_memory.hpp"
#include "base/text.hpp"
#include "checks.hpp"
#include "mpi/shared_segment.hpp"

namespace weir::doctor {
namespace {

// Cores that this process may use; of the host, where the launcher has bound it to fewer.
int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

std::string in_gib(std::int64_t bytes) {
  return formatted("{} GiB", (bytes + (1LL << 29)) >> 30);
}

// "24 GiB of memory", or what a batch system lets the job use of it.
std::string memory_in_words() {
  const std::int64_t all = host_memory_bytes(), usable = usable_memory_bytes();
  if (usable == all) return formatted("{} of memory", in_gib(all));
  return formatted("{} of memory, of which the job may use {:.1f} GiB", in_gib(all),
                   static_cast<double>(usable) / (1LL << 30));
}

void check_shared_memory(const Comm& host, Findings& findings) {
  constexpr std::int64_t trial_bytes = 1 << 20;
  try {
    const SharedSegments segments(host, trial_bytes);
    findings.push_back({"shared memory", "ranks of a host share memory", ""});
  } catch (const Error& error) {
    findings.push_back({"shared memory", error.what(), "forward: messages does without shared memory"});
  }
}

void check_open_files(Findings& findings) {
  constexpr rlim_t few = 256;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const bool unlimited = limit.rlim_cur == RLIM_INFINITY;
  Finding files{"open files", unlimited ? "no limit" : formatted("{} a process", limit.rlim_cur), ""};
  if (!unlimited && limit.rlim_cur < few) files.advice = "raise the limit of open files: ulimit -n 4096";
  findings.push_back(files);
}

void tell_host(int ranks, int cores, Findings& findings) {
  Finding found{
      "host",
      formatted("{}: {} rank{}, {} cores, {}", host_name(), ranks, ranks == 1 ? "" : "s", cores, memory_in_words()), "",
      false, true};
  if (ranks > cores)
    found.advice = "give each rank a core: ranks that wait for a core cannot compute while others write";
  findings.push_back(found);
}

}  // namespace

void check_host(const Place& place, Findings& findings) {
  const auto cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  if (place.host.rank() == 0) tell_host(place.host.size(), cores, findings);
  if (const int usable = usable_cores(); usable > 0 && usable < cores)
    findings.push_back({"binding", formatted("a rank may use {} of {} cores", usable, cores),
                        usable == 1 ? "leave a core of each host without a rank: Weir's writer threads take it" : ""});
  if (place.mpi) check_shared_memory(place.host, findings);
  check_open_files(findings);
}

}  // namespace weir::doctor
