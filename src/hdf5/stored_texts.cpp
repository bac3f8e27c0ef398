// SPDX-License-Identifier: Apache-2.0
#include "hdf5/stored_texts.hpp"

#include <hdf5.h>
#include <netcdf.h>

#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "hdf5/handle.hpp"

namespace weir {

namespace {

// Of strings that have one length in the file, however much of it is zeros.
constexpr std::int64_t most_fixed_bytes = 64 * most_text_bytes;

// netCDF's memory: it allocates each string.
class Strings {
 public:
  explicit Strings(std::size_t count) : texts_(count, nullptr) {}
  ~Strings() {
    if (!texts_.empty()) static_cast<void>(nc_free_string(texts_.size(), texts_.data()));
  }
  Strings(const Strings&) = delete;
  Strings& operator=(const Strings&) = delete;

  char** data() noexcept { return texts_.data(); }
  const std::vector<char*>& all() const noexcept { return texts_; }

 private:
  std::vector<char*> texts_;
};

// Where HDF5 puts strings, one behind the other.
struct Room {
  std::vector<char> bytes;
  std::size_t used = 0;
  bool refused = false;

  static void* take(std::size_t bytes, void* of) {
    Room& room = *static_cast<Room*>(of);
    room.refused = room.refused || bytes > room.bytes.size() - room.used;
    if (room.refused) return nullptr;
    room.used += bytes;
    return room.bytes.data() + room.used - bytes;
  }
  static void give_back(void*, void*) {}
};

// As many as the dataset has, whatever netCDF makes of its dimensions. HDF5 asks for a byte more than a string has.
bool have_room(hid_t set, hid_t type) {
  const Handle space(H5Dget_space(set), H5Sclose);
  const std::int64_t elements = H5Sget_simple_extent_npoints(space.id());
  if (elements < 0) return true;
  if (elements > most_text_bytes) return false;
  Room room{std::vector<char>(static_cast<std::size_t>(most_text_bytes + elements))};
  std::vector<char*> texts(static_cast<std::size_t>(elements), nullptr);
  const Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose), wanted(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Pset_vlen_mem_manager(transfer.id(), Room::take, &room, Room::give_back, nullptr);
  H5Tset_size(wanted.id(), H5T_VARIABLE);
  H5Tset_cset(wanted.id(), H5Tget_cset(type));
  H5Dread(set, wanted.id(), H5S_ALL, H5S_ALL, transfer.id(), texts.data());
  return !room.refused;
}

}  // namespace

bool may_be_texts(const std::string& file, const std::string& variable, std::int64_t elements) {
  if (elements > most_text_bytes) return false;
  // By another driver than netCDF's, which has the file open in its own way.
  const Quiet quiet;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_stdio(access.id());
  const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  if (opened.id() < 0) return true;
  const Handle set(H5Dopen2(opened.id(), set_name(opened.id(), variable).c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(set.id() < 0 ? H5I_INVALID_HID : H5Dget_type(set.id()), H5Tclose);
  if (type.id() < 0) return true;
  if (H5Tis_variable_str(type.id()) > 0) return have_room(set.id(), type.id());
  return elements == 0 || static_cast<std::int64_t>(H5Tget_size(type.id())) <= most_fixed_bytes / elements;
}

std::optional<FixedTexts> read_texts(int group, int var, std::int64_t elements, const std::string& what) {
  if (elements > most_text_bytes) return std::nullopt;
  if (elements == 0) return FixedTexts();
  Strings strings(static_cast<std::size_t>(elements));
  const int result = nc_get_var_string(group, var, strings.data());
  require(result == NC_NOERR, WEIR_EFORMAT,
          [&] { return "netCDF does not read " + what + ": " + nc_strerror(result); });
  std::vector<std::string_view> texts;
  for (const char* const text : strings.all()) texts.emplace_back(text ? text : "");
  return fixed_texts(texts);
}

}  // namespace weir
