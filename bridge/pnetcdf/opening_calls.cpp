// SPDX-License-Identifier: Apache-2.0
// Calls that create and open files: the underlying library does so and the bridge records the file, or Weir makes the
// file.
//
//: create|open | the library's; the bridge takes note
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "pnetcdf/files.hpp"
#include "pnetcdf/original_calls.hpp"
#include "pnetcdf/read_files.hpp"

namespace weir::bridge {

namespace {

// MPI-IO's prefix of a file system ("ufs:/data/x.nc") is no part of the name.
const char* plain_path(const char* path) {
  const char* colon = std::strchr(path, ':');
  const char* slash = std::strchr(path, '/');
  const bool prefix = colon != nullptr && colon > path + 1 && (slash == nullptr || colon < slash);
  return prefix ? colon + 1 : path;
}

// The program's hints, and over them the user's, where all ranks have the same: MPI-IO waits for ranks that have none.
class Hints {
 public:
  Hints(MPI_Info given, const Config* config) {
    if (given != MPI_INFO_NULL) MPI_Info_dup(given, &info_);
    if (config == nullptr || config->hints.empty()) return;
    if (info_ == MPI_INFO_NULL) MPI_Info_create(&info_);
    for (const auto& [hint, value] : config->hints) MPI_Info_set(info_, hint.c_str(), value.c_str());
  }
  ~Hints() {
    if (info_ != MPI_INFO_NULL) MPI_Info_free(&info_);
  }
  Hints(const Hints&) = delete;
  Hints& operator=(const Hints&) = delete;

