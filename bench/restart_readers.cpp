// SPDX-License-Identifier: Apache-2.0
// The ways to read a restart: Weir's collective gets under a strategy, Weir's local ones ("alone"), PnetCDF's blocking
// and nonblocking collective ones, each rank by a file handle of its own ("peer:pnetcdf:each=1"), and netCDF-C's
// collective access to the file that is netCDF-4 ("peer:netcdf4"), which Weir reads with the setting format=netcdf4.
#include <netcdf.h>
#ifdef WEIR_BENCH_NETCDF4
#include <netcdf_par.h>
#endif
#include <pnetcdf.h>
#include <weir/weir.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "check.hpp"
#include "peers/peer.hpp"
#include "restart.hpp"

namespace weir::bench {

namespace {

std::string field_name(int field) {
  return formatted("field{}", field);
}

class WeirReader final : public RestartReader {
 public:
  WeirReader(const ModeSpec& spec, const Options& options, const RestartState& state, MPI_Comm comm)
      : state_(state),
        path_(reads_netcdf4(spec) ? state.netcdf4_path() : state.path),
        comm_(comm),
        alone_(spec.name == "alone") {
    ModeSpec way = spec;
    if (alone_) way.name = "remap";
    configuration_ = configuration_of(way, options.hints, options.configuration);
  }
  [[nodiscard]] const std::string& path() const override { return path_; }
  void prepare() override {
    if (weir_init(comm_, configuration_.c_str(), &model_, &weir_) != WEIR_OK) throw AgreedError(weir_init_error());
  }
  void read(RestartBuffers& to) override {
    weir_file* file = nullptr;
    check(weir_open(weir_, path_.c_str(), WEIR_NOWRITE, &file));
    int layout = -1, var = -1;
    const Extents shape{state_.nz, state_.ny, state_.nx};
    if (!alone_)
      check(weir_def_layout(weir_, 3, shape.data(), 1, state_.start.data(), state_.count.data(), nullptr, &layout));
    for (int f = 0; f < state_.fields; ++f) {
      std::vector<double>& values = to.fields[static_cast<std::size_t>(f)];
      check(weir_inq_varid(file, field_name(f).c_str(), &var));
      check(alone_ ? weir_get_vara(file, var, state_.start.data(), state_.count.data(), WEIR_DOUBLE, values.data())
                   : weir_get(file, var, 0, layout, WEIR_DOUBLE, values.data()));
    }
    const auto get = alone_ ? weir_get_vara : weir_get_vara_all;
    const std::int64_t zero = 0;
    check(weir_inq_varid(file, "mask", &var));
    check(get(file, var, state_.start.data() + 1, state_.count.data() + 1, WEIR_INT, to.mask.data()));
    check(weir_inq_varid(file, "y", &var));
    check(get(file, var, &zero, &state_.ny, WEIR_DOUBLE, to.y.data()));
    check(weir_inq_varid(file, "x", &var));
    check(get(file, var, &zero, &state_.nx, WEIR_DOUBLE, to.x.data()));
    check(weir_close(file));
  }
  nlohmann::ordered_json finish() override {
    const char* text = "null";
    check(weir_report(weir_, &text));
    const auto report = nlohmann::ordered_json::parse(text);
    if (weir_finalize(&weir_) != WEIR_OK) throw AgreedError(weir_init_error());
    MPI_Comm_free(&model_);
    return {{"hosts", report["hosts"]},
            {"high_water_bytes", report["high_water_bytes"]},
            {"reading", report.value("reading", nlohmann::ordered_json())}};
  }

 private:
  void check(int code) const {
    if (code != WEIR_OK) throw AgreedError(weir_error(weir_));
  }

  const RestartState& state_;
  std::string path_;
  MPI_Comm comm_, model_ = MPI_COMM_NULL;
  bool alone_;
  std::string configuration_;
  weir_t* weir_ = nullptr;
};

class PnetcdfReader final : public RestartReader {
 public:
  PnetcdfReader(PeerSettings settings, bool nonblocking, const RestartState& state, MPI_Comm comm)
      : state_(state),
        comm_(settings.take_flag("each", false) ? MPI_COMM_SELF : comm),
        nonblocking_(nonblocking),
        info_(settings) {}
  [[nodiscard]] const std::string& path() const override { return state_.path; }
  void prepare() override {}
  void read(RestartBuffers& to) override {
    check_pnetcdf(ncmpi_open(comm_, state_.path.c_str(), NC_NOWRITE, info_.get(), &file_),
                  formatted("opening {}", state_.path));
    const MPI_Offset zero = 0, ny = state_.ny, nx = state_.nx;
    for (int f = 0; f < state_.fields; ++f)
      get(field_name(f), {state_.start.begin(), state_.start.end()}, {state_.count.begin(), state_.count.end()},
          {to.fields[static_cast<std::size_t>(f)].data(), MPI_DOUBLE});
    get("mask", {state_.start.begin() + 1, state_.start.end()}, {state_.count.begin() + 1, state_.count.end()},
        {to.mask.data(), MPI_INT});
    get("y", {zero}, {ny}, {to.y.data(), MPI_DOUBLE});
    get("x", {zero}, {nx}, {to.x.data(), MPI_DOUBLE});
    if (nonblocking_) check_pnetcdf(ncmpi_wait_all(file_, NC_REQ_ALL, nullptr, nullptr), "ncmpi_wait_all");
    check_pnetcdf(ncmpi_close(file_), "ncmpi_close");
  }
  nlohmann::ordered_json finish() override { return nullptr; }

