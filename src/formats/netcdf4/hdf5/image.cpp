// SPDX-License-Identifier: Apache-2.0
#include "formats/netcdf4/hdf5/image.hpp"

#include <algorithm>
#include <iterator>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace weir {

Image::Image(std::span<const std::byte> contents) : reach_(std::ssize(contents)), end_(reach_) {
  write(0, contents);
  written_.clear();
}

Image::Page& Image::page(std::int64_t number) {
  const auto [entry, made] = pages_.try_emplace(number, static_cast<std::size_t>(page_bytes));
  const std::int64_t begin = number * page_bytes;
  if (made && begin < in_file_) {
    const auto bytes = static_cast<std::size_t>(std::min(page_bytes, in_file_ - begin));
    read_file_(begin, std::span(entry->second).first(bytes));
  }
  return entry->second;
}

void Image::read(std::int64_t at, std::span<std::byte> to) {
  while (!to.empty()) {
    const std::int64_t in_page = at % page_bytes;
    const auto count = static_cast<std::size_t>(std::min(page_bytes - in_page, std::ssize(to)));
    std::copy_n(page(at / page_bytes).begin() + in_page, count, to.begin());
    to = to.subspan(count);
    at += static_cast<std::int64_t>(count);
  }
}

void Image::write(std::int64_t at, std::span<const std::byte> bytes) {
  mark(at, at + std::ssize(bytes));
  while (!bytes.empty()) {
    const std::int64_t in_page = at % page_bytes;
    const auto count = static_cast<std::size_t>(std::min(page_bytes - in_page, std::ssize(bytes)));
    std::copy_n(bytes.begin(), count, page(at / page_bytes).begin() + in_page);
    bytes = bytes.subspan(count);
    at += static_cast<std::int64_t>(count);
  }
}

void Image::release(const Netcdf4Metadata::ReadFile& read) {
  if (pages_.size() <= most_pages) return;
  read_file_ = read;
  in_file_ = end_;
  pages_.clear();
}

void Image::mark(std::int64_t begin, std::int64_t end) {
  if (begin == end) return;
  auto next = written_.upper_bound(begin);
  if (next != written_.begin() && std::prev(next)->second >= begin) --next;
  while (next != written_.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = written_.erase(next);
  }
  written_.emplace(begin, end);
}

std::vector<Change> Image::take_changes() {
  std::vector<Change> changes;
  for (const auto& [begin, end] : written_) {
    changes.push_back({begin, std::vector<std::byte>(static_cast<std::size_t>(end - begin))});
    read(begin, changes.back().bytes);
  }
  written_.clear();
  return changes;
}

std::int64_t Image::allocate(std::int64_t bytes, bool data) {
  const std::int64_t place = data && announced_ != nowhere ? announced_ : end_;
  if (data) announced_ = nowhere;
  set_end(std::max(end_, place + bytes));
  return place;
}

namespace {

struct Driver {
  H5FD_t base;  // HDF5's part
  Image* image;
};

Image& image_of(const H5FD_t* file) {
  return *reinterpret_cast<const Driver*>(file)->image;
}

H5FD_t* open_image(const char*, unsigned, hid_t access, haddr_t) {
  const auto* image = static_cast<Image* const*>(H5Pget_driver_info(access));
  return image ? &(new Driver{{}, *image})->base : nullptr;
}

herr_t close_image(H5FD_t* file) {
  delete reinterpret_cast<Driver*>(file);
  return 0;
}

int compare(const H5FD_t* one, const H5FD_t* other) {
  const Image *a = &image_of(one), *b = &image_of(other);
  return a < b ? -1 : (a > b ? 1 : 0);
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = 0;  // nothing is gathered: each piece of metadata, and each chunk, is asked for by itself
  return 0;
}

haddr_t allocate(H5FD_t* file, H5FD_mem_t kind, hid_t, hsize_t bytes) {
  return static_cast<haddr_t>(image_of(file).allocate(static_cast<std::int64_t>(bytes), kind == H5FD_MEM_DRAW));
}

haddr_t end_of(const H5FD_t* file, H5FD_mem_t) {
  return static_cast<haddr_t>(image_of(file).end());
}

haddr_t file_end_of(const H5FD_t* file, H5FD_mem_t) {
  return static_cast<haddr_t>(image_of(file).file_end());
}

herr_t set_end(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  image_of(file).set_end(static_cast<std::int64_t>(end));
  return 0;
}

herr_t read_image(H5FD_t* file, H5FD_mem_t kind, hid_t, haddr_t at, size_t bytes, void* to) try {
  if (kind == H5FD_MEM_DRAW && image_of(file).finds()) {
    image_of(file).note_data(static_cast<std::int64_t>(at));
    return 0;
  }
  image_of(file).read(static_cast<std::int64_t>(at), {static_cast<std::byte*>(to), bytes});
  return 0;
} catch (const std::exception&) {  // no memory, or the file does not read
  return -1;
}

herr_t write_image(H5FD_t* file, H5FD_mem_t kind, hid_t, haddr_t at, size_t bytes, const void* from) try {
  if (kind == H5FD_MEM_DRAW && !image_of(file).keeps_data())
    image_of(file).note_data(static_cast<std::int64_t>(at));
  else
    image_of(file).write(static_cast<std::int64_t>(at), {static_cast<const std::byte*>(from), bytes});
  return 0;
} catch (const std::exception&) {  // no memory
  return -1;
}

hid_t driver() {
  static const hid_t registered = [] {
    static H5FD_class_t kind{};
    constexpr H5FD_mem_t lists[] = H5FD_FLMAP_DICHOTOMY;
#if H5_VERSION_GE(1, 13, 0)
    kind.version = H5FD_CLASS_VERSION;
    kind.value = 619;  // any number that no registered driver has
#endif
    kind.name = "weir";
    kind.maxaddr = HADDR_MAX / 2;
    kind.fc_degree = H5F_CLOSE_STRONG;
    kind.fapl_size = sizeof(Image*);
    kind.open = open_image;
    kind.close = close_image;
    kind.cmp = compare;
    kind.query = query;
    kind.alloc = allocate;
    kind.get_eoa = end_of;
    kind.set_eoa = set_end;
    kind.get_eof = file_end_of;
    kind.read = read_image;
    kind.write = write_image;
    std::copy(std::begin(lists), std::end(lists), kind.fl_map);
    return H5FDregister(&kind);
  }();
  return registered;
}

}  // namespace

hid_t access_to(Image& image) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  Image* const address = &image;
  // A new file is for all readers since 1.8; one that is there stays as it was made.
  const H5F_libver_t newest = image.is_new() ? H5F_LIBVER_V18 : H5F_LIBVER_LATEST;
  if (access >= 0 && H5Pset_driver(access, driver(), &address) >= 0 &&
      (image.finds() || H5Pset_libver_bounds(access, H5F_LIBVER_V18, newest) >= 0))
    return access;
  if (access >= 0) H5Pclose(access);
  return H5I_INVALID_HID;
}

}  // namespace weir
