// SPDX-License-Identifier: Apache-2.0
// The tables of a netCDF-4 file under HDF5's hand.
#include <hdf5.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/spelling.hpp"
#include "hdf5/definition.hpp"
#include "hdf5/handle.hpp"
#include "hdf5/image.hpp"
#include "hdf5/zstd.hpp"
#include "plan/chunk_grid.hpp"
#include "write/netcdf4/metadata.hpp"

namespace weir {

namespace {

class Netcdf4File final : public Netcdf4Metadata {
 public:
  // `defined`: what netCDF-C has made of the schema.
  Netcdf4File(const std::string& path, const Schema& schema, std::span<const std::byte> defined)
      : path_(path), schema_(schema), image_(defined), file_(open(), H5Fclose), variables_(schema.variables().size()) {
    for (int var = 0; var < static_cast<int>(variables_.size()); ++var) open_variable(var);
    check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "the definitions");
    defined_.resize(static_cast<std::size_t>(image_.end()));
    image_.read(0, defined_);
    static_cast<void>(image_.take_changes());
  }
  ~Netcdf4File() override {
    const Quiet quiet;
    sets_.clear();
    file_ = Handle(H5I_INVALID_HID, H5Fclose);
  }
  Netcdf4File(const Netcdf4File&) = delete;
  Netcdf4File& operator=(const Netcdf4File&) = delete;

  const std::vector<StoredVariable>& variables() const noexcept override { return variables_; }
  const std::vector<std::byte>& image() const noexcept override { return defined_; }

  Status place(std::span<const PlacedChunk> chunks, std::int64_t records, MetadataUpdate& update) override try {
    const Quiet quiet;
    // Chunks are in the file already: new tables go behind them.
    for (const PlacedChunk& chunk : chunks) image_.set_end(std::max(image_.end(), chunk.address + chunk.bytes));
    lengthen(records);
    for (const PlacedChunk& chunk : chunks) place(chunk, update.moves);
    check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "the tables of chunks");
    update.changes = image_.take_changes();
    update.file_bytes = image_.end();
    return {};
  } catch (const Error& error) {
    return {error.code(), error.what(), -1};
  }

  void written(const ReadFile& read) override { image_.release(read); }

 private:
  struct Set {
    Handle dataset;
    ChunkGrid grid;
    bool record;
  };

  void check(std::int64_t result, const std::string& what) const {
    require(result >= 0, WEIR_EFORMAT, [&] { return "HDF5 refuses " + what + " of " + in_quotes(path_) + reason(); });
  }

  hid_t open() {
    const Handle access(access_to(image_), H5Pclose);
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDWR, access.id());
    check(file, "the definitions");
    return file;
  }

  void open_variable(int var) {
    const std::string what = "the variable " + in_quotes(schema_.variable(var).name);
    Handle set(H5Dopen2(file_.id(), set_name(file_.id(), schema_.variable(var).name).c_str(), H5P_DEFAULT), H5Dclose);
    check(set.id(), what);
    StoredVariable& variable = variables_[static_cast<std::size_t>(var)];
    if (schema_.variable(var).dims.empty()) {
      variable.begin = place_scalar(set.id(), what);
    } else {
      check(read_filters(set.id(), variable.filters) ? 0 : -1, "the filters of " + what);
    }
    const bool record = schema_.is_record(var);
    Shape chunk = schema_.chunk(var);
    if (record) chunk.erase(chunk.begin());
    sets_.push_back({std::move(set), ChunkGrid(schema_.shape(var), chunk), record});
  }

  // HDF5 gives it a place when it is first written.
  std::int64_t place_scalar(hid_t set, const std::string& what) {
    const std::byte zeros[8] = {};
    const Handle type(H5Dget_type(set), H5Tclose);
    check(H5Dwrite(set, type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros), what);
    const haddr_t place = H5Dget_offset(set);
    require(place != HADDR_UNDEF, WEIR_EFORMAT, "HDF5 gives " + what + " no place");
    return static_cast<std::int64_t>(place);
  }

  void lengthen(std::int64_t records) {
    if (records <= records_) return;
    for (const Set& set : sets_) {
      if (!set.record) continue;
      hsize_t lengths[H5S_MAX_RANK];
      const Handle space(H5Dget_space(set.dataset.id()), H5Sclose);
      check(H5Sget_simple_extent_dims(space.id(), lengths, nullptr), "the shape of a variable");
      lengths[0] = static_cast<hsize_t>(records);
      check(H5Dset_extent(set.dataset.id(), lengths), "more records");
    }
    records_ = records;
  }

  void place(const PlacedChunk& chunk, std::vector<Move>& moves) {
    const Set& set = sets_[static_cast<std::size_t>(chunk.var)];
    hsize_t at[H5S_MAX_RANK];
    std::size_t d = 0;
    if (set.record) at[d++] = static_cast<hsize_t>(chunk.record);
    for (const std::int64_t index : set.grid.first_index(chunk.number))
      if (d < schema_.variable(static_cast<int>(chunk.var)).dims.size()) at[d++] = static_cast<hsize_t>(index);
    image_.announce(chunk.address);
    // HDF5 passes the bytes on to the driver, which looks at none of them.
    check(H5Dwrite_chunk(set.dataset.id(), H5P_DEFAULT, static_cast<std::uint32_t>(chunk.skipped), at,
                         static_cast<std::size_t>(chunk.bytes), this),
          "a chunk");
    if (image_.data_at() != chunk.address) moves.push_back({chunk.address, image_.data_at(), chunk.bytes});
  }

  std::string path_;
  Schema schema_;
  Image image_;
  Handle file_;
  std::vector<StoredVariable> variables_;
  std::vector<Set> sets_;
  std::vector<std::byte> defined_;
  std::int64_t records_ = 0;
};

}  // namespace

}  // namespace weir

extern "C" __attribute__((visibility("default"))) weir::Netcdf4Metadata* weir_netcdf4_define(const std::string& path,
                                                                                             const weir::Schema& schema,
                                                                                             weir::Status& status) {
  try {
    {
      const weir::Quiet quiet;
      weir::register_zstd();
    }
    const std::vector<std::byte> defined = weir::define_by_netcdf(path, schema);  // sees to HDF5's prints by itself
    const weir::Quiet quiet;
    return new weir::Netcdf4File(path, schema, defined);
  } catch (const weir::Error& error) {
    status = {error.code(), error.what(), -1};
  } catch (const std::exception& error) {
    status = {WEIR_EMEMORY, error.what(), -1};
  }
  return nullptr;
}
