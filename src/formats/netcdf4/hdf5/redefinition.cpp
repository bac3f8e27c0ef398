// SPDX-License-Identifier: Apache-2.0
// New definitions for an existing netCDF-4 file. netCDF-C makes them in a temporary sparse copy that has all of the
// file but its data, each byte at its offset (so a file of any size takes little room); the bytes that differ
// afterwards are written to the file.
#include <fcntl.h>
#include <hdf5.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "formats/netcdf4/hdf5/definition.hpp"
#include "formats/netcdf4/hdf5/handle.hpp"
#include "formats/netcdf4/hdf5/image.hpp"
#include "formats/netcdf4/hdf5/tables.hpp"
#include "formats/netcdf4/hdf5/zstd.hpp"
#include "formats/netcdf4/metadata.hpp"

namespace weir {

namespace {

constexpr std::int64_t step_bytes = 1 << 20;
constexpr std::size_t least_gap = 32;  // of bytes that are the same: shorter ones are written too

struct Range {
  std::int64_t begin, end;
};

// All of the file that holds no data of a variable.
std::vector<Range> tables_in(const StoredTables& tables, std::int64_t file_bytes) {
  std::vector<Range> data;
  for (std::size_t v = 0; v < tables.arrays.size(); ++v) {
    const StoredArray& array = tables.arrays[v];
    for (const StoredPiece& piece : array.pieces)
      if (piece.address != StoredPiece::nowhere) data.push_back({piece.address, piece.address + piece.bytes});
    const bool in_one_piece = array.address != StoredPiece::nowhere && array.chunk.empty();
    if (in_one_piece)
      data.push_back({array.address, array.address + elements(array.lengths) *
                                                         type_bytes(tables.schema.variable(static_cast<int>(v)).type)});
  }
  std::sort(data.begin(), data.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> between;
  std::int64_t at = 0;
  for (const Range& each : data) {
    if (each.begin > at) between.push_back({at, each.begin});
    at = std::max(at, each.end);
  }
  if (at < file_bytes) between.push_back({at, file_bytes});
  return between;
}

// In HDF5 a new dimension and a variable that is there would be datasets of one name. netCDF-C gives the variable
// another one where it makes both at once, and fails where the variable is there first (4.9.0; netcdf-c#2477): it gets
// that here.
void rename_for_new_dimensions(const std::string& file, const std::string& path, const Schema& before,
                               const Schema& after) {
  std::vector<std::string> shared;
  for (auto at = before.dimensions().size(); at < after.dimensions().size(); ++at)
    if (const std::string& name = after.dimensions()[at].name; before.find_variable(name) >= 0) shared.push_back(name);
  if (shared.empty()) return;
  const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  for (const std::string& name : shared) {
    if (set_name(opened.id(), name) != name) continue;  // it has its other name already
    const herr_t moved =
        H5Lmove(opened.id(), name.c_str(), opened.id(), name_without_dimension(name).c_str(), H5P_DEFAULT, H5P_DEFAULT);
    if (moved < 0)
      throw Error(WEIR_EFORMAT,
                  R"(HDF5 cannot rename the variable "{}" of "{}", which has the name of a new dimension{})", name,
                  path, reason());
  }
}

template <class Look>
void in_steps(const Range& range, Look look) {
  for (std::int64_t at = range.begin; at < range.end; at += step_bytes) look(at, std::min(step_bytes, range.end - at));
}

class Redefinition4 {
 public:
  Redefinition4(const std::string& path, const StoredTables& tables)
      : path_(path), original_(open_to_read(path)), tables_(tables_in(tables, original_.bytes())) {
    copy();
  }

  MetadataUpdate redefine(const Schema& before, const Schema& after) {
    rename_for_new_dimensions(passing_.path(), path_, before, after);
    extend_by_netcdf(passing_.path(), path_, before, after);
    const Descriptor changed = open_to_read(passing_.path());
    MetadataUpdate update;
    update.file_bytes = changed.bytes();
    for (const Range& range : tables_)
      in_steps({range.begin, std::min(range.end, update.file_bytes)}, [&](std::int64_t at, std::int64_t bytes) {
        compare(bytes_of(original_, at, bytes), bytes_of(changed, at, bytes), at, update.changes);
      });
    in_steps({original_.bytes(), update.file_bytes}, [&](std::int64_t at, std::int64_t bytes) {
      update.changes.push_back({at, bytes_of(changed, at, bytes)});
    });
    return update;
  }

 private:
  static std::vector<std::byte> bytes_of(const Descriptor& file, std::int64_t at, std::int64_t count) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    file.read(bytes.data(), count, at);
    return bytes;
  }

  void copy() {
    const Descriptor copy(::open(passing_.path().c_str(), O_WRONLY | O_CLOEXEC), passing_.path());
    const auto well = [&](bool done) {
      if (!done) throw Error(WEIR_EIO, "writing {}: {}", copy.path(), std::strerror(errno));
    };
    well(copy.number() >= 0 && ::ftruncate(copy.number(), original_.bytes()) == 0);
    for (const Range& range : tables_)
      in_steps(range, [&](std::int64_t at, std::int64_t count) {
        const std::vector<std::byte> bytes = bytes_of(original_, at, count);
        const bool empty = std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
        well(empty || ::pwrite(copy.number(), bytes.data(), bytes.size(), at) == std::ssize(bytes));
      });
  }

  // What is other becomes changes.
  static void compare(const std::vector<std::byte>& old, const std::vector<std::byte>& now, std::int64_t at,
                      std::vector<Change>& changes) {
    for (std::size_t i = 0; i < now.size();) {
      if (old[i] == now[i]) {
        ++i;
        continue;
      }
      std::size_t end = i + 1;  // behind the last byte that is other
      for (std::size_t j = end; j < now.size() && j < end + least_gap; ++j)
        if (old[j] != now[j]) end = j + 1;
      changes.push_back(
          {at + static_cast<std::int64_t>(i),
           {now.begin() + static_cast<std::ptrdiff_t>(i), now.begin() + static_cast<std::ptrdiff_t>(end)}});
      i = end;
    }
  }

  const std::string& path_;
  Descriptor original_;
  std::vector<Range> tables_;
  ScratchFile passing_;
};

}  // namespace

}  // namespace weir

extern "C" __attribute__((visibility("default"))) void weir_netcdf4_redefine(const std::string& path,
                                                                             const weir::Schema& before,
                                                                             const weir::Schema& after,
                                                                             weir::MetadataUpdate& update,
                                                                             weir::Status& status) {
  try {
    const weir::Quiet quiet;
    weir::register_zstd();
    weir::StoredTables tables = weir::definitions_by_netcdf(path, weir::StringVariables::left_out);
    weir::find_arrays(path, tables);
    update = weir::Redefinition4(path, tables).redefine(before, after);
  } catch (const weir::Error& error) {
    status = {error.code(), error.what()};
  } catch (const std::exception& error) {
    status = {WEIR_EMEMORY, error.what()};
  }
}
