// SPDX-License-Identifier: Apache-2.0
#include "mode.hpp"

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "check.hpp"
#include "verify.hpp"

namespace weir::bench {
namespace {

using Maker = std::function<std::unique_ptr<Mode>(const ModeSpec&, const Scene&)>;

Maker peer(std::unique_ptr<Mode> (*make)(const Settings&, const Scene&)) {
  return [make](const ModeSpec& spec, const Scene& scene) { return make(spec.settings, scene); };
}

std::unique_ptr<Mode> make_alone(const ModeSpec&, const Scene&) {
  throw BenchError("alone is a way to read: it goes with --workload restart");
}

const std::vector<std::pair<std::string, Maker>>& makers() {
  static const std::vector<std::pair<std::string, Maker>> table = {
    {"none", make_no_output},
    {"limit", make_limit},
    {"auto", make_weir_mode},
    {"serial", make_weir_mode},
    {"collective", make_weir_mode},
    {"rows", make_weir_mode},
    {"columns", make_weir_mode},
    {"remap", make_weir_mode},
    {"servers", make_weir_mode},
    {"dynamic", make_weir_mode},
    {"file_per_rank", make_weir_mode},
    {"file_per_domain", make_weir_mode},
    {"alone", make_alone},
    {"peer:serial", peer(make_peer_serial)},
    {"peer:serial-netcdf4", peer(make_peer_serial_netcdf4)},
    {"peer:pnetcdf", peer(make_peer_pnetcdf)},
    {"peer:pnetcdf-nb", peer(make_peer_pnetcdf_nb)},
#ifdef WEIR_BENCH_NETCDF4
    {"peer:netcdf4", peer(make_peer_netcdf4)},
#endif
#if defined(WEIR_BENCH_NETCDF4) && defined(WEIR_BENCH_HDF5)
    {"peer:hdf5", peer(make_peer_hdf5)},
#endif
#ifdef WEIR_BENCH_ADIOS2
    {"peer:adios2", peer(make_peer_adios2)},
#endif
    {"peer:raw", peer(make_peer_raw)},
  };
  return table;
}

}  // namespace

Mode::Mode(const Scene& scene) : scene_(scene) {
  check_mpi(MPI_Comm_rank(scene.comm, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(scene.comm, &ranks_), "MPI_Comm_size");
}

std::optional<bool> Mode::verify(const std::string& path, std::string& why) {
  return verify_file(work(), path, scene_.comm, why);
}

std::vector<int> Mode::variables(bool record) const {
  std::vector<int> numbers;
  for (int v = 0; v < static_cast<int>(work().variables.size()); ++v) {
    if (work().variables[v].record == record) numbers.push_back(v);
  }
  return numbers;
}

std::int64_t Mode::own_bytes(int v) const {
  const Variable& variable = work().variables[v];
  const Decomposition* part = work().part(variable);
  const std::int64_t elements = part ? part->length() : rank_ == 0 ? work().elements(variable) : 0;
  return elements * type_bytes(variable.type);
}

const std::vector<std::string>& mode_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, maker] : makers()) all.push_back(name);
    return all;
  }();
  return names;
}

std::vector<ModeSpec> parse_known_modes(const std::string& list) {
  std::vector<ModeSpec> specs = workloads::parse_modes(list);
  const auto& names = mode_names();
  for (const ModeSpec& spec : specs) {
    if (std::find(names.begin(), names.end(), spec.name) != names.end()) continue;
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
    throw BenchError(formatted("mode \"{}\" is not known; take some of {}", spec.name, known));
  }
  return specs;
}

std::unique_ptr<Mode> make_mode(const ModeSpec& spec, const Scene& scene) {
  for (const auto& [name, maker] : makers()) {
    if (name == spec.name) return maker(spec, scene);
  }
  throw BenchError(formatted("mode \"{}\" is not known", spec.name));
}

}  // namespace weir::bench
