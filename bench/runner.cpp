// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>

#include "agree.hpp"
#include "base/text.hpp"
#include "check.hpp"
#include "compute.hpp"
#include "input.hpp"
#include "mpi/comm.hpp"
#include "process_memory.hpp"
#include "progress.hpp"
#include "weir_plans.hpp"

namespace weir::bench {
namespace {

namespace fs = std::filesystem;

template <typename T>
T reduce_max(T value, MPI_Datatype type, MPI_Comm comm) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, MPI_MAX, comm), "MPI_Allreduce");
  return value;
}

double reduce_sum(double value, MPI_Comm comm) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm), "MPI_Allreduce");
  return value;
}

// A file's name and everything that begins with it, since some modes write several.
std::vector<fs::path> files_of(const std::string& path) {
  const std::string stem = fs::path(path).filename().string();
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(path).parent_path())) {
    if (entry.path().filename().string().starts_with(stem)) found.push_back(entry.path());
  }
  return found;
}

void remove_files(const std::string& path) {
  for (const fs::path& file : files_of(path)) fs::remove_all(file);  // a Zarr folder too
}

std::int64_t bytes_of_files(const std::string& path) {
  std::int64_t bytes = 0;
  for (const fs::path& file : files_of(path)) {
    if (fs::is_regular_file(file)) bytes += static_cast<std::int64_t>(fs::file_size(file));
    if (!fs::is_directory(file)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(file))
      if (entry.is_regular_file()) bytes += static_cast<std::int64_t>(entry.file_size());
  }
  return bytes;
}

// What all threads of this rank's process have had of processors, the system's part included.
double processor_seconds() {
  timespec time{};
  check_system(::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time), "asking for the processor time");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Adds up the time spent in output calls.
class Stopwatch {
 public:
  template <typename Call>
  void time(Call&& call) {
    const double begin = MPI_Wtime();
    call();
    seconds_ += MPI_Wtime() - begin;
  }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  double seconds_ = 0.0;
};

class Runner {
 public:
  Runner(const Options& options, const Roster& roster)
      : options_(options),
        roster_(roster),
        comm_(roster.model().raw()),
        work_(named_workload(options, comm_)),
        data_(work_),
        compute_(options.compute, work_, comm_),
        rank_(roster.model().rank()) {
    result_.ranks = roster.model().size();
    result_.workload = work_.name;
    result_.records = work_.records;
    result_.bytes = work_.file_bytes();
    result_.compute = compute_.describe();
    together(comm_, [&] {
      for (const ModeSpec& spec : options.modes) {
        const int mode = static_cast<int>(modes_.size());
        result_.modes.emplace_back(spec);
        result_.modes.back().reserved_ranks = roster.reserved(mode);
        modes_.push_back(make_mode(spec, scene(mode)));
      }
    });
  }

  RunResult run() {
    if (work_.reads) {
      const std::string path = (fs::path(options_.directory) / "weir-bench-input.nc").string();
      input_ = std::make_unique<Input>(Scene{comm_, comm_, work_, data_, options_.hints, ""}, path);
    }
    const int count = static_cast<int>(modes_.size());
    const int repeats = options_.warm_ups + options_.repeats;
    Progress progress(repeats * count, options_.progress && rank_ == 0);
    spent_.assign(count, 0);
    for (int repeat = 0; repeat < repeats; ++repeat) {
      for (int place = 0; place < count; ++place) {
        const int mode = (place + repeat) % count;
        progress.step(result_.modes[mode].spec.text);
        if (!modes_[mode] || (repeat > options_.warm_ups && out_of_time(mode))) continue;
        const double begin = MPI_Wtime();
        run_once(mode, repeat);
        spent_[mode] += MPI_Wtime() - begin;
      }
    }
    return std::move(result_);
  }

  nlohmann::ordered_json plans() {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (int mode = 0; mode < static_cast<int>(modes_.size()); ++mode) {
      if (!options_.modes[mode].is_weir()) continue;
      const std::string path = file_path(mode);
      roster_.call(mode);
      for (auto& plan : weir_plans(options_.modes[mode], scene(mode), path)) all.push_back(std::move(plan));
      clean(path);
    }
    return all;
  }

 private:
  [[nodiscard]] Scene scene(int mode) const {
    return {comm_, roster_.start(mode), work_, data_, options_.hints, options_.configuration};
  }

  static Workload named_workload(const Options& options, MPI_Comm comm) {
    Workload work;
    together(comm, [&] { work = make_workload(options.workload, comm); });
    work.name = options.workload.name;
    work.smooth = options.workload.smooth;
    return work;
  }

  [[nodiscard]] std::string file_path(int mode) const {
    return (fs::path(options_.directory) / formatted("weir-bench-{}.nc", mode)).string();
  }

  // Whether the mode has had its share of --seconds, by the clock of rank 0.
  [[nodiscard]] bool out_of_time(int mode) const {
    if (options_.limit_seconds == 0) return false;
    int over = spent_[mode] * static_cast<double>(modes_.size()) > options_.limit_seconds ? 1 : 0;
    check_mpi(MPI_Bcast(&over, 1, MPI_INT, 0, comm_), "MPI_Bcast");
    return over != 0;
  }

