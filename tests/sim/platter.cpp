// SPDX-License-Identifier: Apache-2.0
#include "platter.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace sim {

namespace {

namespace fs = std::filesystem;
constexpr std::int64_t sector = 512;  // is written as a whole, or not

int host() {
  return Machine::running()->process().host;
}

}  // namespace

std::uint64_t Platter::inode_of(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

std::uint64_t Platter::file_at(const std::string& path) const {
  const auto found = names_.find(path);
  return found == names_.end() ? 0 : found->second.file;
}

void Platter::apply(Names& names, const Naming& naming) {
  if (naming.meaning.nothing())
    names.erase(naming.path);
  else
    names[naming.path] = naming.meaning;
}

void Platter::name(const std::string& path, const Meaning& meaning) {
  since_.push_back({path, meaning});
  apply(names_, since_.back());
}

void Platter::opened(int descriptor, const std::string& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || file_at(path) == status.st_ino) return;
  name(path, {status.st_ino, {}});
  files_[status.st_ino] = {};
}

void Platter::wrote(int descriptor, std::int64_t offset, const void* data, std::size_t bytes) {
  const auto* first = static_cast<const char*>(data);
  files_[inode_of(descriptor)].since.push_back({offset, Bytes(first, first + bytes), false, host()});
}

void Platter::resized(int descriptor, std::int64_t bytes) {
  files_[inode_of(descriptor)].since.push_back({bytes, {}, true, host()});
}

// Of a folder, its names.
void Platter::synced(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    since_.clear();
    stable_names_ = names_;
    return;
  }
  File& file = files_[status.st_ino];
  // How long a file is the storage knows from all hosts.
  std::erase_if(file.since, [&](const Change& change) {
    const bool goes = change.resize || change.host == host();
    if (goes) apply(file.stable, change);
    return goes;
  });
}

void Platter::renamed(const std::string& from, const std::string& to) {
  name(to, {file_at(from), {}});
  name(from, {});
}

void Platter::removed(const std::string& path) {
  name(path, {});
}

void Platter::linked(const std::string& target, const std::string& path) {
  name(path, {0, target});
}

void Platter::apply(Bytes& bytes, const Change& change) {
  const auto end = static_cast<std::size_t>(change.offset) + change.bytes.size();
  if (change.resize || bytes.size() < end) bytes.resize(end);
  std::copy(change.bytes.begin(), change.bytes.end(), bytes.begin() + change.offset);
}

// Up to the end of some sector, or from the beginning of one.
Platter::Change Platter::torn(const Change& change, Chance& chance) {
  const auto bytes = static_cast<std::int64_t>(change.bytes.size());
  const std::int64_t first = change.offset / sector, last = (change.offset + bytes - 1) / sector;
  const std::int64_t at = (first + 1 + chance.below(static_cast<int>(last - first))) * sector - change.offset;
  if (chance.happens(0.5))
    return {change.offset, Bytes(change.bytes.begin(), change.bytes.begin() + at), false, change.host};
  return {change.offset + at, Bytes(change.bytes.begin() + at, change.bytes.end()), false, change.host};
}

Platter::Bytes Platter::left_of(const File& file, Chance& chance) {
  Bytes bytes = file.stable;
  const double share = chance.number();
  for (const Change& change : file.since) {
    if (!chance.happens(share)) continue;
    const bool several =
        !change.resize &&
        change.offset / sector != (change.offset + static_cast<std::int64_t>(change.bytes.size()) - 1) / sector;
    apply(bytes, several && chance.happens(0.3) ? torn(change, chance) : change);
  }
  return bytes;
}

void Platter::cut(Chance& chance) {
  Names names = stable_names_;
  const int kept = chance.between(0, static_cast<int>(since_.size()));
  for (int i = 0; i < kept; ++i) apply(names, since_[static_cast<std::size_t>(i)]);
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  std::map<std::uint64_t, Bytes> left;
  for (const auto& [path, meaning] : names) put_there(path, meaning, left, chance);
}

void Platter::put_there(const std::string& path, const Meaning& meaning, std::map<std::uint64_t, Bytes>& left,
                        Chance& chance) {
  if (!meaning.target.empty()) return fs::create_symlink(meaning.target, path);
  if (!left.contains(meaning.file)) left[meaning.file] = left_of(files_[meaning.file], chance);
  const Bytes& bytes = left[meaning.file];
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace sim
