// SPDX-License-Identifier: Apache-2.0
#include "clean.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "zarr_folder.hpp"

namespace weir::verify {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(WEIR_EIO, "{} is left as it is: {}", path, why);
}

void require_done(bool done, const std::string& path) {
  if (!done) fail(path, std::strerror(errno));
}

// No other rank has the file open while this lives, or the system cannot say. Who opens it then waits for its end.
class Lease {
 public:
  explicit Lease(const Descriptor& file) : file_(file), signal_(std::signal(SIGIO, SIG_IGN)) {
    if (::fcntl(file.number(), F_SETLEASE, F_WRLCK) != 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      std::signal(SIGIO, signal_);
      fail(file.path(), "another program has it open, perhaps a run in progress");
    }
  }
  ~Lease() {
    ::fcntl(file_.number(), F_SETLEASE, F_UNLCK);
    std::signal(SIGIO, signal_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

 private:
  const Descriptor& file_;
  void (*signal_)(int);
};

}  // namespace

void cut(const std::string& path, const Verdict& verdict) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC), path);
  require_done(file.number() >= 0, path);
  const Lease lease(file);
  if (file.bytes() != verdict.bytes + verdict.bytes_behind) fail(path, "its length has changed: a run is writing it");
  require_done(::ftruncate(file.number(), verdict.bytes) == 0 && ::fsync(file.number()) == 0, path);
}

namespace {

// The link by which the next run would have found it: .NAME.weir besides .NAME.TOKEN.weir.
void remove_link_to(const std::filesystem::path& file) {
  const std::filesystem::path name = file.filename();
  const std::filesystem::path link = file.parent_path() / (name.stem().stem().string() + ".weir");
  std::error_code none;
  if (std::filesystem::read_symlink(link, none) == name && !none) std::filesystem::remove(link, none);
}

}  // namespace

// A link is listed only where it leads nowhere.
void remove_unfinished(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_symlink(path, none)) return require_done(::unlink(path.c_str()) == 0, path);
  if (std::filesystem::is_directory(path, none)) return remove_unfinished_zarr(path), remove_link_to(path);
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), path);
  require_done(file.number() >= 0, path);
  const Lease lease(file);
  require_done(::unlink(path.c_str()) == 0, path);
  remove_link_to(path);
}

}  // namespace weir::verify
