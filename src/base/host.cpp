// SPDX-License-Identifier: Apache-2.0
#include "base/host.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <set>
#include <vector>

#include "base/error.hpp"

namespace weir {

namespace {

// 0 to most - 1; throws Error.
int core_of(std::string_view text, std::string_view list) {
  int core = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), core);
  require(error == std::errc() && end == text.data() + text.size() && core >= 0 && core < CoreSet::most, WEIR_ECONFIG,
          "'{}' is not auto, none, or a list of cores such as 0-3,8", list);
  return core;
}

bool is_number(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Folders whose names are numbers. What ends meanwhile is left out.
std::vector<std::filesystem::path> numbered(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (is_number(at->path().filename())) found.push_back(at->path());
  return found;
}

// Where a thread may run, by its status file; empty where that does not count, or is not understood.
CoreSet bound_to(const std::filesystem::path& status) try {
  std::ifstream in(status);
  std::string line, cores;
  bool has_memory = false;  // the system's own threads have none
  while (std::getline(in, line)) {
    const auto colon = line.find(':');
    const std::string_view word = std::string_view(line).substr(0, colon);
    if (colon == line.npos) continue;
    const auto value = line.find_first_not_of(" \t", colon + 1);
    if (value == line.npos) continue;
    if (word == "Name" && line.compare(value, line.npos, writer_thread_name) == 0) return {};
    if (word == "VmSize") has_memory = true;
    if (word == "Cpus_allowed_list") cores = line.substr(value);
  }
  return has_memory && !cores.empty() ? CoreSet::parse(cores) : CoreSet();
} catch (const Error&) {
  return {};
}

std::string socket_of(int core, const std::filesystem::path& system) {
  std::string socket;
  std::ifstream(system / formatted("cpu{}", core) / "topology" / "physical_package_id") >> socket;
  return socket;
}

bool openmp_binds() noexcept {
  constexpr std::array variables{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};
  return std::any_of(variables.begin(), variables.end(), [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' && std::string_view(value) != "false" &&
           std::string_view(value) != "FALSE";
  });
}

}  // namespace

CoreSet CoreSet::parse(std::string_view list) {
  CoreSet set;
  std::string_view rest = list;
  do {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest = part.size() < rest.size() ? rest.substr(part.size() + 1) : std::string_view();
    const auto dash = part.find('-');
    const int first = core_of(part.substr(0, dash), list);
    const int last = dash == part.npos ? first : core_of(part.substr(dash + 1), list);
    for (int core = first; core <= last; ++core) set.add(core);
    require(first <= last, WEIR_ECONFIG, "'{}' has a range that ends before it begins", list);
  } while (!rest.empty());
  return set;
}

CoreSet CoreSet::of_this_thread() noexcept {
  CoreSet set;
  if (::sched_getaffinity(0, sizeof set.words_, reinterpret_cast<cpu_set_t*>(set.words_.data())) != 0) return {};
  return set;
}

// The system leaves out of what is asked for all that is not the job's.
CoreSet CoreSet::of_the_job() noexcept {
  const CoreSet own = of_this_thread();
  CoreSet all;
  all.words_.fill(~std::uint64_t{0});
  if (own.empty() || !all.bind_this_thread()) return own;
  const CoreSet job = of_this_thread();
  return own.bind_this_thread() ? job : own;
}

CoreSet CoreSet::operator-(const CoreSet& others) const noexcept {
  CoreSet left = *this;
  for (std::size_t i = 0; i < words_.size(); ++i) left.words_[i] &= ~others.words_[i];
  return left;
}

CoreSet CoreSet::operator&(const CoreSet& others) const noexcept {
  CoreSet both = *this;
  for (std::size_t i = 0; i < words_.size(); ++i) both.words_[i] &= others.words_[i];
  return both;
}

CoreSet& CoreSet::operator|=(const CoreSet& others) noexcept {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= others.words_[i];
  return *this;
}

std::string CoreSet::text() const {
  std::string list;
  for (int core = 0; core < most; ++core) {
    if (!has(core)) continue;
    int last = core;
    while (has(last + 1)) ++last;
    if (!list.empty()) list += ',';
    list += std::to_string(core);
    if (last > core) list.append("-").append(std::to_string(last));
    core = last;
  }
  return list;
}

bool CoreSet::bind_this_thread() const noexcept {
  return ::sched_setaffinity(0, sizeof words_, reinterpret_cast<const cpu_set_t*>(words_.data())) == 0;
}

CoreSet bound_cores(const CoreSet& job, const std::filesystem::path& proc) {
  CoreSet bound;
  for (const std::filesystem::path& process : numbered(proc))
    for (const std::filesystem::path& thread : numbered(process / "task")) {
      const CoreSet cores = bound_to(thread / "status") & job;
      if (cores != job) bound |= cores;
    }
  return bound;
}

CoreSet near_cores(const CoreSet& cores, const CoreSet& own, const std::filesystem::path& system) {
  std::set<std::string> sockets;
  for (int core = 0; core < CoreSet::most; ++core)
    if (own.has(core)) sockets.insert(socket_of(core, system));
  CoreSet near;
  for (int core = 0; core < CoreSet::most; ++core)
    if (cores.has(core) && sockets.contains(socket_of(core, system))) near.add(core);
  return near.empty() ? cores : near;
}

CoreSet spare_cores() {
  const CoreSet own = CoreSet::of_this_thread(), job = CoreSet::of_the_job();
  if (own.contains(job) || openmp_binds()) return {};
  return near_cores(job - bound_cores(job), own);
}

namespace {

constexpr std::string_view ten_digits = "0123456789";

bool may_stand_in_a_file_name(char letter) noexcept {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         ten_digits.find(letter) != ten_digits.npos || letter == '-' || letter == '_';
}

std::string with_plain_letters(std::string_view name) {
  std::string plain(name);
  for (char& letter : plain)
    if (!may_stand_in_a_file_name(letter)) letter = '-';
  return plain;
}

}  // namespace

std::string machine_of_host(std::string_view host) {
  std::string_view name = host.substr(0, host.find('.'));
  if (const auto last = name.find_last_not_of(ten_digits); last != name.npos) {
    const std::string_view rest = name.substr(0, last + 1);
    if (const auto word = rest.find_last_not_of("-_"); word != rest.npos) name = name.substr(0, word + 1);
  }
  return name.empty() ? "unnamed" : with_plain_letters(name);
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string machine_name() {
  for (const char* variable : {"SLURM_CLUSTER_NAME", "LMOD_SYSHOST"})
    if (const char* name = std::getenv(variable); name && *name) return with_plain_letters(name);
  const std::string host = host_name();
  return host.empty() ? "unnamed" : machine_of_host(host);
}

}  // namespace weir
