// SPDX-License-Identifier: Apache-2.0
// netCDF-4 files that Weir makes: how they begin, and by which numbers the program knows them.
#include <filesystem>
#include <set>

#include "core/numbered_files.hpp"
#include "core/packed_start.hpp"
#include "core/process.hpp"
#include "netcdf/front.hpp"
#include "netcdf/packed_file.hpp"
#include "netcdf/stand_in.hpp"

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
void leave(RankGroup& group, const taken::Opening& opening, const std::string& why, Reason reason = Reason::format) {
  if (!why.empty()) group.process().note(opening.path + ": left to netCDF: " + why);
  Counts counts;
  counts.path = opening.path;
  counts.pass(reason);
  if (group.comm().rank() == 0) group.process().done(counts);
}

// Whether Weir makes the file, or opens it; counted where it is left to netCDF. Collective.
bool takes(RankGroup& group, const taken::Opening& opening) {
  const Reason known = why_no_netcdf4().empty() ? Reason::none : Reason::library;
  const Reason reason = group.decide(opening.path, known, 0).reason;
  if (reason == Reason::none) return true;
  if (reason == Reason::library) tell_why_no_netcdf4(group, "netCDF");
  leave(group, opening, reason == Reason::library ? why_no_netcdf4() : "", reason);
  return false;
}

PackedFile::Opened opened_as(const taken::Opening& opening, int ncid, int mode) {
  return {ncid, opening.path, mode, opening.origin == Origin::plain || opening.rule_collective};
}

int enter(std::unique_ptr<PackedFile> file, int* ncid) {
  const int id = file->opened().ncid;
  numbered<PackedFile>().add(id, std::move(file));
  if (ncid != nullptr) *ncid = id;
  return NC_NOERR;
}

// A file that is there, as its stand-in on this rank.
struct Existing {
  int ncid = -1, mode = 0;
  PackedWishes wishes;
  std::string trouble;
};

Existing look_at(const taken::Opening& opening) {
  Existing existing;
  int file = -1, format = 0;
  if (const int code = WEIR_NETCDF(nc_open)(opening.path.c_str(), NC_NOWRITE, &file); code != NC_NOERR) {
    existing.trouble = WEIR_NETCDF(nc_strerror)(code);
    return existing;
  }
  try {
    static_cast<void>(WEIR_NETCDF(nc_inq_format_extended)(file, &format, &existing.mode));
    CopiedStandIn copied = copy_stand_in(opening.path, file);
    existing.ncid = copied.ncid;
    existing.wishes = std::move(copied.wishes);
    int model = 0;
    static_cast<void>(WEIR_NETCDF(nc_inq_format)(file, &model));
    existing.mode |= opening.mode | (model == NC_FORMAT_NETCDF4_CLASSIC ? NC_CLASSIC_MODEL : 0);
  } catch (const std::exception& error) {
    existing.trouble = error.what();
  }
  static_cast<void>(WEIR_NETCDF(nc_close)(file));
  return existing;
}

bool is_well_everywhere(bool here, const RankGroup& group) {
  std::int64_t ill = here ? 0 : 1;
  allreduce_max(group.comm(), std::span(&ill, 1), group.deadline(), "opening of a file");
  return ill == 0;
}

std::optional<int> create(const std::shared_ptr<RankGroup>& group, const taken::Opening& opening, int* ncid) {
  if (!takes(*group, opening)) return std::nullopt;
  if (const int code = code_of_creation(opening.path, (opening.mode & NC_NOCLOBBER) != 0, *group); code != NC_NOERR)
    return code;
  int id = -1;
  if (const int code = make_stand_in(opening.path, (opening.mode & NC_CLASSIC_MODEL) != 0, &id); code != NC_NOERR)
    return code;
  return enter(std::make_unique<PackedFile>(group, opened_as(opening, id, opening.mode)), ncid);
}

std::optional<int> open(const std::shared_ptr<RankGroup>& group, const taken::Opening& opening, int* ncid) {
  if (!takes(*group, opening)) return std::nullopt;
  Existing existing = look_at(opening);
  if (!is_well_everywhere(existing.trouble.empty(), *group)) {
    leave(*group, opening, existing.trouble);
    if (existing.ncid >= 0) static_cast<void>(WEIR_NETCDF(nc_close)(existing.ncid));
    return std::nullopt;
  }
  auto file = std::make_unique<PackedFile>(group, opened_as(opening, existing.ncid, existing.mode));
  file->stand_in().wishes() = std::move(existing.wishes);
  if (const Status status = file->go_on(); !status.ok()) {
    raise_if_parted(status);
    leave(*group, opening, status.message);
    file.reset();
    static_cast<void>(WEIR_NETCDF(nc_close)(existing.ncid));
    return std::nullopt;
  }
  return enter(std::move(file), ncid);
}

// The ranks that open the file begin on it, where they can; else it is left to netCDF, which has been said. Collective.
using Begin = std::optional<int> (*)(const std::shared_ptr<RankGroup>& group, const taken::Opening& opening, int* ncid);
std::optional<int> begun(Begin begin, const taken::Opening& opening, int* ncid) {
  std::shared_ptr<RankGroup> group;
  try {
    group = taken::group_of(opening);
  } catch (const std::exception& error) {
    Process::start(bridge_name, Makes::both)
        .say(std::string(error.what()) + "; " + opening.path + " is left to netCDF");
  }
  if (group == nullptr) return std::nullopt;
  std::optional<int> answer;
  const int code = Border(*group).call([&] {
    answer = begin(group, opening, ncid);
    return NC_NOERR;
  });
  return code != NC_NOERR ? code : answer;
}

}  // namespace

std::shared_ptr<RankGroup> taken::group_of(const Opening& opening) {
  Process& process = Process::start(bridge_name, Makes::both);
  static const bool once = (process.at_finalize(end_packed_files), true);  // before the groups end
  static_cast<void>(once);
  return RankGroup::of(process, opening.comm);
}

PackedFile* packed(int ncid) noexcept {
  return numbered<PackedFile>().find(ncid);
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

std::optional<int> create_packed(const taken::Opening& opening, int* ncid) {
  return begun(create, opening, ncid);
}

std::optional<int> open_packed(const taken::Opening& opening, int* ncid) {
  return begun(open, opening, ncid);
}

}  // namespace weir::bridge
