// SPDX-License-Identifier: Apache-2.0
// The host: its cores, its name, and what counts as a host if a machine is divided. Local.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace weir {

// A set of a host's cores, by the system's numbers.
class CoreSet {
 public:
  static constexpr int most = 4096;

  // Reads "0-3,8".
  // Errors: WEIR_ECONFIG.
  static CoreSet parse(std::string_view list);
  // Returns the cores on which this thread may run; empty if the system does not say.
  static CoreSet of_this_thread() noexcept;
  // Returns the cores on which threads of this process may be put: the job's share of the host, whatever the launcher
  // has bound this process to. Empty if the system does not say.
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

  // Binds this thread to these cores. Returns false if the system refuses.
  bool bind_this_thread() const noexcept;

 private:
  static std::size_t word(int core) noexcept { return static_cast<std::size_t>(core) / 64; }
  static std::uint64_t bit(int core) noexcept { return std::uint64_t{1} << (core % 64); }

  std::array<std::uint64_t, most / 64> words_{};
};

// The name of writer threads, whose bindings bound_cores() does not count. At most 15 letters.
constexpr const char* writer_thread_name = "weir-writer";

// Returns the cores of `job` to which a thread of any process is bound: launchers bind ranks, OpenMP its threads. A
// thread that may run on all of `job` is not bound, and the system's threads do not count. `proc`: where the system
// describes processes.
CoreSet bound_cores(const CoreSet& job, const std::filesystem::path& proc = "/proc");

// Returns those of `cores` that are in the socket of a core of `own`; all of them if there are none, or the system does
// not say. `system`: where the system describes cores.
CoreSet near_cores(const CoreSet& cores, const CoreSet& own,
                   const std::filesystem::path& system = "/sys/devices/system/cpu");

// Returns cores for threads in addition to a rank's own: of the job's share those to which no rank is bound, near ones
// if there are any. Empty if this rank is not bound (the system then finds idle cores), or if OpenMP is to bind
// threads, which may not have begun.
CoreSet spare_cores();

// Returns this host's name; "" if the system does not say.
std::string host_name();

// Returns the name of the machine, by which profiles and tuned tables are known (docs/tuning.md): SLURM_CLUSTER_NAME or
// LMOD_SYSHOST, else the kind of this host's name, which should be the same on all hosts of a machine. Ranks have to
// agree on rank 0's.
std::string machine_name();

// Returns "node" for "node17.cluster.org": up to the first dot, without a number at its end (and a - or _ before it). A
// name that is only a number stays. Characters that a file name should not have become '-'. Pure.
std::string machine_of_host(std::string_view host);

// Returns the part of a host on which its rank `number` counts, if debug.ranks_per_host divides hosts into parts of so
// many consecutive ranks; 0: hosts are not divided. Pure.
inline int host_part(int number, int ranks_per_host) noexcept {
  return ranks_per_host > 0 ? number / ranks_per_host : 0;
}

}  // namespace weir
