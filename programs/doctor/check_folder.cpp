// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <mpi.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "checks.hpp"
#include "storage/filesystem.hpp"
#include "storage/past_cache.hpp"

namespace weir::doctor {
namespace {

namespace fs = std::filesystem;

// A file that is gone when this object is.
class TrialFile {
 public:
  TrialFile(const std::string& folder, const std::string& name) : path_(folder + "/" + name) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor_ < 0) problem_ = std::strerror(errno);
  }
  ~TrialFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(path_.c_str());
  }
  TrialFile(const TrialFile&) = delete;
  TrialFile& operator=(const TrialFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  int descriptor() const noexcept { return descriptor_; }
  const std::string& problem() const noexcept { return problem_; }

 private:
  std::string path_, problem_;
  int descriptor_ = -1;
};

std::string locks(int descriptor) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return ::fcntl(descriptor, F_SETLK, &lock) == 0 ? "locks work" : formatted("no locks ({})", std::strerror(errno));
}

std::string room(const std::string& folder) {
  struct statvfs found {};
  if (::statvfs(folder.c_str(), &found) != 0) return "its room is not known";
  const auto free = static_cast<std::int64_t>(found.f_bavail) * static_cast<std::int64_t>(found.f_frsize);
  return formatted("{} GiB free", free >> 30);
}

// As this host sees it.
void check_storage(const std::string& folder, int rank, Findings& findings) {
  try {
    const FileSystem system = inspect_file_system(folder + "/file");
    std::string text = formatted("{}: {}, {}", folder, system.name, room(folder));
    if (system.stripe_bytes > 0) text += formatted(", stripes of {}", show_bytes(system.stripe_bytes));
    text += system.shared_between_hosts ? ", shared between hosts" : ", of this host alone";
    findings.push_back({"folder", text, "", false, true});
  } catch (const Error& error) {
    findings.push_back({"folder", error.what(), "name a folder that is there on all hosts", true, true});
    return;
  }
  const TrialFile trial(folder, formatted(".weir-doctor.{}.{}", ::getpid(), rank));
  if (!trial.problem().empty()) {
    findings.push_back({"folder", formatted("no file can be made there: {}", trial.problem()),
                        "name a folder in which the job may write", true, true});
    return;
  }
  const auto obstacle = PastCache::obstacle(trial.path());
  findings.push_back({"folder",
                      formatted("{}; {}", locks(trial.descriptor()),
                                obstacle ? formatted("no writing past the page cache ({})", *obstacle)
                                         : "can be written past the page cache"),
                      "", false, true});
}

bool holds(const std::string& path, const std::string& words) {
  std::string read;
  std::ifstream file(path);
  std::getline(file, read);
  return read == words;
}

// Whether a file that rank 0 makes is there for this rank, with its content. Silent if rank 0 can make none.
void check_seen(const Comm& all, const std::string& folder, Findings& findings) {
  constexpr auto patience = std::chrono::seconds(5);
  constexpr auto pause = std::chrono::milliseconds(50);
  std::optional<TrialFile> trial;
  int process = 0;
  const auto words = [&] { return formatted("written by rank 0 of {}", process); };
  if (all.rank() == 0) {
    trial.emplace(folder, formatted(".weir-doctor.{}", ::getpid()));
    if (trial->descriptor() >= 0) {
      process = ::getpid();
      std::ofstream(trial->path()) << words() << '\n';
    }
  }
  MPI_Bcast(&process, 1, MPI_INT, 0, all.raw());
  if (process == 0) return;
  const std::string path = formatted("{}/.weir-doctor.{}", folder, process);
  const auto until = std::chrono::steady_clock::now() + patience;
  bool seen = holds(path, words());
  while (!seen && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(pause);
    seen = holds(path, words());
  }
  findings.push_back({"folder", seen ? "ranks see one another's files" : "ranks do not see a file that rank 0 has made",
                      seen ? "" : "name a folder that all hosts share: Weir's ranks write one file together", !seen});
  MPI_Barrier(all.raw());
}

}  // namespace

void check_folder(const Place& place, const std::string& folder, Findings& findings) {
  if (place.host.rank() == 0) check_storage(folder, place.all.rank(), findings);
  if (place.mpi) check_seen(place.all, folder, findings);
}

}  // namespace weir::doctor
