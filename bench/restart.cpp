// SPDX-License-Identifier: Apache-2.0
#include "restart.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <weir/weir.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "agree.hpp"
#include "base/text.hpp"
#include "check.hpp"
#include "restart_cards.hpp"
#include "workloads/parts.hpp"

namespace weir::bench {

namespace {

using workloads::share;
using workloads::Share;

double field_value(int field, std::int64_t element) {
  return static_cast<double>(element) + 0.125 * field;
}

// What this process has asked the system to read, by calls of all its threads.
struct Asked {
  std::int64_t bytes = 0, calls = 0;
  static Asked now() {
    Asked asked;
    std::ifstream file("/proc/self/io");
    for (std::string word; file >> word;) {
      if (word == "rchar:") file >> asked.bytes;
      if (word == "syscr:") file >> asked.calls;
    }
    return asked;
  }
};

RestartState make_state(const Options& options, MPI_Comm comm) {
  const RankPosition here = place_in(comm);
  const workloads::Description work = workloads::describe_restart({restart_name, here.ranks, options.workload.scale});
  const workloads::Part part = work.decompositions[0].part(here.rank);
  const auto fields = std::count_if(work.variables.begin(), work.variables.end(),
                                    [](const workloads::Variable& variable) { return variable.decomposition == 0; });
  const Extents& shape = work.decompositions[0].shape;
  return {shape[0],
          shape[1],
          shape[2],
          static_cast<int>(fields),
          part.start,
          part.count,
          (std::filesystem::path(options.directory) / "weir-bench-restart.nc").string()};
}

void check_weir(const weir_t* weir, int code) {
  if (code != WEIR_OK) throw BenchError(weir_error(weir));
}

// By the first half of the ranks, each with some rows of all levels. `mode`: of weir_create.
void write_state(const RestartState& state, const std::string& path, int mode, MPI_Comm comm) {
  const RankPosition all = place_in(comm);
  const int writers = std::max(1, all.ranks / 2);
  MPI_Comm some = MPI_COMM_NULL, model = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(comm, all.rank < writers ? 0 : MPI_UNDEFINED, all.rank, &some), "MPI_Comm_split");
  if (some != MPI_COMM_NULL) {
    weir_t* weir = nullptr;
    weir_file* file = nullptr;
    if (weir_init(some, "strategy: remap\n", &model, &weir) != WEIR_OK) throw BenchError(weir_init_error());
    const auto check = [&](int code) { check_weir(weir, code); };
    const Share own = share(state.ny, writers, all.rank);
    const Extents shape{state.nz, state.ny, state.nx}, start{0, own.start, 0}, count{state.nz, own.count, state.nx};
    int dims[3], layout = -1, mask = -1, y = -1, x = -1;
    std::vector<int> vars(static_cast<std::size_t>(state.fields));
    check(weir_def_layout(weir, 3, shape.data(), 1, start.data(), count.data(), nullptr, &layout));
    check(weir_create(weir, path.c_str(), mode, &file));
    check(weir_def_dim(file, "z", state.nz, &dims[0]));
    check(weir_def_dim(file, "y", state.ny, &dims[1]));
    check(weir_def_dim(file, "x", state.nx, &dims[2]));
    for (int f = 0; f < state.fields; ++f)
      check(weir_def_var(file, formatted("field{}", f).c_str(), WEIR_DOUBLE, 3, dims,
                         &vars[static_cast<std::size_t>(f)]));
    check(weir_def_var(file, "mask", WEIR_INT, 2, dims + 1, &mask));
    check(weir_def_var(file, "y", WEIR_DOUBLE, 1, dims + 1, &y));
    check(weir_def_var(file, "x", WEIR_DOUBLE, 1, dims + 2, &x));
    check(weir_enddef(file));
    std::vector<double> values(static_cast<std::size_t>(product(count)));
    for (int f = 0; f < state.fields; ++f) {
      auto value = values.begin();
      for (std::int64_t z = 0; z < state.nz; ++z)
        for (std::int64_t i = own.start * state.nx; i < (own.start + own.count) * state.nx; ++i)
          *value++ = field_value(f, z * state.ny * state.nx + i);
      check(weir_put(file, vars[static_cast<std::size_t>(f)], 0, layout, WEIR_DOUBLE, values.data()));
    }
    std::vector<int> plane(static_cast<std::size_t>(state.ny * state.nx));
    std::vector<double> axis(static_cast<std::size_t>(std::max(state.ny, state.nx)));
    for (std::size_t i = 0; i < plane.size(); ++i) plane[i] = static_cast<int>(i % 7);
    for (std::size_t i = 0; i < axis.size(); ++i) axis[i] = field_value(1, static_cast<std::int64_t>(i));
    check(weir_put_var(file, mask, 0, WEIR_INT, plane.data()));
    check(weir_put_var(file, y, 0, WEIR_DOUBLE, axis.data()));
    check(weir_put_var(file, x, 0, WEIR_DOUBLE, axis.data()));
    check(weir_close(file));
    if (weir_finalize(&weir) != WEIR_OK) throw BenchError(weir_init_error());
    MPI_Comm_free(&model);
    MPI_Comm_free(&some);
  }
  meet_asleep(comm);
}

RestartBuffers make_buffers(const RestartState& state) {
  const auto elements = static_cast<std::size_t>(product(state.count));
  return {std::vector(static_cast<std::size_t>(state.fields), std::vector<double>(elements)),
          std::vector<int>(elements / static_cast<std::size_t>(state.nz)),
          std::vector<double>(static_cast<std::size_t>(state.ny)),
          std::vector<double>(static_cast<std::size_t>(state.nx))};
}

bool right_axis(const std::vector<double>& axis) {
  for (std::size_t i = 0; i < axis.size(); ++i)
    if (axis[i] != field_value(1, static_cast<std::int64_t>(i))) return false;
  return true;
}

bool all_right(const RestartState& state, const RestartBuffers& found) {
  bool right = right_axis(found.y) && right_axis(found.x);
  std::size_t i = 0;
  for (std::int64_t z = 0; z < state.count[0]; ++z)
    for (std::int64_t y = 0; y < state.count[1]; ++y)
      for (std::int64_t x = 0; x < state.count[2]; ++x, ++i) {
        const std::int64_t plane = (state.start[1] + y) * state.nx + state.start[2] + x;
        for (int f = 0; f < state.fields; ++f)
          right =
              right && found.fields[static_cast<std::size_t>(f)][i] == field_value(f, z * state.ny * state.nx + plane);
        if (z == 0) right = right && found.mask[i] == static_cast<int>(plane % 7);
      }
  return right;
}

// Of every host: its file is on storage and not in its page cache.
void forget_cached(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  check_system(file, formatted("opening {}", path));
  ::fdatasync(file);
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  ::close(file);
}

struct Measured {
  std::string mode;
  std::vector<double> seconds;
  Asked asked;  // of all ranks, in the last reading
  bool right = true;
  nlohmann::ordered_json told;
};

class RestartRun {
 public:
  RestartRun(const Options& options, MPI_Comm comm)
      : options_(options), comm_(comm), state_(make_state(options, comm)), buffers_(make_buffers(state_)) {
    check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    together(comm, [&] {
      for (const ModeSpec& spec : options.modes) {
        readers_.push_back(make_restart_reader(spec, options_, state_, comm_));
        measured_.push_back({spec.text, {}, {}, true, nullptr});
      }
    });
  }
  std::vector<Measured> run() {
    write_state(state_, state_.path, WEIR_CDF5, comm_);
    const bool packed = std::any_of(options_.modes.begin(), options_.modes.end(), reads_netcdf4);
    if (packed) write_state(state_, state_.netcdf4_path(), WEIR_NETCDF4, comm_);
    const std::size_t modes = readers_.size();
    for (int repeat = 0; repeat < options_.warm_ups + options_.repeats; ++repeat)
      for (std::size_t place = 0; place < modes; ++place)
        read_once((place + static_cast<std::size_t>(repeat)) % modes, repeat >= options_.warm_ups);
    if (rank_ == 0 && !options_.keep)
      for (const std::string& path : {state_.path, state_.netcdf4_path()}) std::filesystem::remove(path);
    return measured_;
  }
  [[nodiscard]] const RestartState& state() const { return state_; }

