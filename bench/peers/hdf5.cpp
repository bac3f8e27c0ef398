// SPDX-License-Identifier: Apache-2.0
// peer:hdf5: HDF5's own calls, a contiguous dataset a variable and record dimension first, collective access; boxes
// only. Settings: independent=1; sync=1 flushes before close; subfiling=1 writes by HDF5's subfiling driver (a stub and
// a file of each I/O concentrator, which `h5fuse` joins), with stripe=BYTES and iocs_per_host=N. The others are MPI-IO
// hints.
#include <hdf5.h>

#include <cstdlib>
#include <cstring>

#include "base/text.hpp"
#include "check.hpp"
#include "peers/peer.hpp"

namespace weir::bench {
namespace {

hid_t check_hdf5(hid_t id, const std::string& what) {
  if (id < 0) throw BenchError(formatted("{}: HDF5 refused", what));
  return id;
}

hid_t memory_type(weir_type type) {
  switch (type) {
    case WEIR_BYTE:
    case WEIR_CHAR:
    case WEIR_STRING:
      return H5T_NATIVE_SCHAR;
    case WEIR_SHORT:
      return H5T_NATIVE_INT16;
    case WEIR_INT:
      return H5T_NATIVE_INT32;
    case WEIR_FLOAT:
      return H5T_NATIVE_FLOAT;
    case WEIR_DOUBLE:
      return H5T_NATIVE_DOUBLE;
    case WEIR_UBYTE:
      return H5T_NATIVE_UCHAR;
    case WEIR_USHORT:
      return H5T_NATIVE_UINT16;
    case WEIR_UINT:
      return H5T_NATIVE_UINT32;
    case WEIR_INT64:
      return H5T_NATIVE_INT64;
    case WEIR_UINT64:
      return H5T_NATIVE_UINT64;
  }
  throw BenchError("peer:hdf5: a type without a counterpart");
}

class Hdf5Peer final : public Mode {
 public:
  Hdf5Peer(PeerSettings settings, const Scene& scene)
      : Mode(scene),
        sync_(settings.take_flag("sync", false)),
        subfiling_(settings.take_flag("subfiling", false)),
        independent_(settings.take_flag("independent", false)) {
    require_boxes(scene.work, "peer:hdf5");
    stripe_ = settings.take("stripe");
    concentrators_ = settings.take("iocs_per_host");
    info_.emplace(settings);
    access_ = check_hdf5(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
    if (subfiling_) {
      use_subfiling();
    } else {
      check_hdf5(H5Pset_fapl_mpio(access_, scene.comm, info_->get()), "H5Pset_fapl_mpio");
      check_hdf5(H5Pset_coll_metadata_write(access_, true), "H5Pset_coll_metadata_write");
    }
    check_hdf5(H5Pset_alignment(access_, 1 << 20, 4096), "H5Pset_alignment");
    transfer_ = check_hdf5(H5Pcreate(H5P_DATASET_XFER), "H5Pcreate");
    check_hdf5(H5Pset_dxpl_mpio(transfer_, independent_ ? H5FD_MPIO_INDEPENDENT : H5FD_MPIO_COLLECTIVE),
               "H5Pset_dxpl_mpio");
  }
  ~Hdf5Peer() override {
    H5Pclose(transfer_);
    H5Pclose(access_);
  }
  Hdf5Peer(const Hdf5Peer&) = delete;
  Hdf5Peer& operator=(const Hdf5Peer&) = delete;

  void begin(const std::string& path) override {
    set_environment("H5FD_SUBFILING_STRIPE_SIZE", stripe_);
    set_environment("H5FD_SUBFILING_IOC_PER_NODE", concentrators_);
    file_ = check_hdf5(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_), formatted("H5Fcreate {}", path));
    const hid_t creation = check_hdf5(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
    check_hdf5(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
    check_hdf5(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
    datasets_.clear();
    for (const Variable& variable : work().variables) {
      const std::vector<hsize_t> lengths = of_file(variable, work().shape(variable), work().records);
      const hid_t space =
          check_hdf5(H5Screate_simple(static_cast<int>(lengths.size()), lengths.data(), nullptr), "H5Screate_simple");
      datasets_.push_back(check_hdf5(H5Dcreate2(file_, variable.name.c_str(), memory_type(variable.type), space,
                                                H5P_DEFAULT, creation, H5P_DEFAULT),
                                     formatted("H5Dcreate2 {}", variable.name)));
      H5Sclose(space);
    }
    H5Pclose(creation);
  }

  void put_fixed() override {
    for (const int v : variables(false)) put({v, 0});
  }

  void put_record(std::int64_t record) override {
    for (const int v : variables(true)) put({v, record});
  }

  void end() override {
    if (sync_) check_hdf5(H5Fflush(file_, H5F_SCOPE_GLOBAL), "H5Fflush");
    close();
  }

  std::optional<bool> verify(const std::string& path, std::string& why) override {
    file_ = check_hdf5(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access_), formatted("H5Fopen {}", path));
    datasets_.clear();
    bool right = true;
    for (int v = 0; v < static_cast<int>(work().variables.size()); ++v) {
      const Variable& variable = work().variables[v];
      datasets_.push_back(check_hdf5(H5Dopen2(file_, variable.name.c_str(), H5P_DEFAULT), "H5Dopen2"));
      for (std::int64_t record = 0; record < (variable.record ? work().records : 1); ++record)
        right = reads_back({v, record}) && right;
    }
    close();
    return all_read_back(right, scene().comm, why);
  }

 private:
  // HDF5 takes these from the environment, when it makes a file's subfiles.
  static void set_environment(const char* name, const std::optional<std::string>& value) {
    if (value) {
      ::setenv(name, value->c_str(), 1);
    } else {
      ::unsetenv(name);
    }
  }

  void use_subfiling() {
#ifdef H5_HAVE_SUBFILING_VFD
    int provided = MPI_THREAD_SINGLE;
    MPI_Query_thread(&provided);
    if (provided < MPI_THREAD_MULTIPLE) throw BenchError("peer:hdf5:subfiling=1 wants --any-thread");
    check_hdf5(H5Pset_mpi_params(access_, scene().comm, info_->get()), "H5Pset_mpi_params");
    check_hdf5(H5Pset_fapl_subfiling(access_, nullptr), "H5Pset_fapl_subfiling");
#else
    throw BenchError("peer:hdf5:subfiling=1: this HDF5 is built without its subfiling driver");
#endif
  }

  static std::vector<hsize_t> of_file(const Variable& variable, const Extents& lengths, std::int64_t records) {
    std::vector<hsize_t> all(lengths.begin(), lengths.end());
    if (variable.record) all.insert(all.begin(), records);
    if (all.empty()) all.push_back(1);
    return all;
  }

  // The elements of the box in the dataset, and as many in memory.
  struct Spaces {
    hid_t file, memory;
  };
  [[nodiscard]] Spaces select(Field field, const Decomposition& box) const {
    const Variable& variable = work().variables[field.variable];
    std::vector<hsize_t> start = of_file(variable, box.start, field.record);
    if (box.start.empty() && !variable.record) start = {0};
    const std::vector<hsize_t> count = of_file(variable, box.count, 1);
    const bool nothing = box.length() == 0 || (box.shape.empty() && rank() != 0);
    const hsize_t elements = nothing ? 0 : static_cast<hsize_t>(box.length());
    const Spaces spaces{check_hdf5(H5Dget_space(datasets_[field.variable]), "H5Dget_space"),
                        check_hdf5(H5Screate_simple(1, &elements, nullptr), "H5Screate_simple")};
    if (nothing) {
      H5Sselect_none(spaces.file);
    } else {
      check_hdf5(H5Sselect_hyperslab(spaces.file, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
                 "H5Sselect_hyperslab");
    }
    return spaces;
  }

  void put(Field field) {
    const Variable& variable = work().variables[field.variable];
    const Decomposition box = box_of(work(), variable, rank());
    const Spaces spaces = select(field, box);
    const std::byte* values =
        order_.arrange(box, type_bytes(variable.type), scene().data.at(field.variable, field.record));
    check_hdf5(
        H5Dwrite(datasets_[field.variable], memory_type(variable.type), spaces.memory, spaces.file, transfer_, values),
        formatted("writing {}", variable.name));
    H5Sclose(spaces.file);
    H5Sclose(spaces.memory);
  }

  bool reads_back(Field field) {
    const Variable& variable = work().variables[field.variable];
    const Decomposition box = box_of(work(), variable, rank());
    const Spaces spaces = select(field, box);
    std::vector<std::byte> seen(H5Sget_simple_extent_npoints(spaces.memory) * type_bytes(variable.type));
    check_hdf5(H5Dread(datasets_[field.variable], memory_type(variable.type), spaces.memory, spaces.file, transfer_,
                       seen.data()),
               formatted("reading {}", variable.name));
    H5Sclose(spaces.file);
    H5Sclose(spaces.memory);
    const std::byte* values =
        order_.arrange(box, type_bytes(variable.type), scene().data.at(field.variable, field.record));
    return seen.empty() || std::memcmp(seen.data(), values, seen.size()) == 0;
  }

  void close() {
    for (const hid_t dataset : datasets_) check_hdf5(H5Dclose(dataset), "H5Dclose");
    check_hdf5(H5Fclose(file_), "H5Fclose");
  }

  bool sync_, subfiling_, independent_;
  std::optional<std::string> stripe_, concentrators_;
  std::optional<Info> info_;
  hid_t access_ = H5I_INVALID_HID;
  hid_t transfer_ = H5I_INVALID_HID;
  hid_t file_ = H5I_INVALID_HID;
  std::vector<hid_t> datasets_;  // by variable
  FileOrder order_;
};

}  // namespace

std::unique_ptr<Mode> make_peer_hdf5(const Settings& settings, const Scene& scene) {
  return std::make_unique<Hdf5Peer>(PeerSettings(settings, scene.hints), scene);
}

}  // namespace weir::bench
