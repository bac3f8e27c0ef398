// SPDX-License-Identifier: Apache-2.0
// peer:pnetcdf-nb: PnetCDF's nonblocking calls for all variables of a record, then one collective wait; fixed variables
// wait with the first record. Setting: sync=1 flushes before close; all others are MPI-IO or PnetCDF hints.
#include "base/text.hpp"
#include "check.hpp"
#include "mpi/comm.hpp"
#include "peers/peer.hpp"
#include "peers/pnetcdf_file.hpp"

namespace weir::bench {
namespace {

class NonblockingPeer final : public Mode {
 public:
  NonblockingPeer(PeerSettings settings, const Scene& scene)
      : Mode(scene), sync_(settings.take_flag("sync", false)), info_(settings), orders_(scene.work.variables.size()) {}

  void prepare() override {
    for (const Variable& variable : work().variables) pieces_.emplace_back(work(), variable, rank() == 0);
  }

  void begin(const std::string& path) override { file_ = create_pnetcdf_file(scene().comm, path, work(), info_.get()); }

  void put_fixed() override {
    for (const int v : variables(false)) post(v, 0);
    waiting_ = true;
  }

  void put_record(std::int64_t record) override {
    fill_record(file_, work(), record);
    for (const int v : variables(true)) post(v, record);
    wait();
  }

  void end() override {
    if (waiting_) wait();
    if (sync_) check_pnetcdf(ncmpi_sync(file_.id), "ncmpi_sync");
    check_pnetcdf(ncmpi_close(file_.id), "ncmpi_close");
  }

 private:
  void wait() {
    check_pnetcdf(ncmpi_wait_all(file_.id, NC_PUT_REQ_ALL, nullptr, nullptr), "ncmpi_wait_all");
    waiting_ = false;
  }

  void post(int v, std::int64_t record) {
    const Variable& variable = work().variables[v];
    const Decomposition* part = work().part(variable);
    PieceList& pieces = pieces_[v];
    if (pieces.elements() == 0) return;
    const std::byte* values = scene().data.at(v, record);
    if (part) values = orders_[v].arrange(*part, type_bytes(variable.type), values);
    pieces.set_record(record);
    const int status =
        pieces.pieces() == 1
            ? ncmpi_iput_vara(file_.id, file_.variables[v], pieces.starts()[0], pieces.counts()[0], values,
                              pieces.elements(), mpi_type(variable.type), nullptr)
            : ncmpi_iput_varn(file_.id, file_.variables[v], pieces.pieces(), pieces.starts(), pieces.counts(), values,
                              pieces.elements(), mpi_type(variable.type), nullptr);
    check_pnetcdf(status, formatted("posting {}", variable.name));
  }

  bool sync_;
  Info info_;
  PnetcdfFile file_;
  std::vector<PieceList> pieces_;
  std::vector<FileOrder> orders_;  // one a variable: the data must stay until the wait
  bool waiting_ = false;
};

}  // namespace

std::unique_ptr<Mode> make_peer_pnetcdf_nb(const Settings& settings, const Scene& scene) {
  return std::make_unique<NonblockingPeer>(PeerSettings(settings, scene.hints), scene);
}

}  // namespace weir::bench
