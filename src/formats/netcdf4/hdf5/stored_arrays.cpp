// SPDX-License-Identifier: Apache-2.0
// Reads from HDF5's tables where the bytes of variables are. HDF5 1.10 tells the place of a chunk only by looking
// through all of them; but when it is asked for a chunk's bytes it finds them at once, and asks the driver for them,
// which notes where they are (image.hpp).
#include <hdf5.h>

#include <algorithm>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/netcdf4/hdf5/handle.hpp"
#include "formats/netcdf4/hdf5/image.hpp"
#include "formats/netcdf4/hdf5/tables.hpp"

namespace weir {

namespace {

constexpr std::int64_t most_chunks = 1 << 26;  // of a variable: all ranks have all of them in memory

class ArrayFinder {
 public:
  ArrayFinder(const std::string& path, hid_t file, const Image& image, const Schema& schema)
      : path_(path), file_(file), image_(image), schema_(schema) {}

  StoredArray find(int var) const {
    const std::string& name = schema_.variable(var).name;
    const Handle set(H5Dopen2(file_, set_name(file_, name).c_str(), H5P_DEFAULT), H5Dclose);
    check(set.id(), formatted("the variable \"{}\"", name));
    StoredArray array;
    array.obstacle = type_obstacle(set.id(), var, array.little_endian);
    if (!array.obstacle.empty()) return array;
    const Handle space(H5Dget_space(set.id()), H5Sclose), list(H5Dget_create_plist(set.id()), H5Pclose);
    hsize_t lengths[H5S_MAX_RANK];
    const int ndims = H5Sget_simple_extent_dims(space.id(), lengths, nullptr);
    if (ndims != static_cast<int>(schema_.variable(var).dims.size())) {
      array.obstacle = "it has another number of dimensions in the file";
      return array;
    }
    array.lengths.assign(lengths, lengths + ndims);
    read_fill(set.id(), list.id(), array);
    find_bytes(set.id(), list.id(), array);
    return array;
  }

 private:
  void check(std::int64_t result, const std::string& what) const {
    if (result < 0) throw Error(WEIR_EFORMAT, "HDF5 does not read {} of \"{}\"{}", what, path_, reason());
  }

  std::string type_obstacle(hid_t set, int var, bool& little_endian) const {
    const Handle type(H5Dget_type(set), H5Tclose);
    const Type wanted = schema_.variable(var).type;
    if (wanted == WEIR_CHAR && H5Tget_class(type.id()) == H5T_STRING && H5Tget_size(type.id()) == 1) return {};
    if (wanted != WEIR_CHAR) {
      const auto [little, big] = stored_types(wanted);
      little_endian = H5Tequal(type.id(), little) > 0;
      if (little_endian || H5Tequal(type.id(), big) > 0) return {};
    }
    return "its elements are stored in an HDF5 layout that Weir does not support";
  }

  void read_fill(hid_t set, hid_t list, StoredArray& array) const {
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    check(H5Pfill_value_defined(list, &defined), "a fill value");
    if (defined == H5D_FILL_VALUE_UNDEFINED) return;
    const Handle type(H5Dget_type(set), H5Tclose);
    check(H5Pget_fill_value(list, type.id(), array.fill.data()), "a fill value");
    if (array.little_endian)
      std::reverse(array.fill.begin(), array.fill.begin() + static_cast<std::ptrdiff_t>(H5Tget_size(type.id())));
  }

  void find_bytes(hid_t set, hid_t list, StoredArray& array) const {
    switch (H5Pget_layout(list)) {
      case H5D_CHUNKED:
        return find_chunks(set, list, array);
      case H5D_CONTIGUOUS:
        if (H5Pget_external_count(list) > 0) {
          array.obstacle = "its data are in another file";
        } else if (const haddr_t place = H5Dget_offset(set); place != HADDR_UNDEF) {
          array.address = static_cast<std::int64_t>(place);
        }
        return;
      case H5D_COMPACT: {
        const Handle type(H5Dget_type(set), H5Tclose);
        const auto bytes = static_cast<std::size_t>(elements(array.lengths)) * H5Tget_size(type.id());
        array.contents.resize(bytes);
        if (bytes > 0)
          check(H5Dread(set, type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, array.contents.data()), "a variable");
        return;
      }
      default:
        array.obstacle = "its data are in other files (a virtual dataset)";
    }
  }

