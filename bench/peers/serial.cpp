// SPDX-License-Identifier: Apache-2.0
// peer:serial: rank 0 gathers each variable whole, puts it into file order, and writes it alone (Tseng & Ding 2008,
// section 2.3). It takes each rank's part as it arrives. Settings: lib=netcdf (default) or pnetcdf (on rank 0's own
// communicator, where the other settings are hints); sync=1 flushes before close.
// peer:serial-netcdf4: the same into netCDF-4, which rank 0 packs; settings compression, compression_level, chunks.
#include <netcdf.h>
#include <pnetcdf.h>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "check.hpp"
#include "mpi/comm.hpp"
#include "peers/netcdf_file.hpp"
#include "peers/peer.hpp"
#include "peers/pnetcdf_file.hpp"

namespace weir::bench {
namespace {

constexpr int gather_tag = 7;

// Every rank's part of one decomposition, on rank 0, which a model learns once when it starts.
std::vector<Decomposition> gather_parts(const Decomposition& own, MPI_Comm comm, bool rank_zero, int ranks) {
  std::vector<std::int64_t> words;
  if (own.is_map) {
    for (const Run& run : own.runs) words.insert(words.end(), {run.offset, run.length});
  } else {
    words = own.start;
    words.insert(words.end(), own.count.begin(), own.count.end());
  }
  const int size = static_cast<int>(words.size());
  std::vector<int> sizes(ranks), places(ranks, 0);
  check_mpi(MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, comm), "gathering sizes of layouts");
  for (int r = 1; r < ranks; ++r) places[r] = places[r - 1] + sizes[r - 1];
  std::vector<std::int64_t> all(rank_zero ? places.back() + sizes.back() : 0);
  check_mpi(MPI_Gatherv(words.data(), size, MPI_INT64_T, all.data(), sizes.data(), places.data(), MPI_INT64_T, 0, comm),
            "gathering layouts");
  std::vector<Decomposition> parts;
  for (int r = 0; rank_zero && r < ranks; ++r) {
    Decomposition part;
    part.shape = own.shape;
    part.is_map = own.is_map;
    part.order = own.order;
    const std::int64_t* first = all.data() + places[r];
    const std::size_t ndims = own.shape.size();
    if (own.is_map) {
      for (int i = 0; i < sizes[r]; i += 2) part.runs.push_back({first[i], first[i + 1]});
    } else {
      part.start.assign(first, first + ndims);
      part.count.assign(first + ndims, first + 2 * ndims);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

// Where rank 0 writes: through netCDF-C or PnetCDF, and only there.
class WholeFile {
 public:
  virtual ~WholeFile() = default;
  virtual void create(const std::string& path) = 0;
  virtual void write(int v, std::int64_t record, const std::byte* values) = 0;
  virtual void close(bool sync) = 0;
};

// Start and count of one record of a whole variable.
template <typename Size>
struct WholeRange {
  WholeRange(const Workload& work, const Variable& variable, std::int64_t record) {
    if (variable.record) {
      start.push_back(record);
      count.push_back(1);
    }
    for (const std::int64_t length : work.shape(variable)) {
      start.push_back(0);
      count.push_back(length);
    }
  }
  std::vector<Size> start, count;
};

class NetcdfWhole final : public WholeFile {
 public:
  // `packing`: of netCDF-4; without it the file is classic.
  NetcdfWhole(const Workload& work, std::optional<NetcdfPacking> packing) : work_(work), packing_(std::move(packing)) {}

  void create(const std::string& path) override {
    int id = -1;
    check_netcdf(nc_create(path.c_str(), NC_CLOBBER | (packing_ ? NC_NETCDF4 : NC_64BIT_DATA), &id),
                 formatted("nc_create {}", path));
    file_ = define_netcdf_file(id, work_, packing_);
  }

  void write(int v, std::int64_t record, const std::byte* values) override {
    const WholeRange<std::size_t> range(work_, work_.variables[v], record);
    check_netcdf(nc_put_vara(file_.id, file_.variables[v], range.start.data(), range.count.data(), values),
                 formatted("writing {}", work_.variables[v].name));
  }

  void close(bool sync) override {
    if (sync) check_netcdf(nc_sync(file_.id), "nc_sync");
    check_netcdf(nc_close(file_.id), "nc_close");
  }

 private:
  const Workload& work_;
  std::optional<NetcdfPacking> packing_;
  NetcdfFile file_;
};

class PnetcdfWhole final : public WholeFile {
 public:
  PnetcdfWhole(const Workload& work, MPI_Info info) : work_(work), info_(info) {}

  void create(const std::string& path) override { file_ = create_pnetcdf_file(MPI_COMM_SELF, path, work_, info_); }

  void write(int v, std::int64_t record, const std::byte* values) override {
    const Variable& variable = work_.variables[v];
    const WholeRange<MPI_Offset> range(work_, variable, record);
    check_pnetcdf(ncmpi_put_vara_all(file_.id, file_.variables[v], range.start.data(), range.count.data(), values,
                                     work_.elements(variable), mpi_type(variable.type)),
                  formatted("writing {}", variable.name));
  }

  void close(bool sync) override {
    if (sync) check_pnetcdf(ncmpi_sync(file_.id), "ncmpi_sync");
    check_pnetcdf(ncmpi_close(file_.id), "ncmpi_close");
  }

 private:
  const Workload& work_;
  MPI_Info info_;
  PnetcdfFile file_;
};

class SerialPeer final : public Mode {
 public:
  SerialPeer(PeerSettings settings, const Scene& scene, bool netcdf4)
      : Mode(scene),
        sync_(settings.take_flag("sync", false)),
        library_(netcdf4 ? "netcdf" : settings.take("lib").value_or("netcdf")),
        info_(settings) {
    if (library_ != "netcdf" && library_ != "pnetcdf") {
      throw BenchError(formatted("peer:serial: lib={} is not known; give netcdf or pnetcdf", library_));
    }
    if (netcdf4) packing_ = NetcdfPacking::take(settings, scene.work, scene.comm);
    if (library_ == "netcdf") settings.refuse_rest(netcdf4 ? "peer:serial-netcdf4" : "peer:serial");
  }

  void prepare() override {
    for (const Decomposition& part : work().decompositions) {
      parts_.push_back(gather_parts(part, scene().comm, rank() == 0, ranks()));
    }
  }

  void begin(const std::string& path) override {
    if (rank() != 0) return;
    if (library_ == "netcdf") {
      file_ = std::make_unique<NetcdfWhole>(work(), packing_);
    } else {
      file_ = std::make_unique<PnetcdfWhole>(work(), info_.get());
    }
    file_->create(path);
  }

  void put_fixed() override {
    for (const int v : variables(false)) put(v, 0);
  }

  void put_record(std::int64_t record) override {
    for (const int v : variables(true)) put(v, record);
  }

  void end() override {
    if (rank() == 0) file_->close(sync_);
    check_mpi(MPI_Barrier(scene().comm), "MPI_Barrier");
  }

 private:
  void put(int v, std::int64_t record) {
    const Variable& variable = work().variables[v];
    const Decomposition* part = work().part(variable);
    const std::byte* values = scene().data.at(v, record);
    if (rank() == 0) {
      const std::byte* whole = part ? gather(v, values) : values;
      file_->write(v, record, whole);
    } else if (part && part->length() > 0) {
      check_mpi(
          MPI_Send(values, static_cast<int>(part->length()), mpi_type(variable.type), 0, gather_tag, scene().comm),
          formatted("sending {}", variable.name));
    }
  }

  // Rank 0's own part is placed while the others' arrive.
  const std::byte* gather(int v, const std::byte* own) {
    const Variable& variable = work().variables[v];
    const auto& parts = parts_[variable.decomposition];
    const std::int64_t bytes = type_bytes(variable.type);
    whole_.resize(work().elements(variable) * bytes);
    if (!work().part(variable)->held.empty()) make_fill(variable, work().elements(variable), whole_.data());
    std::int64_t elements = 0;
    for (int r = 1; r < ranks(); ++r) elements += parts[r].length();
    arrived_.resize(elements * bytes);

    std::vector<MPI_Request> requests(ranks(), MPI_REQUEST_NULL);
    std::vector<const std::byte*> places(ranks(), nullptr);
    std::byte* next = arrived_.data();
    for (int r = 1; r < ranks(); ++r) {
      const std::int64_t length = parts[r].length();
      places[r] = next;
      if (length > 0) {
        check_mpi(MPI_Irecv(next, static_cast<int>(length), mpi_type(variable.type), r, gather_tag, scene().comm,
                            &requests[r]),
                  formatted("receiving {}", variable.name));
      }
      next += length * bytes;
    }
    place(parts[0], bytes, own);
    for (int r = 0;;) {
      check_mpi(MPI_Waitany(ranks(), requests.data(), &r, MPI_STATUS_IGNORE), formatted("receiving {}", variable.name));
      if (r == MPI_UNDEFINED) return whole_.data();
      place(parts[r], bytes, places[r]);
    }
  }

  void place(const Decomposition& part, std::int64_t bytes, const std::byte* values) {
    for_each_row(part, [&](std::int64_t file_offset, std::int64_t memory_offset, std::int64_t length) {
      std::memcpy(whole_.data() + file_offset * bytes, values + memory_offset * bytes, length * bytes);
    });
  }

  bool sync_;
  std::string library_;
  std::optional<NetcdfPacking> packing_;
  Info info_;
  std::vector<std::vector<Decomposition>> parts_;  // rank 0: by decomposition, by rank
  std::unique_ptr<WholeFile> file_;
  std::vector<std::byte> whole_, arrived_;
};

}  // namespace

std::unique_ptr<Mode> make_peer_serial(const Settings& settings, const Scene& scene) {
  return std::make_unique<SerialPeer>(PeerSettings(settings, scene.hints), scene, false);
}

std::unique_ptr<Mode> make_peer_serial_netcdf4(const Settings& settings, const Scene& scene) {
  return std::make_unique<SerialPeer>(PeerSettings(settings, scene.hints), scene, true);
}

}  // namespace weir::bench