 private:
  struct Target {
    void* values;
    MPI_Datatype type;
  };
  void get(const std::string& name, const std::vector<MPI_Offset>& start, const std::vector<MPI_Offset>& count,
           const Target& to) {
    int var = -1;
    MPI_Offset elements = 1;
    for (const MPI_Offset length : count) elements *= length;
    check_pnetcdf(ncmpi_inq_varid(file_, name.c_str(), &var), name);
    const int status =
        nonblocking_ ? ncmpi_iget_vara(file_, var, start.data(), count.data(), to.values, elements, to.type, nullptr)
                     : ncmpi_get_vara_all(file_, var, start.data(), count.data(), to.values, elements, to.type);
    check_pnetcdf(status, formatted("reading {}", name));
  }

  const RestartState& state_;
  MPI_Comm comm_;
  bool nonblocking_;
  Info info_;
  int file_ = -1;
};

#ifdef WEIR_BENCH_NETCDF4
class Netcdf4Reader final : public RestartReader {
 public:
  Netcdf4Reader(const PeerSettings& settings, const RestartState& state, MPI_Comm comm)
      : path_(state.netcdf4_path()), state_(state), comm_(comm), info_(settings) {}
  [[nodiscard]] const std::string& path() const override { return path_; }
  void prepare() override {}
  void read(RestartBuffers& to) override {
    check_netcdf(nc_open_par(path_.c_str(), NC_NOWRITE, comm_, info_.get(), &file_),
                 formatted("nc_open_par {}", path_));
    for (int f = 0; f < state_.fields; ++f)
      get(field_name(f), state_.start, state_.count, to.fields[static_cast<std::size_t>(f)].data());
    get("mask", {state_.start.begin() + 1, state_.start.end()}, {state_.count.begin() + 1, state_.count.end()},
        to.mask.data());
    get("y", {0}, {state_.ny}, to.y.data());
    get("x", {0}, {state_.nx}, to.x.data());
    check_netcdf(nc_close(file_), "nc_close");
  }
  nlohmann::ordered_json finish() override { return nullptr; }

 private:
  void get(const std::string& name, const Extents& from, const Extents& size, void* values) {
    const std::vector<std::size_t> start(from.begin(), from.end()), count(size.begin(), size.end());
    int var = -1;
    check_netcdf(nc_inq_varid(file_, name.c_str(), &var), name);
    check_netcdf(nc_var_par_access(file_, var, NC_COLLECTIVE), "nc_var_par_access");
    check_netcdf(nc_get_vara(file_, var, start.data(), count.data(), values), formatted("reading {}", name));
  }

  std::string path_;
  const RestartState& state_;
  MPI_Comm comm_;
  Info info_;
  int file_ = -1;
};
#endif

}  // namespace

bool reads_netcdf4(const ModeSpec& spec) {
  return spec.name == "peer:netcdf4" ||
         std::find(spec.settings.begin(), spec.settings.end(),
                   std::pair<std::string, std::string>("format", "netcdf4")) != spec.settings.end();
}

std::unique_ptr<RestartReader> make_restart_reader(const ModeSpec& spec, const Options& options,
                                                   const RestartState& state, MPI_Comm comm) {
  const bool pnetcdf = spec.name == "peer:pnetcdf", nonblocking = spec.name == "peer:pnetcdf-nb";
  if (pnetcdf || nonblocking)
    return std::make_unique<PnetcdfReader>(PeerSettings(spec.settings, options.hints), nonblocking, state, comm);
#ifdef WEIR_BENCH_NETCDF4
  if (spec.name == "peer:netcdf4")
    return std::make_unique<Netcdf4Reader>(PeerSettings(spec.settings, options.hints), state, comm);
#endif
  if (!spec.is_weir())
    throw BenchError(
        formatted("--workload restart reads by Weir's strategies, alone, peer:pnetcdf, peer:pnetcdf-nb and "
                  "peer:netcdf4, not by {}",
                  spec.name));
  return std::make_unique<WeirReader>(spec, options, state, comm);
}

}  // namespace weir::bench
