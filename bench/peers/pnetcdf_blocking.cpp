// SPDX-License-Identifier: Apache-2.0
// peer:pnetcdf: one blocking collective PnetCDF call a variable and record. Setting: sync=1 flushes before close; all
// others are MPI-IO or PnetCDF hints.
#include "base/text.hpp"
#include "check.hpp"
#include "mpi/comm.hpp"
#include "peers/peer.hpp"
#include "peers/pnetcdf_file.hpp"

namespace weir::bench {
namespace {

class BlockingPeer final : public Mode {
 public:
  BlockingPeer(PeerSettings settings, const Scene& scene)
      : Mode(scene), sync_(settings.take_flag("sync", false)), info_(settings) {}

  void prepare() override {
    for (const Variable& variable : work().variables) pieces_.emplace_back(work(), variable, rank() == 0);
  }

  void begin(const std::string& path) override { file_ = create_pnetcdf_file(scene().comm, path, work(), info_.get()); }

  void put_fixed() override {
    for (const int v : variables(false)) put(v, 0);
  }

  void put_record(std::int64_t record) override {
    fill_record(file_, work(), record);
    for (const int v : variables(true)) put(v, record);
  }

  void end() override {
    if (sync_) check_pnetcdf(ncmpi_sync(file_.id), "ncmpi_sync");
    check_pnetcdf(ncmpi_close(file_.id), "ncmpi_close");
  }

 private:
  void put(int v, std::int64_t record) {
    const Variable& variable = work().variables[v];
    const Decomposition* part = work().part(variable);
    const std::byte* values = scene().data.at(v, record);
    if (part) values = order_.arrange(*part, type_bytes(variable.type), values);
    PieceList& pieces = pieces_[v];
    pieces.set_record(record);
    const int status = pieces.is_box()
                           ? ncmpi_put_vara_all(file_.id, file_.variables[v], pieces.starts()[0], pieces.counts()[0],
                                                values, pieces.elements(), mpi_type(variable.type))
                           : ncmpi_put_varn_all(file_.id, file_.variables[v], pieces.pieces(), pieces.starts(),
                                                pieces.counts(), values, pieces.elements(), mpi_type(variable.type));
    check_pnetcdf(status, formatted("writing {}", variable.name));
  }

  bool sync_;
  Info info_;
  PnetcdfFile file_;
  std::vector<PieceList> pieces_;
  FileOrder order_;
};

}  // namespace

std::unique_ptr<Mode> make_peer_pnetcdf(const Settings& settings, const Scene& scene) {
  return std::make_unique<BlockingPeer>(PeerSettings(settings, scene.hints), scene);
}

}  // namespace weir::bench
