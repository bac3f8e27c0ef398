// SPDX-License-Identifier: Apache-2.0
// A netCDF-4 file in memory, on which HDF5 works, and the driver by which its metadata are taken. Local.
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

// A temporary file that netCDF-C writes, and whose contents are then read. Local.

// A file of this name for a moment: in memory where the machine has such a folder, else where temporary files go. HDF5
// follows links, so one without a name, by its link in /proc, will not do; and what netCDF-C makes in memory itself
// lists variables by their names.
class ScratchFile {
 public:
  ScratchFile() {
    std::error_code none;
    const bool memory = ::access("/dev/shm", W_OK) == 0;
    path_ = (memory ? "/dev/shm" : std::filesystem::temp_directory_path(none).string()) + "/weir-definition-XXXXXX";
    const int made = ::mkstemp(path_.data());
    require(made >= 0, WEIR_EIO, [&] { return "cannot make " + path_ + ": " + std::strerror(errno); });
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
// announced offset, and records the offset that HDF5 has chosen. Of an existing file it reads no data either, and
// records where they are. Where HDF5 has to write values by itself, it treats data as metadata (keep_data).

class Image {
 public:
  explicit Image(std::span<const std::byte> contents);
  // Of a file of so many bytes, whose metadata are read as they are asked for. To find what is where: data are not
  // read, data_at() says where the last ones that HDF5 wanted to read are. Or to append to.
  enum class Use { find, append };
  Image(Netcdf4Metadata::ReadFile read, std::int64_t bytes, Use use)
      : read_file_(std::move(read)), in_file_(bytes), given_(bytes), end_(bytes), use_(use) {}

  // Throws Error where the file does not read.
  void read(std::int64_t at, std::span<std::byte> to);
  void write(std::int64_t at, std::span<const std::byte> bytes);
  // What was written since the last time.
  std::vector<Change> take_changes();
  // All of it is in the file: what takes more than a few MiB is read from there when it is asked for.
  void release(const Netcdf4Metadata::ReadFile& read);
  // The file was cut off where what is in use ends.
  void note_cut() noexcept { in_file_ = std::min(in_file_, end_); }

  // Where what is in use ends, as HDF5 reports it; and the file, as far as there was one.
  std::int64_t end() const noexcept { return end_; }
  void set_end(std::int64_t end) noexcept { end_ = end; }
  std::int64_t file_end() const noexcept { return std::max(end_, given_); }
  // Room for `bytes` of metadata, at the end; of data, at the announced place, or at the end where none was.
  std::int64_t allocate(std::int64_t bytes, bool data);
  // Where the next data go.
  void announce(std::int64_t place) noexcept { announced_ = place; }
  // HDF5 may have had a place of its own for them.
  void withdraw() noexcept { announced_ = nowhere; }
  void note_data(std::int64_t at) noexcept { data_at_ = at; }
  std::int64_t data_at() const noexcept { return data_at_; }
  bool finds() const noexcept { return use_ == Use::find; }
  bool is_new() const noexcept { return !use_; }
  // From now on HDF5's own data are read and written like metadata, or no longer.
  void keep_data(bool keeps) noexcept { keeps_data_ = keeps; }
  bool keeps_data() const noexcept { return keeps_data_; }

 private:
  static constexpr std::int64_t page_bytes = 4096;
  static constexpr std::int64_t nowhere = -1;
  static constexpr std::size_t most_pages = 1024;  // that are kept when all is in the file
  using Page = std::vector<std::byte>;
  void mark(std::int64_t begin, std::int64_t end);
  Page& page(std::int64_t number);

  std::map<std::int64_t, Page> pages_;
  std::map<std::int64_t, std::int64_t> written_;  // begin and end, disjoint and not touching
  Netcdf4Metadata::ReadFile read_file_;
  std::int64_t in_file_ = 0;  // from here on the file has nothing of what is not in pages_
  std::int64_t given_, end_;
  std::int64_t announced_ = nowhere, data_at_ = nowhere;
  std::optional<Use> use_;  // none: of a new file
  bool keeps_data_ = false;
};

// A file access list that opens `image`, which must outlive the file. Negative where HDF5 refuses.
hid_t access_to(Image& image);

}  // namespace weir