  void run_once(int mode, int repeat) {
    ModeResult& result = result_.modes[mode];
    const std::string path = file_path(mode);
    clean(path);  // what --keep or an earlier job has left: every run makes its file
    try {
      if (repeat == 0) {
        const MemoryWatch watch;
        roster_.call(mode);
        modes_[mode]->prepare();
        measure(mode, repeat, path);
        note_growth(result, watch);
      } else {
        measure(mode, repeat, path);
      }
      note_report(mode, repeat);
      result.stored_bytes = modes_[mode]->stored_bytes();
      if (!result.stored_bytes && rank_ == 0) result.stored_bytes = bytes_of_files(path);
      if (options_.verify) check_file(mode, path);
    } catch (const AgreedError& error) {
      result.complaint = error.what();
      result.verified = false;
      modes_[mode].reset();
    }
    if (!options_.keep) clean(path);
  }

  void measure(int mode, int repeat, const std::string& path) {
    Mode& writer = *modes_[mode];
    Stopwatch output, input;
    compute_.begin();
    check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
    const double begin = MPI_Wtime(), processors = processor_seconds();
    output.time([&] { writer.begin(path); });
    for (std::int64_t record = 0; record < work_.records; ++record) {
      if (input_) input.time([&] { input_->read(record); });
      compute_.run(record);
      output.time([&] {
        if (record == 0) writer.put_fixed();
        writer.put_record(record);
      });
    }
    output.time([&] { writer.end(); });
    const double used = processor_seconds() - processors;  // waiting for slower ranks below is nobody's cost
    // Ranks that share a processor leave the first barrier one after another: the first one's clock has to run until
    // the last one has ended.
    check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
    const double seconds = reduce_max(MPI_Wtime() - begin, MPI_DOUBLE, comm_);
    const double visible = reduce_max(output.seconds(), MPI_DOUBLE, comm_);
    ModeResult& result = result_.modes[mode];
    if (repeat < options_.warm_ups) {
      result.warm_up_seconds.push_back(seconds);
    } else {
      result.seconds.push_back(seconds);
      result.visible_seconds.push_back(visible);
      result.processor_seconds.push_back(reduce_sum(used, comm_));
      note_compute(result);
      if (input_) result.read_seconds.push_back(reduce_max(input.seconds(), MPI_DOUBLE, comm_));
    }
  }

  void note_compute(ModeResult& result) {
    if (!compute_.active()) return;
    result.slack_seconds.push_back(reduce_sum(compute_.slack_seconds(), comm_) / result_.ranks);
    result.computing_seconds.push_back(reduce_sum(compute_.computing_seconds(), comm_) / result_.ranks);
    result.residual = compute_.residual();
  }

  void note_growth(ModeResult& result, const MemoryWatch& watch) {
    const std::int64_t growth = reduce_max(watch.growth_bytes().value_or(INT64_MAX), MPI_INT64_T, comm_);
    if (growth == INT64_MAX) return;
    result.process_growth_bytes = growth;
    if (!result.spec.is_weir()) result.peak_bytes_per_rank = growth;
  }

  // Weir's report counts on from repeat to repeat: what the warm-ups took is subtracted.
  void note_report(int mode, int repeat) {
    ModeResult& result = result_.modes[mode];
    result.remark = modes_[mode]->remark();
    result.report = modes_[mode]->report();
    if (result.report.is_null()) return;
    result.peak_bytes_per_rank = result.report.at("high_water_bytes").get<std::int64_t>();
    if (repeat < options_.warm_ups) {
      warm_reports_[mode] = result.report;
      return;
    }
    const int counted = repeat - options_.warm_ups + 1;
    for (const auto& [step, seconds] : result.report.at("seconds").items()) {
      const double before = options_.warm_ups == 0 ? 0.0 : warm_reports_[mode]["seconds"][step]["max"].get<double>();
      result.steps[step] = (seconds.at("max").get<double>() - before) / counted;
    }
  }

  void check_file(int mode, const std::string& path) {
    ModeResult& result = result_.modes[mode];
    std::string why;
    const std::optional<bool> verified = modes_[mode]->verify(path, why);
    if (verified) result.verified = *verified && result.verified.value_or(true);
    if (!why.empty()) result.complaint = why;
  }

  // The directory is shared by all hosts, so rank 0 removes what all have written.
  void clean(const std::string& path) {
    check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
    if (rank_ == 0) remove_files(path);
    check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
  }

  const Options& options_;
  const Roster& roster_;
  MPI_Comm comm_;  // the model's
  Workload work_;
  FieldData data_;
  Compute compute_;
  std::unique_ptr<Input> input_;  // of a model that reads
  int rank_;
  RunResult result_;
  std::vector<std::unique_ptr<Mode>> modes_;
  std::vector<double> spent_;                           // seconds of each mode, warm-ups and verification included
  std::map<int, nlohmann::ordered_json> warm_reports_;  // by mode, of the last warm-up
};

}  // namespace

RunResult run_modes(const Options& options, const Roster& roster) {
  return Runner(options, roster).run();
}

nlohmann::ordered_json plan_modes(const Options& options, const Roster& roster) {
  return Runner(options, roster).plans();
}

}  // namespace weir::bench
