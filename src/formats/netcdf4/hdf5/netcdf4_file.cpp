// SPDX-License-Identifier: Apache-2.0
// The tables of a netCDF-4 file, kept by HDF5.
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/chunked/deferred_values.hpp"
#include "formats/netcdf4/hdf5/definition.hpp"
#include "formats/netcdf4/hdf5/handle.hpp"
#include "formats/netcdf4/hdf5/image.hpp"
#include "formats/netcdf4/hdf5/tables.hpp"
#include "formats/netcdf4/hdf5/zstd.hpp"
#include "formats/netcdf4/metadata.hpp"
#include "netcdf4_border.hpp"
#include "plan/chunk_grid.hpp"

// The identity of this module, which its loader compares with its own (formats/netcdf4/module.cpp) before it calls
// anything else.
extern "C" __attribute__((visibility("default"))) const char weir_netcdf4_border[] = WEIR_NETCDF4_BORDER;

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
  // The file that is there.
  Netcdf4File(const std::string& path, const Schema& schema, const Netcdf4Existing& existing)
      : path_(path),
        schema_(schema),
        image_(existing.read, existing.bytes, Image::Use::append),
        file_(open(), H5Fclose),
        variables_(existing.variables) {
    require_old_superblock();
    image_.note_cut();  // by the rank that appends, of what a killed run has left
    for (int var = 0; var < static_cast<int>(variables_.size()); ++var) open_set(var);
    records_before_ = existing.records_kept;
    if (existing.records_kept < existing.records) go_back(existing);
    records_ = common_records(existing.records_kept);
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
  std::int64_t end() const noexcept override { return image_.end(); }

  Place find(int var, std::int64_t record, std::int64_t number) override {
    const Quiet quiet;
    if (const auto known = cut_.find({var, record, number}); known != cut_.end()) return known->second;
    const Set& set = sets_[static_cast<std::size_t>(var)];
    if (set.record && record >= records_in(lengths_of(set))) return {};
    hsize_t at[H5S_MAX_RANK];
    begin_of(var, record, number, at);
    const std::int64_t bytes = stored_chunk_bytes(set.dataset.id(), at);
    check(bytes, "the table of chunks");
    if (bytes == 0) return {};
    const struct Finding {
      Image& image;
      explicit Finding(Image& of) : image(of) { image.only_find(true); }
      ~Finding() { image.only_find(false); }
    } finding(image_);
    std::uint32_t filters = 0;
    std::byte none{};  // the driver leaves it as it is
    check(read_stored_chunk(set.dataset.id(), at, filters, &none, static_cast<std::size_t>(bytes)),
          "the table of chunks");
    return {image_.data_at(), bytes, filters};
  }

  Status place(const Put& put, MetadataUpdate& update) override try {
    const Quiet quiet;
    // Chunks are in the file already: new tables go behind them.
    std::int64_t kept = image_.end(), end = kept;
    for (const PlacedChunk& chunk : put.chunks) end = std::max(end, chunk.address + chunk.bytes);
    image_.set_end(end);
    write_by_hdf5(put);
    for (const PlacedChunk& chunk : put.chunks)
      if (place(chunk, update.moves)) kept = std::max(kept, chunk.address + chunk.bytes);
    // Nothing came behind them: those that go elsewhere leave no bytes at the end, of which the superblock knows
    // nothing.
    if (image_.end() == end) image_.set_end(kept);
    check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "the tables of chunks");
    update.changes = image_.take_changes();
    update.file_bytes = image_.end();
    return {};
  } catch (const std::exception&) {
    return caught();  // the other ranks wait for what becomes of it
  }

  void written(const ReadFile& read) override {
    image_.note_cut();
    image_.release(read);
    cut_.clear();
  }

 private:
  struct Set {
    Handle dataset;
    ChunkGrid grid;
    bool record;
  };

  void check(std::int64_t result, const std::string& what) const {
    if (result < 0) throw Error(WEIR_EFORMAT, "HDF5 refuses {} of \"{}\"{}", what, path_, reason());
  }

  hid_t open() {
    const Handle access(access_to(image_), H5Pclose);
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDWR, access.id());
    check(file, "the definitions");
    return file;
  }

  // A newer one says that the file is open to be written, in every commit but the last.
  void require_old_superblock() const {
    H5F_info2_t info{};
    check(H5Fget_info2(file_.id(), &info), "the superblock");
    require(info.super.version < 3, WEIR_EFORMAT,
            "\"{}\" has HDF5's newest superblock, which would lock out other readers between commits: copy it "
            "(nccopy), and append to the copy",
            path_);
  }

  std::string called(int var) const { return formatted("the variable \"{}\"", schema_.variable(var).name); }

  void open_variable(int var) {
    open_set(var);
    const hid_t set = sets_.back().dataset.id();
    StoredVariable& variable = variables_[static_cast<std::size_t>(var)];
    if (schema_.variable(var).dims.empty()) {
      variable.begin = place_scalar(set, called(var));
    } else {
      check(read_filters(set, variable.filters) ? 0 : -1, formatted("the filters of {}", called(var)));
    }
  }

  void open_set(int var) {
    Handle set(H5Dopen2(file_.id(), set_name(file_.id(), schema_.variable(var).name).c_str(), H5P_DEFAULT), H5Dclose);
    check(set.id(), called(var));
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
    require(place != HADDR_UNDEF, WEIR_EFORMAT, "HDF5 gives {} no place", what);
    return static_cast<std::int64_t>(place);
  }

  // Of a file of netCDF-C one variable may have fewer records than another: all get as many.
  void lengthen(std::int64_t records) {
    if (records <= records_) return;
    for (const Set& set : sets_) {
      if (!set.record) continue;
      Lengths lengths = lengths_of(set);
      if (records_in(lengths) >= records) continue;
      lengths[0] = static_cast<hsize_t>(records);
      check(H5Dset_extent(set.dataset.id(), lengths.data()), "more records");
    }
    records_ = records;
  }

  using Lengths = std::array<hsize_t, H5S_MAX_RANK>;
  Lengths lengths_of(const Set& set) const {
    Lengths lengths{};
    const Handle space(H5Dget_space(set.dataset.id()), H5Sclose);
    check(H5Sget_simple_extent_dims(space.id(), lengths.data(), nullptr), "the shape of a variable");
    return lengths;
  }
  static std::int64_t records_in(const Lengths& lengths) { return static_cast<std::int64_t>(lengths[0]); }

  // That every variable has.
  std::int64_t common_records(std::int64_t records) const {
    for (const Set& set : sets_)
      if (set.record) records = std::min(records, records_in(lengths_of(set)));
    return records;
  }

  // HDF5 takes the records behind those that stay out of its tables; the first commit brings the tables to the file. It
  // forgets the places of their chunks with the file that is closed: in this file all of them stay as they are until
  // then, and what is written goes behind them. Chunks in which records that stay are followed by others HDF5 packs
  // without these, somewhere in its image.
  void go_back(const Netcdf4Existing& existing) {
    const std::int64_t end = image_.end();
    for (int var = 0; var < static_cast<int>(sets_.size()); ++var) note_cut_chunks(var, existing.records_kept);
    image_.keep_data(true);
    for (const Set& set : sets_)
      if (set.record) shorten(set.dataset.id(), existing.records_kept);
    const int dimension = schema_.record_dimension();
    const std::string scale = dimension < 0 ? "" : schema_.dimensions()[static_cast<std::size_t>(dimension)].name;
    std::vector<std::string> others = existing.left_out;
    others.push_back(scale);
    for (const std::string& name : others) {
      const std::string path = set_name(file_.id(), name);
      if (path.empty() || H5Lexists(file_.id(), path.c_str(), H5P_DEFAULT) <= 0) continue;
      const Handle set(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Dclose);
      if (set.id() >= 0 && first_scale(set.id()) == "/" + scale) shorten(set.id(), existing.records_kept);
    }
    check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "fewer records");
    sets_.clear();
    file_ = Handle(H5I_INVALID_HID, H5Fclose);
    file_ = Handle(open(), H5Fclose);
    for (int var = 0; var < static_cast<int>(variables_.size()); ++var) open_set(var);
    image_.keep_data(false);
    image_.set_end(std::max(end, image_.end()));
  }

  void note_cut_chunks(int var, std::int64_t records) {
    const Set& set = sets_[static_cast<std::size_t>(var)];
    const StoredVariable& form = variables_[static_cast<std::size_t>(var)];
    if (!set.record || form.kept || !form.obstacle.empty() || records_in(lengths_of(set)) <= records) return;
    const std::int64_t inside = records % schema_.chunk(var).front();
    if (inside == 0) return;
    for (std::int64_t number = 0; number < set.grid.chunks(); ++number)
      cut_[{var, records - inside, number}] = find(var, records - inside, number);
  }

  void shorten(hid_t set, std::int64_t records) {
    Lengths lengths{}, most{};
    const Handle space(H5Dget_space(set), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space.id());
    check(H5Sget_simple_extent_dims(space.id(), lengths.data(), most.data()), "the shape of a variable");
    if (rank < 1 || most[0] != H5S_UNLIMITED || records_in(lengths) <= records) return;
    lengths[0] = static_cast<hsize_t>(records);
    check(H5Dset_extent(set, lengths.data()), "fewer records");
  }

  // The path of the dimension that is a dataset's first; that of a dimension's own dataset.
  std::string first_scale(hid_t set) const {
    if (H5Aexists(set, "DIMENSION_LIST") <= 0) return path_of(set);
    const Handle attribute(H5Aopen(set, "DIMENSION_LIST", H5P_DEFAULT), H5Aclose);
    const Handle space(H5Aget_space(attribute.id()), H5Sclose), type(H5Aget_type(attribute.id()), H5Tclose);
    std::vector<hvl_t> dimensions(
        static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.id()))));
    if (dimensions.empty() || H5Aread(attribute.id(), type.id(), dimensions.data()) < 0) return {};
    std::string path;
    if (dimensions[0].len > 0) {
      const Handle dimension(H5Rdereference2(set, H5P_DEFAULT, H5R_OBJECT, dimensions[0].p), H5Oclose);
      path = path_of(dimension.id());
    }
    H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, dimensions.data());
    return path;
  }

  static std::string path_of(hid_t object) {
    const ssize_t length = H5Iget_name(object, nullptr, 0);
    std::string path(static_cast<std::size_t>(std::max<ssize_t>(0, length)) + 1, '\0');
    H5Iget_name(object, path.data(), path.size());
    path.pop_back();
    return path;
  }

  // HDF5's data are metadata meanwhile: what it reads and writes of them goes the way of its tables. A variable that is
  // made longer may get fill values by HDF5, where its file was made to have room for all chunks at once.
  void write_by_hdf5(const Put& put) {
    image_.keep_data(true);
    if (put.records > records_before_ || !put.chunks.empty() || !put.notes.empty()) lengthen(put.records);
    for (const KeptValues& values : in_order(put.notes)) write_values(values);
    if (!put.notes.empty()) check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "values");
    image_.keep_data(false);
  }

  // Whole, or row by row.
  void write_values(const KeptValues& put) {
    const int var = static_cast<int>(put.head.var), size = type_bytes(schema_.variable(var).type);
    const Shape shape = schema_.shape(var);
    const std::int64_t all = schema_.elements(var), row = shape.empty() ? 1 : shape.back();
    fit(var);
    if (put.head.first == 0 && put.head.bytes == all * size) return write_box(var, put, 0, shape, put.values.data());
    const std::int64_t first = put.head.first / size, last = first + put.head.bytes / size;
    for (std::int64_t at = first, next = at; at < last; at = next) {
      next = std::min(last, (at / row + 1) * row);
      Shape count(shape.size(), 1);
      count.back() = next - at;
      write_box(var, put, at, count, put.values.data() + (at - first) * size);
    }
  }

  // The box of so many elements that begins with the element of this number.
  void write_box(int var, const KeptValues& put, std::int64_t element, const Shape& count, const std::byte* values) {
    const Set& set = sets_[static_cast<std::size_t>(var)];
    const Handle space(H5Dget_space(set.dataset.id()), H5Sclose);
    hsize_t at[H5S_MAX_RANK] = {}, counts[H5S_MAX_RANK] = {}, in_memory = 1;
    const std::size_t skip = set.record ? 1 : 0;
    if (set.record) at[0] = static_cast<hsize_t>(put.head.record), counts[0] = 1;
    const Shape shape = schema_.shape(var);
    for (std::size_t d = shape.size(); d-- > 0;) {
      at[skip + d] = static_cast<hsize_t>(element % shape[d]);
      element /= shape[d];
      counts[skip + d] = static_cast<hsize_t>(count[d]);
      in_memory *= counts[skip + d];
    }
    if (skip + shape.size() > 0)
      check(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, at, nullptr, counts, nullptr),
            formatted("values of {}", called(var)));
    const Handle memory(H5Screate_simple(1, &in_memory, nullptr), H5Sclose);
    const Handle own(H5Dget_type(set.dataset.id()), H5Tclose);
    const Type type = schema_.variable(var).type;
    check(H5Dwrite(set.dataset.id(), type == WEIR_CHAR ? own.id() : stored_types(type).second, memory.id(), space.id(),
                   H5P_DEFAULT, values),
          formatted("values of {}", called(var)));
  }

  // A variable may be shorter than its dimension, where that is unlimited and another one has made it longer.
  void fit(int var) {
    const Set& set = sets_[static_cast<std::size_t>(var)];
    Lengths lengths = lengths_of(set);
    bool grows = false;
    const Shape shape = schema_.shape(var);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      hsize_t& length = lengths[d + (set.record ? 1 : 0)];
      grows = grows || length < static_cast<hsize_t>(shape[d]);
      length = std::max(length, static_cast<hsize_t>(shape[d]));
    }
    if (grows) check(H5Dset_extent(set.dataset.id(), lengths.data()), formatted("the length of {}", called(var)));
  }

  // Where HDF5 has the first element of a chunk.
  void begin_of(int var, std::int64_t record, std::int64_t number, hsize_t* at) const {
    const Set& set = sets_[static_cast<std::size_t>(var)];
    std::size_t d = 0;
    if (set.record) at[d++] = static_cast<hsize_t>(record);
    for (const std::int64_t index : set.grid.first_index(number))
      if (d < schema_.variable(var).dims.size()) at[d++] = static_cast<hsize_t>(index);
  }

  // Whether it stays where it was written.
  bool place(const PlacedChunk& chunk, std::vector<Move>& moves) {
    const Set& set = sets_[static_cast<std::size_t>(chunk.var)];
    hsize_t at[H5S_MAX_RANK];
    begin_of(static_cast<int>(chunk.var), chunk.record, chunk.number, at);
    enter(set, at, chunk, chunk.bytes, chunk.address);
    // Over a chunk of the same length HDF5 leaves the filters that one did not go through as they were noted: it is to
    // have another length first.
    if (image_.data_at() != chunk.address && skipped(set, at) != chunk.skipped) {
      enter(set, at, chunk, chunk.bytes + 1, image_.end());
      enter(set, at, chunk, chunk.bytes, chunk.address);
    }
    if (image_.data_at() == chunk.address) return true;
    moves.push_back({chunk.address, image_.data_at(), chunk.bytes});
    return false;
  }

  // HDF5 passes the bytes on to the driver, which looks at none of them.
  void enter(const Set& set, const hsize_t* at, const PlacedChunk& chunk, std::int64_t bytes, std::int64_t place) {
    image_.announce(place);
    check(H5Dwrite_chunk(set.dataset.id(), H5P_DEFAULT, static_cast<std::uint32_t>(chunk.skipped), at,
                         static_cast<std::size_t>(bytes), this),
          "a chunk");
    image_.withdraw();
  }

  // Of a chunk that is in the tables.
  std::int64_t skipped(const Set& set, const hsize_t* at) const {
    std::uint32_t filters = 0;
    std::vector<std::byte> unused(static_cast<std::size_t>(stored_bytes(set, at)));
    check(read_stored_chunk(set.dataset.id(), at, filters, unused.data(), unused.size()), "the table of chunks");
    return filters;
  }

  std::int64_t stored_bytes(const Set& set, const hsize_t* at) const {
    hsize_t bytes = 0;
    check(H5Dget_chunk_storage_size(set.dataset.id(), at, &bytes), "the table of chunks");
    return static_cast<std::int64_t>(bytes);
  }

  std::string path_;
  Schema schema_;
  Image image_;
  Handle file_;
  std::vector<StoredVariable> variables_;
  std::vector<Set> sets_;
  std::vector<std::byte> defined_;
  // Of a file that goes back, until its first commit: what the file itself has of chunks that HDF5 has cut, by
  // variable, first record and number.
  std::map<std::tuple<int, std::int64_t, std::int64_t>, Place> cut_;
  std::int64_t records_ = 0;         // that every variable has
  std::int64_t records_before_ = 0;  // of the file that was there: that some variable has
};

// What `make` has made; nullptr and the status where it fails.
template <class Make>
Netcdf4Metadata* made_or_told(Make make, Status& status) {
  try {
    {
      const Quiet quiet;
      register_zstd();
    }
    return make();
  } catch (const std::exception&) {
    status = caught();
  }
  return nullptr;
}

}  // namespace

}  // namespace weir

extern "C" __attribute__((visibility("default"))) weir::Netcdf4Metadata* weir_netcdf4_define(const std::string& path,
                                                                                             const weir::Schema& schema,
                                                                                             weir::Status& status) {
  const auto make = [&] {
    const weir::Quiet quiet;
    return new weir::Netcdf4File(path, schema, weir::define_by_netcdf(path, schema));
  };
  return weir::made_or_told(make, status);
}

extern "C" __attribute__((visibility("default"))) weir::Netcdf4Metadata* weir_netcdf4_reopen(
    const std::string& path, const weir::Schema& schema, const weir::Netcdf4Existing& existing, weir::Status& status) {
  const auto make = [&] {
    const weir::Quiet quiet;
    return new weir::Netcdf4File(path, schema, existing);
  };
  return weir::made_or_told(make, status);
}