 private:
  void read_once(std::size_t mode, bool counts) {
    Measured& measured = measured_[mode];
    for (auto& field : buffers_.fields) std::fill(field.begin(), field.end(), -1);
    readers_[mode]->prepare();
    if (options_.cold) together(comm_, [&] { forget_cached(readers_[mode]->path()); });
    check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
    const Asked before = Asked::now();
    const double begin = MPI_Wtime();
    readers_[mode]->read(buffers_);
    double seconds = MPI_Wtime() - begin;
    const Asked after = Asked::now();
    std::int64_t asked[] = {after.bytes - before.bytes, after.calls - before.calls,
                            all_right(state_, buffers_) ? 0 : 1};
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm_), "MPI_Allreduce");
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, asked, 3, MPI_INT64_T, MPI_SUM, comm_), "MPI_Allreduce");
    measured.told = readers_[mode]->finish();
    measured.asked = {asked[0], asked[1]};
    measured.right = measured.right && asked[2] == 0;
    if (counts) measured.seconds.push_back(seconds);
  }

  const Options& options_;
  MPI_Comm comm_;
  int rank_ = 0;
  RestartState state_;
  RestartBuffers buffers_;
  std::vector<std::unique_ptr<RestartReader>> readers_;
  std::vector<Measured> measured_;
};

