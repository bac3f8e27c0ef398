// SPDX-License-Identifier: Apache-2.0
// peer:netcdf4: netCDF-C over parallel HDF5, collective access. It serves boxes only: netCDF-C has no list of pieces.
// Settings: sync=1 flushes before close; compression, compression_level and chunks (netcdf_file.hpp); the others are
// MPI-IO hints.
#include <netcdf.h>
#include <netcdf_par.h>

#include "base/text.hpp"
#include "check.hpp"
#include "peers/netcdf_file.hpp"
#include "peers/peer.hpp"

namespace weir::bench {
namespace {

class Netcdf4Peer final : public Mode {
 public:
  Netcdf4Peer(PeerSettings settings, const Scene& scene)
      : Mode(scene),
        sync_(settings.take_flag("sync", false)),
        packing_(NetcdfPacking::take(settings, scene.work, scene.comm)),
        info_(settings) {
    require_boxes(scene.work, "peer:netcdf4");
  }

  void begin(const std::string& path) override {
    int id = -1;
    check_netcdf(nc_create_par(path.c_str(), NC_CLOBBER | NC_NETCDF4, scene().comm, info_.get(), &id),
                 formatted("nc_create_par {}", path));
    file_ = define_netcdf_file(id, work(), packing_);
    for (const int variable : file_.variables) {
      check_netcdf(nc_var_par_access(id, variable, NC_COLLECTIVE), "nc_var_par_access");
    }
  }

  void put_fixed() override {
    for (const int v : variables(false)) put(v, 0);
  }

  void put_record(std::int64_t record) override {
    for (const int v : variables(true)) put(v, record);
  }

  void end() override {
    if (sync_) check_netcdf(nc_sync(file_.id), "nc_sync");
    check_netcdf(nc_close(file_.id), "nc_close");
  }

 private:
  void put(int v, std::int64_t record) {
    const Variable& variable = work().variables[v];
    // A value without dimensions cannot be empty, so every rank puts it: they all hold the same one.
    const Decomposition part = box_of(work(), variable, rank());
    const std::byte* values = order_.arrange(part, type_bytes(variable.type), scene().data.at(v, record));
    std::vector<std::size_t> start(part.start.begin(), part.start.end());
    std::vector<std::size_t> count(part.count.begin(), part.count.end());
    if (variable.record) {
      start.insert(start.begin(), record);
      count.insert(count.begin(), part.length() == 0 ? 0 : 1);
    }
    check_netcdf(nc_put_vara(file_.id, file_.variables[v], start.data(), count.data(), values),
                 formatted("writing {}", variable.name));
  }

  bool sync_;
  NetcdfPacking packing_;
  Info info_;
  NetcdfFile file_;
  FileOrder order_;
};

}  // namespace

std::unique_ptr<Mode> make_peer_netcdf4(const Settings& settings, const Scene& scene) {
  return std::make_unique<Netcdf4Peer>(PeerSettings(settings, scene.hints), scene);
}

}  // namespace weir::bench
