// SPDX-License-Identifier: Apache-2.0
#include "write/visible.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>

#include "base/descriptor.hpp"

namespace weir {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t token_digits = 8;

Status failure(const char* call, const std::string& path) {
  return {WEIR_EIO, std::string(call) + " of " + path + ": " + std::strerror(errno), -1};
}

// The header's second word: 4 bytes in CDF-1 and CDF-2, 8 in CDF-5, big-endian.
bool write_record_count(int descriptor, const Geometry& geometry, std::int64_t records) {
  std::byte count[8];
  const int width = geometry.format == 5 ? 8 : 4;
  for (int i = 0; i < width; ++i) count[i] = static_cast<std::byte>(records >> (8 * (width - 1 - i)));
  return ::pwrite(descriptor, count, static_cast<std::size_t>(width), 4) == width;
}

Status show_records(int descriptor, const VisibleFile& file, const Geometry& geometry, std::int64_t records) {
  const std::int64_t length = geometry.file_bytes(records);
  const bool durable = file.durability == Durability::storage;
  if (::lseek(descriptor, 0, SEEK_END) < length && ::ftruncate(descriptor, length) != 0)
    return failure("ftruncate", file.written_path);
  if (durable && ::fsync(descriptor) != 0) return failure("fsync", file.written_path);
  if (geometry.records == records) return {};
  if (!write_record_count(descriptor, geometry, records)) return failure("pwrite", file.written_path);
  if (durable && ::fsync(descriptor) != 0) return failure("fsync", file.written_path);
  return {};
}

// The new name is on stable storage once its folder is.
Status sync_folder(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const Descriptor folder(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), parent);
  if (folder.number() < 0) return failure("open", parent.string());
  return ::fsync(folder.number()) == 0 || errno == EINVAL ? Status{} : failure("fsync", parent.string());
}

}  // namespace

std::string partial_name(const std::string& path) {
  const fs::path whole(path);
  return (whole.parent_path() / ("." + whole.filename().string() + ".weir")).string();
}

std::string partial_name(const std::string& path, std::uint32_t token) {
  char digits[token_digits + 1];
  std::snprintf(digits, sizeof digits, "%08x", token);
  return partial_name(path + "." + digits);
}

std::vector<std::string> leftovers(const std::string& path) noexcept try {
  std::vector<std::string> left;
  const fs::path pattern(partial_name(path, 0));
  const std::string name = pattern.filename().string();
  const std::size_t begin = name.size() - std::strlen(".weir") - token_digits;
  const fs::path folder = pattern.has_parent_path() ? pattern.parent_path() : fs::path(".");
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    std::string found = entry.path().filename().string();
    if (found.size() != name.size() || found.compare(0, begin, name, 0, begin) != 0) continue;
    const auto digits = std::span(found).subspan(begin, token_digits);
    if (!std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isxdigit(c) != 0; })) continue;
    std::fill(digits.begin(), digits.end(), '0');
    if (found == name) left.push_back(entry.path().string());
  }
  return left;
} catch (const std::exception&) {  // of the folder's reading
  return {};
}

void remove_leftovers(const std::string& path) noexcept {
  std::error_code ignored;
  for (const std::string& left : leftovers(path)) fs::remove(left, ignored);
}

Status show(VisibleFile& file, const Geometry& geometry, std::int64_t records) {
  Descriptor written(::open(file.written_path.c_str(), O_RDWR | O_CLOEXEC), file.written_path);
  if (written.number() < 0) return failure("open", file.written_path);
  if (Status status = show_records(written.number(), file, geometry, records); !status.ok()) return status;
  if (!written.close()) return failure("close", file.written_path);
  if (file.written_path == file.path) return {};
  if (std::rename(file.written_path.c_str(), file.path.c_str()) != 0)
    return failure("rename", file.written_path + " to " + file.path);
  file.written_path = file.path;
  return file.durability == Durability::cache ? Status{} : sync_folder(file.path);
}

}  // namespace weir
