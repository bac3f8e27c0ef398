// SPDX-License-Identifier: Apache-2.0
#include "instance/report_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "storage/filesystem.hpp"

namespace weir {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* list_member = "instances";
constexpr const char* more_member = "more_instances";
constexpr const char* bridge_member = "bridge";
constexpr std::size_t most_bytes_told = std::size_t{64} << 20;
constexpr double longest_wait_seconds = 60;

// An empty object, where the text is no object in JSON.
Json object_in(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_object() ? json : Json::object();
}

Json taken_out(Json& json, const char* member) {
  const auto found = json.find(member);
  if (found == json.end()) return {};
  Json taken = std::move(*found);
  json.erase(found);
  return taken;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(WEIR_EIO,
              "the report cannot be written to {}{}; give a path in a folder that exists and has room, or leave out "
              "the key report",
              path, why.empty() ? "" : ": " + why);
}

[[noreturn]] void refuse(const std::string& path) {
  refuse(path, errno != 0 ? std::strerror(errno) : "");
}

// Seconds since this process began; 0 where the system does not say.
double process_age() {
  constexpr int fields_before_start = 19;  // of those behind the program's name
  std::ifstream file("/proc/self/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string other;
  for (int i = 0; i < fields_before_start; ++i) fields >> other;
  double ticks = 0;
  timespec now{};
  if (!(fields >> ticks) || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
  const double since_boot = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  return since_boot - ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Whether another process has put another file in its place since it was opened.
bool is_replaced(const Descriptor& file) {
  struct stat opened {};
  struct stat named {};
  if (::fstat(file.number(), &opened) != 0 || ::stat(file.path().c_str(), &named) != 0) return true;
  return opened.st_ino != named.st_ino || opened.st_dev != named.st_dev;
}

// The file as no other process has it; an empty one where there was none.
Descriptor hold(const std::string& path) {
  const Deadline deadline(longest_wait_seconds);
  Backoff backoff;
  for (;;) {
    errno = 0;
    Descriptor file(uninterrupted([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666); }), path);
    if (file.number() < 0) refuse(path);
    const int locked = uninterrupted([&] { return ::flock(file.number(), LOCK_EX | LOCK_NB); });
    const bool has_locks = locked == 0 || errno == EWOULDBLOCK;
    if (!has_locks || (locked == 0 && !is_replaced(file))) return file;
    if (deadline.passed()) refuse(path, "another process keeps it locked");
    backoff.pause();
  }
}

std::string text_of(const Descriptor& file) {
  std::string text(static_cast<std::size_t>(file.bytes()), ' ');
  file.read(reinterpret_cast<std::byte*>(text.data()), std::ssize(text), 0);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

// The file's text, if a process wrote it after this one had begun; `now`: a file that is written now, since the
// clock of the storage may be another one. The job's processes begin before any of them has left MPI_Init.
std::string text_of_this_job(const Descriptor& file, const Descriptor& now) {
  constexpr double accuracy_seconds = 0.01;  // of the process's beginning
  struct stat written {};
  struct stat present {};
  if (::fstat(file.number(), &written) != 0 || ::fstat(now.number(), &present) != 0) refuse(file.path());
  const double age = seconds(present.st_mtim) - seconds(written.st_mtim);
  return age <= process_age() - accuracy_seconds ? text_of(file) : "";
}

// `report`: as the user calls it.
void write_whole(const std::string& path, const std::string& text, const std::string& report) {
  errno = 0;
  std::ofstream file(path);
  file << text << std::flush;
  if (!file.good()) refuse(report);
}

}  // namespace

std::string with_instance(const std::string& file, const std::string& report) {
  Json whole = object_in(file);
  if (whole.contains(more_member)) return file;
  Json told = taken_out(whole, bridge_member);
  if (whole.empty() && told.is_null()) return report;
  if (whole.empty()) {
    whole = Json::parse(report);
  } else {
    if (!whole.contains(list_member)) {
      Json first = std::exchange(whole, Json::object());
      whole[list_member].push_back(std::move(first));
    }
    const bool is_full =
        whole[list_member].size() == most_instances_told || file.size() + report.size() > most_bytes_told;
    if (is_full)
      whole[more_member] = true;
    else
      whole[list_member].push_back(Json::parse(report));
  }
  if (!told.is_null()) whole[bridge_member] = std::move(told);
  return whole.dump(2);
}

std::string with_bridge(const std::string& file, const std::string& told) {
  Json whole = object_in(file);
  if (whole.contains(more_member)) return file;
  Json& all = whole[bridge_member];
  const Json more = Json::parse(told);
  for (const auto& [list, entries] : more.items()) {
    Json& grows = all[list];
    if (grows.is_null()) grows = Json::array();
    for (const auto& entry : entries)
      if (!entry.is_string() || std::find(grows.begin(), grows.end(), entry) == grows.end()) grows.push_back(entry);
  }
  return whole.dump(2);
}

void add_to_report(const std::string& path, const std::function<std::string(const std::string&)>& add) {
  if (target_problem(path)) return write_whole(path, add("") + "\n", path);
  std::error_code none;
  const std::filesystem::path behind_links = std::filesystem::canonical(path, none);
  const std::string place = none ? path : behind_links.string(), new_place = place + ".new";
  const Descriptor held = hold(place);
  try {
    errno = 0;
    const Descriptor now(
        uninterrupted([&] { return ::open(new_place.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); }),
        new_place);
    if (now.number() < 0) refuse(path);
    write_whole(new_place, add(text_of_this_job(held, now)) + "\n", path);
    if (::rename(new_place.c_str(), place.c_str()) != 0) refuse(path);
  } catch (...) {
    ::unlink(new_place.c_str());
    if (held.bytes() == 0) ::unlink(place.c_str());
    throw;
  }
}

}  // namespace weir
