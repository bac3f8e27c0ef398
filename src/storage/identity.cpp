// SPDX-License-Identifier: Apache-2.0
#include "storage/identity.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/text.hpp"

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
  return formatted("\"{}\" is no longer the file that this run has open: it was moved or replaced", path);
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

std::optional<std::string> other_file_problem(const std::string& path, const FileIdentity& identity_known) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    return formatted("\"{}\" no longer exists ({}): it was moved or removed while this run had it open", path,
                     std::strerror(errno));
  if (differ(identity(status), identity_known)) return replaced(path);
  return std::nullopt;
}

std::optional<std::string> other_file_problem(int descriptor, const std::string& path,
                                              const FileIdentity& identity_known) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && !differ(identity(status), identity_known)) return std::nullopt;
  return replaced(path);
}

Error refuse_to_read(const std::string& problem) {
  return {WEIR_EIO, formatted("{}; close it, and open it again", problem)};
}

void require_same(int descriptor, const std::string& path, const FileIdentity& identity_known) {
  auto problem = other_file_problem(descriptor, path, identity_known);
  if (!problem) problem = other_file_problem(path, identity_known);
  if (problem) throw refuse_to_read(*problem);
}

Status check_same(const std::string& path, const FileIdentity& identity_known) {
  const auto problem = other_file_problem(path, identity_known);
  return problem ? Status{WEIR_EIO, formatted("{}; nothing more is written", *problem)} : Status{};
}

Status refuse_to_write(const std::string& problem) {
  return {WEIR_EIO, formatted("{}; nothing more is written into it", problem)};
}

Status refuse_to_commit(const std::string& problem, const char* what) {
  return {WEIR_EIO,
          formatted("{}; nothing more is written, and what was committed is in the {} that was moved", problem, what)};
}

}  // namespace weir
