// SPDX-License-Identifier: Apache-2.0
// HDF5's handles and error messages, and the property lists with which a dataset is written and read. Local.
#pragma once

#include <hdf5.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "formats/netcdf4/metadata.hpp"
#include "schema/name.hpp"

namespace weir {

// Stops HDF5 from printing its errors, as long as one lives; callers report them.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// Returns the call in which HDF5's last error was found.
inline std::string reason() {
  std::string text;
  const auto innermost = [](unsigned number, const H5E_error2_t* error, void* into) {
    if (number == 0 && error->desc)
      *static_cast<std::string*>(into) = std::string(error->func_name) + ": " + error->desc;
    return herr_t{0};
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &text);
  return text.empty() ? text : " (" + text + ")";
}

// Returns the bytes of the chunk that begins at `at`; 0 if it is not in the table, negative if HDF5 refuses.
// Of such a chunk some versions say 0 bytes, and others refuse in that very function; where the table itself does not
// read, the error comes from further within.
inline std::int64_t stored_chunk_bytes(hid_t set, const hsize_t* at) {
  hsize_t bytes = 0;
  if (H5Dget_chunk_storage_size(set, at, &bytes) >= 0) return static_cast<std::int64_t>(bytes);
  return reason().find(" (H5D__get_chunk_storage_size: ") == 0 ? 0 : -1;
}

// Owns a handle of HDF5.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_), std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  hid_t id() const noexcept { return id_; }

 private:
  hid_t id_;
  Close close_;
};

// Returns the name that netCDF gives a variable's dataset, if a dimension has the variable's name.
inline std::string name_without_dimension(const std::string& variable) {
  return std::string(group_prefix(variable)) + "_nc4_non_coord_" + std::string(last_name(variable));
}

// Returns the name of a variable's dataset. netCDF's groups are HDF5's.
inline std::string set_name(hid_t file, const std::string& variable) {
  const std::string other = name_without_dimension(variable);
  return H5Lexists(file, other.c_str(), H5P_DEFAULT) > 0 ? other : variable;
}

// Reads the filters of a dataset's chunks. Returns false if HDF5 refuses.
inline bool read_filters(hid_t set, std::vector<FilterStep>& steps) {
  constexpr std::size_t most_values = 16;
  const Handle list(H5Dget_create_plist(set), H5Pclose);
  const int count = H5Pget_nfilters(list.id());
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0, values[most_values] = {};
    std::size_t given = most_values;
    const int id = H5Pget_filter2(list.id(), static_cast<unsigned>(i), &flags, &given, values, 0, nullptr, nullptr);
    if (id < 0) return false;
    steps.push_back({static_cast<unsigned>(id), {values, values + std::min(given, most_values)}});
  }
  return count >= 0;
}

// Reads a chunk of `bytes` bytes as it is stored. HDF5 asks how many these are since its version 2. Local.
inline herr_t read_stored_chunk(hid_t dataset, const hsize_t* at, std::uint32_t& filters, void* into,
                                std::size_t bytes) {
#if H5_VERSION_GE(2, 0, 0)
  return H5Dread_chunk2(dataset, H5P_DEFAULT, at, &filters, into, &bytes);
#else
  static_cast<void>(bytes);
  return H5Dread_chunk(dataset, H5P_DEFAULT, at, &filters, into);
#endif
}

}  // namespace weir
