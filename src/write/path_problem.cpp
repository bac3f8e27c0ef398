// SPDX-License-Identifier: Apache-2.0
#include "write/path_problem.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/spelling.hpp"

namespace weir {

namespace {

// Of the effective user.
int error_of_access(const std::string& path, int wanted) {
  return ::faccessat(AT_FDCWD, path.c_str(), wanted, AT_EACCESS) == 0 ? 0 : errno;
}

// Why a folder takes no new name.
int error_of_naming_in(const std::string& directory) {
  return error_of_access(directory + "/.", W_OK | X_OK);
}

}  // namespace

std::string directory_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::optional<std::string> target_problem(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return std::nullopt;
  if (S_ISDIR(status.st_mode)) return path + " is a directory: give a file's path";
  return path + " is a device, pipe or socket, which a file must not replace: give a file's path";
}

std::optional<std::string> name_problem(const std::string& path) {
  const std::string last = path.substr(path.find_last_of('/') + 1);  // npos + 1 is 0
  if (last == "." || last == "..")
    return path + " is the folder " + in_quotes(last) + " and not the name of a new file; give the file a name";
  if (const int error = error_of_naming_in(directory_of(path)); error != 0) return write_error_message(path, "create", error);
  const int error = error_of_access(path, W_OK);
  if (error == 0 || error == ENOENT) return std::nullopt;
  return write_error_message(path, "replace", error);
}

std::string without_last_slashes(const std::string& path) {
  const auto last = path.find_last_not_of('/');
  return last == path.npos ? path.substr(0, 1) : path.substr(0, last + 1);
}

// By opening and not by access(2), which asks for the real user.
int error_of_opening(const std::string& path) {
  const int number = uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK); });
  if (number < 0) return errno == ENXIO ? 0 : errno;  // ENXIO: a pipe that no rank reads yet
  ::close(number);
  return 0;
}

std::optional<std::string> writability_problem(const std::string& path) {
  int error = error_of_opening(path);
  if (error == ENOENT) error = error_of_naming_in(directory_of(path));
  if (error == 0) return std::nullopt;
  return write_error_message(path, "write", error);
}

std::string storage_reason(int error) {
  return std::strerror(error) +
         std::string(error == ENOSPC || error == EDQUOT ? ": make room, or write elsewhere" : "");
}

Status failed_call(const char* call, const std::string& path) {
  const std::string why = storage_reason(errno);
  return {WEIR_EIO, std::string(call) + " of " + path + ": " + why, -1};
}

std::string write_error_message(const std::string& path, const char* what, int error) {
  const std::string start = std::string("cannot ") + what + " " + in_quotes(path) + ": ";
  const std::string directory = in_quotes(directory_of(path));
  switch (error) {
    case ENOENT:
      if (::access(directory_of(path).c_str(), F_OK) == 0)
        return start + "the directory " + directory + " takes no new files; choose another";
      return start + "the directory " + directory + " does not exist; make it first";
    case ENOTDIR:
      return start + "a part of the path " + directory + " is a file; give a directory";
    case ENAMETOOLONG:
      return start + "File name too long, with what Weir adds to it; give a shorter one";
    case EISDIR:
      return start + "it is a directory; give a file's path";
    case EACCES:
    case EPERM:
      if (std::string_view(what) == "append to")
        return start + "permission denied; change its permissions, or open it with WEIR_NOWRITE to read it";
      if (std::string_view(what) == "replace")
        return start + "permission denied; change its permissions, or choose another path";
      return start + "permission denied; choose a directory in which you may write";
    case EROFS:
      return start + "the file system is read-only; choose another directory";
    case ENOSPC:
      return start + "No space left on device; free space or choose another directory";
    case EDQUOT:
      return start + "the quota is used up; free space or choose another directory";
    case EFBIG:
      return start + "the file would be larger than the limit; raise it (ulimit -f) or choose another directory";
    default:
      return start + std::strerror(error) + "; choose another path";
  }
}

}  // namespace weir
