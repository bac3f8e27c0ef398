// SPDX-License-Identifier: Apache-2.0
// The host: its cores, its name, and what is a host where a machine is divided. Local.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace weir {

// Sets of a host's cores by the system's numbers, and which thread runs on which. Local.

class CoreSet {
 public:
  static constexpr int most = 4096;

  // "0-3,8". Throws Error(WEIR_ECONFIG) with a sentence.
  static CoreSet parse(std::string_view list);
  // Where this thread may run; empty where the system does not tell.
  static CoreSet of_this_thread() noexcept;
  // Where threads of this process may be put: the job's share of the host, however the launcher has bound this one.
  // Empty where the system does not tell.
  static CoreSet of_the_job() noexcept;

  void add(int core) noexcept { words_[word(core)] |= bit(core); }
  bool has(int core) const noexcept { return core >= 0 && core < most && (words_[word(core)] & bit(core)) != 0; }
  bool empty() const noexcept { return *this == CoreSet(); }
  bool contains(const CoreSet& others) const noexcept { return (others - *this).empty(); }
  CoreSet operator-(const CoreSet& others) const noexcept;
  CoreSet operator&(const CoreSet& others) const noexcept;
  CoreSet& operator|=(const CoreSet& others) noexcept;
  bool operator==(const CoreSet&) const noexcept = default;
  std::string text() const;  // "0-3,8"

  // From now on this thread runs on these alone. False where the system refuses.
  bool bind_this_thread() const noexcept;

 private:
  static std::size_t word(int core) noexcept { return static_cast<std::size_t>(core) / 64; }
  static std::uint64_t bit(int core) noexcept { return std::uint64_t{1} << (core % 64); }

  std::array<std::uint64_t, most / 64> words_{};
};

// What threads of that name are bound to counts for no rank in bound_cores(): at most 15 letters.
constexpr const char* writer_thread_name = "weir-writer";

// Of `job`, those that some thread of any process is bound to: launchers bind ranks, OpenMP its threads. What may run
// on all of `job` is not bound, and the system's own threads do not count. `proc`: where the system reports of
// processes.
CoreSet bound_cores(const CoreSet& job, const std::filesystem::path& proc = "/proc");

// Of `cores`, those in the socket of some core of `own`; all of `cores` where there is none, or the system does not
// tell. `system`: where it tells of cores.
CoreSet near_cores(const CoreSet& cores, const CoreSet& own,
                   const std::filesystem::path& system = "/sys/devices/system/cpu");

// Cores for threads that work besides a rank: of the job's share those that no rank is bound to, the near ones where
// there are any. Empty where this rank is not bound (the system then finds idle cores by itself), or where OpenMP is to
// bind threads, which may not have begun yet.
CoreSet spare_cores();

// The name of the machine a run is on, by which profiles and tuned tables are known (docs/tuning.md). Local.

// What SLURM_CLUSTER_NAME or LMOD_SYSHOST says, else the name of this host's kind: different hosts of one machine
// should give the same. Ranks must agree on that of rank 0.
std::string machine_name();

// "node" of "node17.cluster.org": up to the first dot, without a number at its end (and a - or _ before it). A name
// that is all number stays. Characters that a file's name should not have become '-'. Pure.
std::string machine_of_host(std::string_view host);

// Defines a host: a fixed number of consecutive ranks among those that can share memory (debug.ranks_per_host), or all
// of these where the key is 0. Pure, Local.

// Which of the hosts that these ranks make the `number`th of them is on.
inline int host_part(int number, int ranks_per_host) noexcept {
  return ranks_per_host > 0 ? number / ranks_per_host : 0;
}

}  // namespace weir
