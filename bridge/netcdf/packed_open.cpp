// SPDX-License-Identifier: Apache-2.0
// Creates and opens netCDF-4 files that Weir makes, and maps the program's numbers to them.
#include <cerrno>
#include <filesystem>
#include <set>
#include <vector>

#include "base/text.hpp"
#include "core/missing_ranks.hpp"
#include "core/named_file.hpp"
#include "core/numbered_files.hpp"
#include "core/packed_start.hpp"
#include "core/process.hpp"
#include "netcdf/definition_shadow.hpp"
#include "netcdf/front.hpp"
#include "netcdf/packed_file.hpp"

namespace weir::bridge {

namespace {

std::set<int>& open_numbers() {
  static auto* const numbers = new std::set<int>;
  return *numbers;
}

// MPI ends: what was put is in the files. In the order of their creation, which is that of netCDF's numbers.
void end_packed_files() {
  numbered<PackedFile>().end_all([](PackedFile& file) { static_cast<void>(file.close()); });
}

// It is left to netCDF, which is counted.
void leave(RankGroup& group, const intercepted::Opening& opening, const std::string& why,
           Reason reason = Reason::format) {
  if (!why.empty()) group.note(formatted("{}: handled by netCDF: {}", opening.path, why));
  Counts counts;
  counts.path = opening.path;
  counts.pass(reason);
  if (group.comm().rank() == 0) group.process().done(counts);
}

// Whether Weir makes the file, or opens it; counted where it is left to netCDF. Collective.
bool takes(RankGroup& group, const intercepted::Opening& opening) {
  const Reason known = why_no_netcdf4().empty() ? Reason::none : Reason::library;
  const Reason reason = group.decide(opening.path, known, 0).reason;
  if (reason == Reason::none) return true;
  if (reason == Reason::library) tell_why_no_netcdf4(group, "netCDF");
  leave(group, opening, reason == Reason::library ? why_no_netcdf4() : "", reason);
  return false;
}

PackedFile::Opened opened_as(const intercepted::Opening& opening, int ncid, int mode) {
  return {ncid,           opening.path,          mode, opening.origin == Origin::plain || opening.rule_collective,
          opening.origin, KeptInfo(opening.info)};
}

int enter(std::unique_ptr<PackedFile> file, int* ncid) {
  const int id = file->opened().ncid;
  numbered<PackedFile>().add(id, std::move(file));
  if (ncid != nullptr) *ncid = id;
  return NC_NOERR;
}

// A file that is there, as its definition shadow on this rank.
struct Existing {
  int ncid = -1, mode = 0;
  PackedOptions options;
  std::string problem;
};

Existing look_at(const intercepted::Opening& opening) {
  Existing existing;
  int file = -1, format = 0;
  if (const int code = WEIR_NETCDF(nc_open)(opening.path.c_str(), NC_NOWRITE, &file); code != NC_NOERR) {
    existing.problem = WEIR_NETCDF(nc_strerror)(code);
    return existing;
  }
  try {
    static_cast<void>(WEIR_NETCDF(nc_inq_format_extended)(file, &format, &existing.mode));
    CopiedShadow copied = copy_shadow(opening.path, file);
    existing.ncid = copied.ncid;
    existing.options = std::move(copied.options);
    int model = 0;
    static_cast<void>(WEIR_NETCDF(nc_inq_format)(file, &model));
    existing.mode |= opening.mode | (model == NC_FORMAT_NETCDF4_CLASSIC ? NC_CLASSIC_MODEL : 0);
  } catch (const std::exception& error) {
    existing.problem = error.what();
  }
  static_cast<void>(WEIR_NETCDF(nc_close)(file));
  return existing;
}

bool is_well_everywhere(bool here, const RankGroup& group) {
  std::int64_t ill = here ? 0 : 1;
  allreduce_max(group.comm(), std::span(&ill, 1), group.deadline(), "opening of a file");
  return ill == 0;
}

// Whether some of these ranks have the file open by another number, which the first of them says. Two numbers would
// each write what they know of it. Collective.
bool is_open_already(RankGroup& group, const intercepted::Opening& opening) {
  const std::string path = absolute_path(opening.path);
  const bool here =
      numbered<PackedFile>().has([&](const PackedFile& file) { return !file.is_handed_over() && file.path() == path; });
  if (is_well_everywhere(!here, group)) return false;
  const std::vector<int> ranks = ranks_where(here, group.comm(), group.deadline(), "opening of a file");
  if (here && group.comm().number() == ranks.front())
    group.process().say(
        formatted("{}: already open for writing on rank(s) {}; close it there before it is opened again", opening.path,
                  named_ranks(ranks)));
  return true;
}

std::optional<int> create(const std::shared_ptr<RankGroup>& group, const intercepted::Opening& opening, int* ncid) {
  if (!takes(*group, opening)) return std::nullopt;
  group->created(opening.path);
  if (const int code = code_of_creation(opening.path, (opening.mode & NC_NOCLOBBER) != 0, *group); code != NC_NOERR)
    return code;
  int id = -1;
  if (const int code = make_shadow(opening.path, (opening.mode & NC_CLASSIC_MODEL) != 0, &id); code != NC_NOERR)
    return code;
  auto file = std::make_unique<PackedFile>(group, opened_as(opening, id, opening.mode));
  file->shadow().options().scales_unattached = (opening.mode & NC_NODIMSCALE_ATTACH) != 0;
  return enter(std::move(file), ncid);
}

std::optional<int> open(const std::shared_ptr<RankGroup>& group, const intercepted::Opening& opening, int* ncid) {
  if (!takes(*group, opening)) return std::nullopt;
  group->go_back(opening.path);
  Existing existing = look_at(opening);
  if (!is_well_everywhere(existing.problem.empty(), *group)) {
    leave(*group, opening, existing.problem);
    if (existing.ncid >= 0) static_cast<void>(WEIR_NETCDF(nc_close)(existing.ncid));
    return std::nullopt;
  }
  auto file = std::make_unique<PackedFile>(group, opened_as(opening, existing.ncid, existing.mode));
  file->shadow().options() = std::move(existing.options);
  if (const Status status = file->go_on(); !status.ok()) {
    raise_if_diverged(status);
    leave(*group, opening, status.message);
    file.reset();
    static_cast<void>(WEIR_NETCDF(nc_close)(existing.ncid));
    return std::nullopt;
  }
  return enter(std::move(file), ncid);
}

// The ranks that open the file begin on it, where they can; else it is left to netCDF, which has been said. Collective.
using Begin = std::optional<int> (*)(const std::shared_ptr<RankGroup>& group, const intercepted::Opening& opening,
                                     int* ncid);
std::optional<int> begun(Begin begin, const intercepted::Opening& opening, int* ncid) {
  const std::shared_ptr<RankGroup> group = intercepted::group_of(opening);
  std::optional<int> answer;
  const int code = Border(*group).call([&] {
    if (is_open_already(*group, opening)) return EACCES;
    answer = begin(group, opening, ncid);
    return NC_NOERR;
  });
  return code != NC_NOERR ? code : answer;
}

}  // namespace

std::shared_ptr<RankGroup> intercepted::group_of(const Opening& opening) {
  Process& process = Process::start(bridge_name, Makes::both);
  static const bool once = (process.at_finalize(end_packed_files), true);  // before the groups end
  static_cast<void>(once);
  const std::shared_ptr<RankGroup> group = RankGroup::of(process, opening.comm);
  require(group != nullptr, WEIR_ESTATE, "{}: timed out: not all ranks opened the first file; end the program",
          opening.path);
  return group;
}

PackedFile* packed(int ncid) noexcept {
  PackedFile* const file = numbered<PackedFile>().find(ncid);
  return file == nullptr || file->is_handed_over() ? nullptr : file;
}

std::unique_ptr<PackedFile> take_packed(int ncid) {
  return numbered<PackedFile>().take(ncid);
}

int open_for_each(const char* path, int mode, int code, int* ncid) {
  if (code != NC_ENOPAR) return code;
  int id = -1;
  const int opened = WEIR_NETCDF(nc_open)(path, NC_NOWRITE, &id);
  if (opened != NC_NOERR) return opened;  // whatever it is opened for
  if ((mode & NC_WRITE) != 0) {
    static_cast<void>(WEIR_NETCDF(nc_close)(id));
    return code;
  }
  open_numbers().insert(id);
  if (ncid != nullptr) *ncid = id;
  return NC_NOERR;
}

bool is_open_for_each(int ncid) noexcept {
  return open_numbers().contains(ncid);
}

void close_for_each(int ncid) noexcept {
  open_numbers().erase(ncid);
}

std::optional<int> create_packed(const intercepted::Opening& opening, int* ncid) {
  return begun(create, opening, ncid);
}

std::optional<int> open_packed(const intercepted::Opening& opening, int* ncid) {
  return begun(open, opening, ncid);
}

}  // namespace weir::bridge