  void find_chunks(hid_t set, hid_t list, StoredArray& array) const {
    const std::size_t ndims = array.lengths.size();
    hsize_t chunk[H5S_MAX_RANK];
    check(H5Pget_chunk(list, static_cast<int>(ndims), chunk), "the chunks");
    array.chunk.assign(chunk, chunk + ndims);
    check(read_filters(set, array.filters) ? 0 : -1, "the filters");
    Shape grid(ndims);
    for (std::size_t d = 0; d < ndims; ++d) grid[d] = (array.lengths[d] + array.chunk[d] - 1) / array.chunk[d];
    std::int64_t count = 1;
    for (const std::int64_t length : grid)
      count = length > 0 && count > most_chunks / length ? most_chunks + 1 : count * length;
    if (count > most_chunks) {
      array.obstacle = formatted("it has more chunks than Weir supports ({}): copy it with larger ones", most_chunks);
      return;
    }
    array.pieces.resize(static_cast<std::size_t>(count));
    H5D_space_status_t written = H5D_SPACE_STATUS_NOT_ALLOCATED;
    check(H5Dget_space_status(set, &written), "the table of chunks");
    if (written == H5D_SPACE_STATUS_NOT_ALLOCATED) return;
    std::vector<hsize_t> at(ndims, 0);
    for (StoredPiece& piece : array.pieces) {
      read_piece(set, at.data(), piece);
      for (std::size_t d = ndims; d-- > 0;) {
        at[d] += chunk[d];
        if (at[d] < static_cast<hsize_t>(array.lengths[d])) break;
        at[d] = 0;
      }
    }
  }

  void read_piece(hid_t set, const hsize_t* at, StoredPiece& piece) const {
    const std::int64_t bytes = stored_chunk_bytes(set, at);
    check(bytes, "the table of chunks");
    if (bytes == 0) return;
    std::uint32_t skipped = 0;
    std::byte none{};  // the driver leaves it as it is
    check(read_stored_chunk(set, at, skipped, &none, static_cast<std::size_t>(bytes)), "the table of chunks");
    piece = {image_.data_at(), static_cast<std::uint32_t>(bytes), skipped};
  }

  const std::string& path_;
  hid_t file_;
  const Image& image_;
  const Schema& schema_;
};

}  // namespace

std::string open_problem(const std::string& path) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  return file.id() < 0 ? reason() : "";
}

void find_arrays(const std::string& path, StoredTables& tables) {
  const Descriptor stored = open_to_read(path);
  Image image([&](std::int64_t at, std::span<std::byte> to) { stored.read(to.data(), std::ssize(to), at); },
              stored.bytes(), Image::Use::find);
  const Handle access(access_to(image), H5Pclose);
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  if (file.id() < 0) throw Error(WEIR_EFORMAT, "HDF5 does not open \"{}\"{}", path, reason());
  const Handle made(H5Fget_create_plist(file.id()), H5Pclose);
  hsize_t before = 0;
  require(H5Pget_userblock(made.id(), &before) >= 0 && before == 0, WEIR_EFORMAT,
          "\"{}\" has a user block before its netCDF-4 part, which Weir does not read: remove it (h5unjam)", path);
  const ArrayFinder finder(path, file.id(), image, tables.schema);
  for (int var = 0; var < static_cast<int>(tables.schema.variables().size()); ++var)
    if (StoredArray& array = tables.arrays[static_cast<std::size_t>(var)]; array.lengths.empty())
      array = finder.find(var);
}

}  // namespace weir

extern "C" __attribute__((visibility("default"))) void weir_netcdf4_read(const std::string& path,
                                                                         weir::StringVariables strings,
                                                                         weir::StoredTables& tables,
                                                                         weir::Status& status) {
  try {
    const weir::Quiet quiet;
    tables = weir::definitions_by_netcdf(path, strings);
    weir::find_arrays(path, tables);
  } catch (const weir::Error& error) {
    status = {error.code(), error.what()};
  } catch (const std::exception& error) {
    status = {WEIR_EMEMORY, error.what()};
  }
}
