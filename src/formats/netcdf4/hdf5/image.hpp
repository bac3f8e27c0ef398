// SPDX-License-Identifier: Apache-2.0
// The metadata of a netCDF-4 file in memory, on which HDF5 works (Image), and a temporary file for netCDF-C
// (ScratchFile). Local.
#pragma once

#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "formats/netcdf4/metadata.hpp"

namespace weir {

// A temporary file that netCDF-C writes, and whose contents are then read. It is in memory if the machine has such a
// folder, else where temporary files go. It needs a name: HDF5 follows links, so a file without one would not do
// through /proc; and what netCDF-C makes in memory itself lists variables by name.
class ScratchFile {
 public:
  ScratchFile() {
    std::error_code none;
    const bool memory = ::access("/dev/shm", W_OK) == 0;
    path_ = (memory ? "/dev/shm" : std::filesystem::temp_directory_path(none).string()) + "/weir-definition-XXXXXX";
    const int made = ::mkstemp(path_.data());
    if (made < 0) throw Error(WEIR_EIO, "cannot make {}: {}", path_, std::strerror(errno));
    ::close(made);
  }
  ~ScratchFile() { ::unlink(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::vector<std::byte> contents() const {
    const Descriptor file = open_to_read(path_);
    std::vector<std::byte> bytes(static_cast<std::size_t>(file.bytes()));
    file.read(bytes.data(), std::ssize(bytes), 0);
    return bytes;
  }

 private:
  std::string path_;
};

// A file's metadata in memory, and the HDF5 driver (VFD) over it. The driver keeps no data: it gives each chunk the
// announced offset, and records the offset that HDF5 has chosen. It reads no data of an existing file, and records
// where they are. If HDF5 has to write values by itself, data count as metadata (keep_data()).
class Image {
 public:
  explicit Image(std::span<const std::byte> contents);
  // How an existing file is used. find: to find what is where; data are not read, and data_at() says where the last
  // data are that HDF5 wanted to read. append: to append to it. Metadata are read as they are needed.
  enum class Use { find, append };
  Image(Netcdf4Metadata::ReadFile read, std::int64_t bytes, Use use)
      : read_file_(std::move(read)), in_file_(bytes), reach_(bytes), end_(bytes), use_(use) {}

  // Reads bytes.
  // Errors: throws what reading the file throws.
  void read(std::int64_t at, std::span<std::byte> to);
  void write(std::int64_t at, std::span<const std::byte> bytes);
  // Returns what was written since the last call.
  std::vector<Change> take_changes();
  // Notes that everything is in the file: beyond a few MiB, contents are dropped here and read again by `read`.
  void release(const Netcdf4Metadata::ReadFile& read);
  // Notes that the file was truncated at end().
  void note_cut() noexcept { in_file_ = std::min(in_file_, end_); }

  // The end of what is in use, as HDF5 reports it.
  std::int64_t end() const noexcept { return end_; }
  void set_end(std::int64_t end) noexcept {
    end_ = end;
    reach_ = std::max(reach_, end_);
  }
  // The largest end so far: HDF5 gives up what is free at the end of a file that it closes, after it has written the
  // superblock, which the next opening compares with this.
  std::int64_t file_end() const noexcept { return reach_; }
  // Returns the offset of `bytes` bytes: of metadata, at the end; of data, at the announced offset, or at the end if
  // there is none.
  std::int64_t allocate(std::int64_t bytes, bool data);
  // announce() sets the offset of the next data. withdraw() removes it, since HDF5 may have had an offset of its own
  // for them.
  void announce(std::int64_t place) noexcept { announced_ = place; }
  void withdraw() noexcept { announced_ = nowhere; }
  void note_data(std::int64_t at) noexcept { data_at_ = at; }
  std::int64_t data_at() const noexcept { return data_at_; }
  bool finds() const noexcept { return use_ == Use::find || only_finds_; }
  // From now on data are only found, not read; or no longer.
  void only_find(bool finds) noexcept { only_finds_ = finds; }
  bool is_new() const noexcept { return !use_; }
  // From now on HDF5's own data are read and written like metadata; or no longer.
  void keep_data(bool keeps) noexcept { keeps_data_ = keeps; }
  bool keeps_data() const noexcept { return keeps_data_; }

 private:
  static constexpr std::int64_t page_bytes = 4096;
  static constexpr std::int64_t nowhere = -1;
  static constexpr std::size_t most_pages = 1024;  // kept when everything is in the file
  using Page = std::vector<std::byte>;
  void mark(std::int64_t begin, std::int64_t end);
  Page& page(std::int64_t number);

  std::map<std::int64_t, Page> pages_;
  std::map<std::int64_t, std::int64_t> written_;  // begin and end, disjoint, not touching
  Netcdf4Metadata::ReadFile read_file_;
  std::int64_t in_file_ = 0;  // from here on the file has nothing that is not in pages_
  std::int64_t reach_, end_;
  std::int64_t announced_ = nowhere, data_at_ = nowhere;
  std::optional<Use> use_;  // nullopt: a new file
  bool keeps_data_ = false, only_finds_ = false;
};

// Returns a file access list that opens `image`, which outlives the file; negative if HDF5 refuses.
hid_t access_to(Image& image);

}  // namespace weir
