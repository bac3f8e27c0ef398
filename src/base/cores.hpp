// SPDX-License-Identifier: Apache-2.0
// Sets of a host's cores by the system's numbers, and which thread runs on which. Local.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace weir {

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
// on all of `job` is not bound, and the system's own threads do not count. `proc`: where the system reports of processes.
CoreSet bound_cores(const CoreSet& job, const std::filesystem::path& proc = "/proc");

// Of `cores`, those in the socket of some core of `own`; all of `cores` where there is none, or the system does not
// tell. `system`: where it tells of cores.
CoreSet near_cores(const CoreSet& cores, const CoreSet& own,
                   const std::filesystem::path& system = "/sys/devices/system/cpu");

// Cores for threads that work besides a rank: of the job's share those that no rank is bound to, the near ones where
// there are any. Empty where this rank is not bound (the system then finds idle cores by itself), or where OpenMP is to
// bind threads, which may not have begun yet.
CoreSet spare_cores();

}  // namespace weir
