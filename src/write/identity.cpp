// SPDX-License-Identifier: Apache-2.0
#include "write/identity.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/spelling.hpp"

namespace weir {

namespace {

FileIdentity identity(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
}

bool differ(const FileIdentity& found, const FileIdentity& known) {
  const bool devices = known.device != 0 && found.device != known.device;
  return known.inode != 0 && (devices || found.inode != known.inode);
}

std::string replaced(const std::string& path) {
  return in_quotes(path) +
         " is another file now than the one that this run has open: something has moved or replaced it meanwhile";
}

}  // namespace

FileIdentity identity_of(int descriptor, const std::string& path) {
  struct stat opened {
  }, named{};
  if (::fstat(descriptor, &opened) != 0 || ::stat(path.c_str(), &named) != 0) return {};
  const FileIdentity found = identity(opened);
  return differ(identity(named), found) ? FileIdentity{} : found;
}

FileIdentity identity_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? identity(status) : FileIdentity{};
}

std::optional<std::string> other_file_trouble(const std::string& path, const FileIdentity& identity_known) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    return in_quotes(path) + " cannot be found any more (" + std::strerror(errno) +
           "): something has moved or removed it while this run has it open";
  if (differ(identity(status), identity_known)) return replaced(path);
  return std::nullopt;
}

std::optional<std::string> other_file_trouble(int descriptor, const std::string& path,
                                              const FileIdentity& identity_known) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && !differ(identity(status), identity_known)) return std::nullopt;
  return replaced(path);
}

Error refuse_to_read(const std::string& trouble) {
  return {WEIR_EIO, trouble + "; close it, and open it again"};
}

void require_same(int descriptor, const std::string& path, const FileIdentity& identity_known) {
  auto trouble = other_file_trouble(descriptor, path, identity_known);
  if (!trouble) trouble = other_file_trouble(path, identity_known);
  if (trouble) throw refuse_to_read(*trouble);
}

Status check_same(const std::string& path, const FileIdentity& identity_known) {
  const auto trouble = other_file_trouble(path, identity_known);
  return trouble ? Status{WEIR_EIO, *trouble + "; nothing more is written", -1} : Status{};
}

Status refuse_to_write(const std::string& trouble) {
  return {WEIR_EIO, trouble + "; nothing more is written into it", -1};
}

Status refuse_to_commit(const std::string& trouble, const char* what) {
  return {WEIR_EIO, trouble + "; nothing more is written, and what was committed is in the " + what + " that was moved",
          -1};
}

}  // namespace weir