void print(const CardsNeed& need) {
  std::printf("into the host whose ranks want most %.1f MB, into all %lld hosts %.1f MB", need.host_bytes / 1e6,
              static_cast<long long>(need.hosts), need.hosts_bytes / 1e6);
  if (need.seconds > 0) std::printf(": cards need %.4f s", need.seconds);
  std::printf("\n");
}

void print(const std::vector<Measured>& all, const RestartState& state) {
  std::printf("restart of %.1f MB\n%-44s %9s %9s %9s %12s %10s %s\n", static_cast<double>(state.bytes()) / 1e6, "mode",
              "median s", "least s", "MB/s", "read / file", "reads", "right");
  for (const Measured& one : all) {
    std::vector<double> seconds = one.seconds;
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[seconds.size() / 2];
    std::printf("%-44s %9.4f %9.4f %9.0f %12.3f %10lld %s\n", one.mode.c_str(), median, seconds.front(),
                static_cast<double>(state.bytes()) / 1e6 / median,
                static_cast<double>(one.asked.bytes) / static_cast<double>(state.bytes()),
                static_cast<long long>(one.asked.calls), one.right ? "yes" : "NO");
  }
}

}  // namespace

std::int64_t RestartState::bytes() const {
  return fields * nz * ny * nx * 8 + ny * nx * 4 + (ny + nx) * 8;
}

int run_restart(const Options& options, const Roster& roster, nlohmann::ordered_json& json) {
  for (int mode = 0; mode < static_cast<int>(options.modes.size()); ++mode)
    if (roster.reserved(mode) > 0)
      throw AgreedError(formatted("--workload restart has no ranks to reserve, which {} wants",
                                  options.modes[static_cast<std::size_t>(mode)].text));
  RestartRun restart(options, roster.model().raw());
  const std::vector<Measured> all = restart.run();
  const CardsNeed need = cards_need(restart.state(), options.cards, roster.model().raw());
  if (roster.model().rank() == 0) print(all, restart.state());
  if (roster.model().rank() == 0) print(need);
  json["cards"] = {{"hosts", need.hosts},
                   {"host_bytes", need.host_bytes},
                   {"hosts_bytes", need.hosts_bytes},
                   {"seconds", need.seconds}};
  bool well = true;
  json["runs"] = nlohmann::ordered_json::array();
  for (const Measured& one : all) {
    well = well && one.right;
    json["runs"].push_back({{"mode", one.mode},
                            {"workload", restart_name},
                            {"ranks", roster.model().size()},
                            {"bytes", restart.state().bytes()},
                            {"seconds", one.seconds},
                            {"bytes_asked", one.asked.bytes},
                            {"reads", one.asked.calls},
                            {"verified", one.right},
                            {"report", one.told}});
  }
  return well ? 0 : 1;
}

}  // namespace weir::bench
