// SPDX-License-Identifier: Apache-2.0
#include "pio/systems.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "pio/original_calls.hpp"

namespace weir::bridge {

namespace {

constexpr int scorpio_series = 2;
constexpr std::size_t most_freed = 1000;

template <class Kept>
std::map<int, Kept>& table() {
  static auto* const all = new std::map<int, Kept>;  // never destroyed: what lives at exit stays as it is
  return *all;
}

// PIO 2.5 and later has the first of these calls, SCORPIO 2 the other.
Library find_library() {
  if (!runs_own_mpi(bridge_name)) return Library::other;
  const auto newest = find_original<int(int, int, int, MPI_Offset, const void*)>("PIOc_put_vard");
  if (newest != nullptr && !is_own(reinterpret_cast<const void*>(newest))) return Library::pio;
  const auto major = find_original<int()>("PIOc_get_version_major");
  if (major != nullptr && major() == scorpio_series) return Library::scorpio;
  if (speaks())
    std::fprintf(stderr,
                 "%s: the underlying library is neither PIO 2.5 to 2.7 (it has no PIOc_put_vard) nor SCORPIO 2, so it "
                 "handles all files; use such a library, or remove the bridge\n",
                 bridge_name);
  return Library::other;
}

int first_io_task(int number, const RankGroup& group) {
  int io_rank = -1;
  WEIR_PIO(PIOc_iotask_rank)(number, &io_rank);
  std::int64_t root = io_rank == 0 ? group.comm().rank() : 0;
  allreduce_max(group.comm(), std::span(&root, 1), group.deadline(), "the start of PIO");
  return static_cast<int>(root);
}

}  // namespace

Library library() noexcept {
  static const Library found = find_library();
  return found;
}

Process* process() noexcept {
  if (library() == Library::other) return nullptr;
  static Process& process = Process::start(bridge_name, Makes::library, StrategyKind::remap);
  return process.forked() ? nullptr : &process;
}

std::int64_t Decomposition::mark() const noexcept {
  const auto first = std::find_if(map.begin(), map.end(), [](std::int64_t element) { return element != WEIR_ABSENT; });
  return first == map.end() ? -1 : first - map.begin();
}

Layout Decomposition::make_layout() const {
  return Layout::map(shape, map);
}

int Decomposition::layout_in(Running& running) {
  const auto known =
      std::find_if(layouts.begin(), layouts.end(), [&](const auto& made) { return made.first == &running; });
  if (known != layouts.end()) return known->second;
  const int layout = running.weir->define_layout(shape, [this] { return make_layout(); });
  layouts.emplace_back(&running, layout);
  return layout;
}

void Decomposition::clear_holes(std::byte* array) const noexcept {
  const auto bytes = static_cast<std::size_t>(type_bytes(type));
  for (std::size_t i = 0; i < map.size(); ++i)
    if (map[i] == WEIR_ABSENT) std::memset(array + i * bytes, 0, bytes);
}

void Decomposition::survey() {
  if (surveyed) return;
  const std::int64_t mine = std::ssize(map) - std::count(map.begin(), map.end(), std::int64_t{WEIR_ABSENT});
  const RankGroup& group = *system->group;
  const auto held = allgather(group.comm(), std::span(&mine, 1), group.deadline(), "a decomposition of PIO");
  const auto first = std::find_if(held.begin(), held.end(), [](std::int64_t elements) { return elements > 0; });
  overlaps = first == held.end();
  holder = static_cast<int>(first - held.begin());
  complete = std::accumulate(held.begin(), held.end(), std::int64_t{0}) >= elements(shape);
  surveyed = true;
}

std::shared_ptr<System> shared_system(int number) noexcept {
  const auto found = table<std::shared_ptr<System>>().find(number);
  return found == table<std::shared_ptr<System>>().end() ? nullptr : found->second;
}

System* system_of(int number) noexcept {
  return shared_system(number).get();
}

Decomposition* decomposition_of(int number) noexcept {
  const auto found = table<Decomposition>().find(number);
  return found == table<Decomposition>().end() ? nullptr : &found->second;
}

void add_system(int number, MPI_Comm comm) {
  Process* const here = process();
  if (here == nullptr) return;
  try {
    const auto system = std::make_shared<System>();
    system->group = RankGroup::of(*here, comm);
    if (system->group == nullptr) return;
    system->io_root = first_io_task(number, *system->group);
    table<std::shared_ptr<System>>()[number] = system;
  } catch (const std::exception& error) {
    here->say(formatted("{}; PIO handles its files", error.what()));
  }
}

void remove_system(int number) {
  table<std::shared_ptr<System>>().erase(number);
}

void add_decomposition(int number, Decomposition decomposition) {
  table<Decomposition>().insert_or_assign(number, std::move(decomposition));
}

void remove_decomposition(int number) {
  const auto found = table<Decomposition>().find(number);
  if (found == table<Decomposition>().end()) return;
  for (const auto& [running, layout] : found->second.layouts) {
    const Status status = running->call([weir = running->weir.get(), number = layout] { weir->free_layout(number); });
    const std::shared_ptr<RankGroup>& group = found->second.system->group;
    if (!status.ok() && group->comm().rank() == 0) group->process().say(status.message);
  }
  std::set<int>& freed = found->second.system->freed;
  freed.insert(number);
  if (freed.size() > most_freed) freed.erase(freed.begin());
  table<Decomposition>().erase(found);
}

void warn_of_freed(System& system, int decomposition, const std::string& file) {
  if (!system.freed.contains(decomposition) || std::exchange(system.told_of_freed, true)) return;
  if (system.group->comm().rank() != 0) return;
  system.group->process().say(
      formatted("{}: an array is written or read with decomposition {}, which PIOc_freedecomp has freed: free it after "
                "its last array, or create it again",
                file, decomposition));
}

}  // namespace weir::bridge