  MPI_Info info() const noexcept { return info_; }
  std::map<std::string, std::string> all() const {
    std::map<std::string, std::string> hints;
    int count = 0;
    if (info_ != MPI_INFO_NULL) MPI_Info_get_nkeys(info_, &count);
    for (int i = 0; i < count; ++i) {
      char key[MPI_MAX_INFO_KEY + 1] = "", value[MPI_MAX_INFO_VAL + 1] = "";
      int found = 0;
      MPI_Info_get_nthkey(info_, i, key);
      MPI_Info_get(info_, key, MPI_MAX_INFO_VAL, value, &found);
      if (found != 0) hints[key] = value;
    }
    return hints;
  }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

bool hint_is(MPI_Info info, const char* hint, const char* value) {
  char found_value[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  MPI_Info_get(info, hint, MPI_MAX_INFO_VAL, found_value, &found);
  return found != 0 && std::strcmp(found_value, value) == 0;
}

// As weir_create takes it, of a classic file.
int mode_of(int ncid) {
  int format = NC_FORMAT_CLASSIC;
  static_cast<void>(WEIR_ORIGINAL(ncmpi_inq_format)(ncid, &format));
  return format == NC_FORMAT_CDF5 ? WEIR_CDF5 : format == NC_FORMAT_CDF2 ? WEIR_CDF2 : WEIR_CDF1;
}

// Why a file is the library's whatever the configuration says. Alike on all ranks.
Reason obstacle(int ncid) {
  int format = 0;
  if (WEIR_ORIGINAL(ncmpi_inq_format)(ncid, &format) != NC_NOERR) return Reason::format;
  if (format != NC_FORMAT_CLASSIC && format != NC_FORMAT_CDF2 && format != NC_FORMAT_CDF5) return Reason::format;
  MPI_Info used = MPI_INFO_NULL;
  if (WEIR_ORIGINAL(ncmpi_inq_file_info)(ncid, &used) != NC_NOERR || used == MPI_INFO_NULL) return Reason::none;
  char subfiles[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  MPI_Info_get(used, "nc_num_subfiles", MPI_MAX_INFO_VAL, subfiles, &found);
  const bool other_way = hint_is(used, "nc_burst_buf", "enable") || (found != 0 && std::atoi(subfiles) > 1);
  MPI_Info_free(&used);
  return other_way ? Reason::driver : Reason::none;
}

struct Opened {
  std::string path;
  int code;
  int number;
  int mode;  // as the program gave it
};

bool is_open(int ncid) {
  int format = 0;
  return WEIR_ORIGINAL(ncmpi_inq_format)(ncid, &format) == NC_NOERR;
}

// Whether each put goes to storage: by NC_SHARE, which has no effect from PnetCDF 1.13 on.
bool stores_puts(int mode) {
  static const bool is_heeded = !is_newer(version_of_original("ncmpi_inq_libvers"), "1.12");
  return is_heeded && (mode & NC_SHARE) != 0;
}

// The bridge's side of a file that the library was asked for. It may have found fault with the call on this rank alone
// and opened the file all the same. The working directory may change before Weir opens it.
std::unique_ptr<BridgedFile> side_of(std::shared_ptr<RankGroup> group, const Opened& opened, const Hints& hints,
                                     std::string shadow = {}) {
  if (opened.code != NC_NOERR && !is_open(opened.number)) return nullptr;
  const Reason known = opened.code == NC_NOERR ? obstacle(opened.number) : Reason::unusual;
  FileName name{opened.path, absolute_path(opened.path), hints.all(),
                WEIR_NOFILL, std::move(shadow),          mode_of(opened.number)};
  return std::make_unique<BridgedFile>(
      std::move(group), BridgedFile::Opened{opened.number, std::move(name), known, stores_puts(opened.mode)});
}

// Collective; nullptr, and said, where there can be none: then on all ranks, in the end.
std::shared_ptr<RankGroup> group_of(Process& process, MPI_Comm comm) try {
  return RankGroup::of(process, comm);
} catch (const std::exception& error) {
  process.say(formatted("{}; the underlying library handles the files of these ranks", error.what()));
  return nullptr;
}

// `adopt` makes Weir know a file that the library has opened. Where it cannot, and ranks have not parted over that, the
// file is the library's alone.
template <class Adopt>
void adopt_if_possible(RankGroup& group, const std::string& path, const Adopt& adopt) try {
  adopt();
} catch (const std::exception&) {
  const Status problem = caught();
  raise_if_diverged(problem);
  group.process().say(formatted("{}; {} falls back to the underlying library", problem.message, path));
}

// Whose it is, is decided when its definitions end, where all ranks agree. Collective.
void adopt_created(const std::shared_ptr<RankGroup>& group, const Opened& opened, const Hints& hints,
                   std::string shadow = {}) {
  adopt_if_possible(*group, opened.path, [&] {
    if (auto file = side_of(group, opened, hints, std::move(shadow))) add_file(opened.number, std::move(file));
  });
}

// Where the library refused on some ranks, or they open to read, the others learn it here. Collective.
void adopt_opened(const std::shared_ptr<RankGroup>& group, const Opened& opened, const Hints& hints) {
  adopt_if_possible(*group, opened.path, [&] {
    const bool writes = (opened.mode & NC_WRITE) != 0;
    auto file = writes ? side_of(group, opened, hints) : nullptr;
    if (file == nullptr) {
      const bool reads = !writes && opened.code == NC_NOERR && obstacle(opened.number) == Reason::none;
      const Reason reason = group->decide(opened.path, reads ? Reason::read_only : Reason::unusual, 0).reason;
      if (reason == Reason::read_only)
        numbered<ReadFile>().add(
            opened.number, std::make_unique<ReadFile>(group, opened.number, opened.path, absolute_path(opened.path)));
      return;
    }
    file->begin();
    add_file(opened.number, std::move(file));
  });
}

// "ufs:/data/.x.nc.definitions.weir" of "ufs:/data/x.nc".
std::string shadow_of(const std::string& path) {
  const std::size_t slash = path.rfind('/'), colon = path.size() - std::strlen(plain_path(path.c_str()));
  const std::size_t name = slash == std::string::npos ? colon : slash + 1;
  return path.substr(0, name) + "." + path.substr(name) + ".definitions.weir";
}

// Collective.
bool exists(const RankGroup& group, const char* path) {
  std::int64_t there = group.comm().rank() == 0 && ::access(path, F_OK) == 0 ? 1 : 0;
  broadcast(group.comm(), std::span(&there, 1), 0, group.deadline(), formatted("creation of {}", path));
  return there != 0;
}

struct Creation {
  MPI_Comm comm;
  const char* path;
  int mode;
};

// Creates the definition shadow of a file that Weir makes later. nullopt if PnetCDF handles such a file itself.
// Collective.
std::optional<int> make(const std::shared_ptr<RankGroup>& group, const Creation& creation, const Hints& hints,
                        int* ncidp) {
  if ((creation.mode & NC_NOCLOBBER) != 0 && exists(*group, plain_path(creation.path))) return NC_EEXIST;
  const std::string shadow = shadow_of(creation.path);
  const int code =
      WEIR_ORIGINAL(ncmpi_create)(creation.comm, shadow.c_str(), creation.mode & ~NC_NOCLOBBER, hints.info(), ncidp);
  if (code != NC_NOERR && !is_open(*ncidp)) return code;
  if (obstacle(*ncidp) != Reason::none) {
    WEIR_ORIGINAL(ncmpi_abort)(*ncidp);
    return std::nullopt;
  }
  const Opened opened{plain_path(creation.path), code, *ncidp, creation.mode};
  adopt_created(group, opened, hints, absolute_path(plain_path(shadow.c_str())));
  return code;
}

bool is_bridgeable(MPI_Comm comm) {
  int between_groups = 0;
  return comm != MPI_COMM_NULL && MPI_Comm_test_inter(comm, &between_groups) == MPI_SUCCESS && between_groups == 0;
}

// Makes or opens a file of these ranks as `with` does, which takes the bridge's part in it, or else as `original`.
template <class With>
int opened_by(MPI_Comm comm, const With& with, LibraryCall original) {
  Process* const here = process();
  std::shared_ptr<RankGroup> group;
  const int problem = here == nullptr ? NC_NOERR : at_border(bridge_name, [&] {
    group = group_of(*here, comm);
    return NC_NOERR;
  });
  if (problem != NC_NOERR || group == nullptr) return problem != NC_NOERR ? problem : original();
  return Border(*group).call([&] { return with(group); });
}

}  // namespace

WEIR_BRIDGED ncmpi_create(MPI_Comm comm, const char* path, int cmode, MPI_Info info, int* ncidp) {
  const auto original = [&](MPI_Info hints) { return WEIR_ORIGINAL(ncmpi_create)(comm, path, cmode, hints, ncidp); };
  if (path == nullptr || !is_bridgeable(comm) || called_by_weir(__builtin_return_address(0))) return original(info);
  const auto with = [&](const std::shared_ptr<RankGroup>& group) {
    const Hints hints(info, group->config_for(plain_path(path)));
    group->created(plain_path(path));
    if ((cmode & NC_NETCDF4) == 0 && group->makes(plain_path(path)))
      if (const auto code = make(group, {comm, path, cmode}, hints, ncidp)) return *code;
    const int code = original(hints.info());
    adopt_created(group, {plain_path(path), code, *ncidp, cmode}, hints);
    return code;
  };
  return opened_by(comm, with, [&] { return original(info); });
}

WEIR_BRIDGED ncmpi_open(MPI_Comm comm, const char* path, int omode, MPI_Info info, int* ncidp) {
  const auto original = [&](MPI_Info hints) { return WEIR_ORIGINAL(ncmpi_open)(comm, path, omode, hints, ncidp); };
  if (path == nullptr || !is_bridgeable(comm) || called_by_weir(__builtin_return_address(0))) return original(info);
  const auto with = [&](const std::shared_ptr<RankGroup>& group) {
    const Hints hints(info, group->config_for(plain_path(path)));
    if ((omode & NC_WRITE) != 0) group->go_back(plain_path(path));
    const int code = original(hints.info());
    adopt_opened(group, {plain_path(path), code, *ncidp, omode}, hints);
    return code;
  };
  return opened_by(comm, with, [&] { return original(info); });
}

}  // namespace weir::bridge
