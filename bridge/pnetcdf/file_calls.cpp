// SPDX-License-Identifier: Apache-2.0
// A file's life: created or opened, defined, switched between modes, synced and closed. The library behind does all of
// it; the bridge takes note, and sees to it that the library finds what was put before.
//
//: create|open|enddef|_enddef | the library's; the bridge takes note
//: redef|(begin|end)_indep_data|sync|flush|sync_numrecs|close|abort | the library's, after a landing
//: fill_var_rec | the library's, after a landing, and counted
//: inq_dim|inq_dimlen|inq_put_size | the library's answer, and what Weir carries
//: inq_path | the library's, and the program's name of a file that Weir makes
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "pnetcdf/files.hpp"
#include "pnetcdf/original_calls.hpp"
#include "pnetcdf/read_files.hpp"

namespace weir::bridge {

namespace {

using Mode = BridgedFile::Mode;
using Then = BridgedFile::Then;

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

// The bridge's side of a file that the library was asked for. It may have found fault with the call on this rank alone
// and opened the file all the same. The working directory may change before Weir opens it.
std::unique_ptr<BridgedFile> side_of(std::shared_ptr<RankGroup> group, const Opened& opened, const Hints& hints,
                                     std::string stand_in = {}) {
  if (opened.code != NC_NOERR && !is_open(opened.number)) return nullptr;
  const Reason known = opened.code == NC_NOERR ? obstacle(opened.number) : Reason::unusual;
  FileName name{opened.path, std::filesystem::absolute(opened.path).string(), hints.all(), WEIR_NOFILL,
                std::move(stand_in)};
  return std::make_unique<BridgedFile>(
      std::move(group), BridgedFile::Opened{opened.number, std::move(name), known, (opened.mode & NC_SHARE) != 0});
}

// Collective; nullptr, and said, where there can be none.
std::shared_ptr<RankGroup> group_of(Process& process, MPI_Comm comm, const char* path) {
  try {
    return RankGroup::of(process, comm);
  } catch (const std::exception& error) {
    process.say(std::string(error.what()) + "; " + plain_path(path) + " is left to the library behind");
    return nullptr;
  }
}

// Whose it is, is decided when its definitions end, where all ranks meet. Collective.
void adopt_created(const std::shared_ptr<RankGroup>& group, const Opened& opened, const Hints& hints,
                   std::string stand_in = {}) {
  try {
    if (auto file = side_of(group, opened, hints, std::move(stand_in))) add_file(opened.number, std::move(file));
  } catch (const std::exception& error) {
    group->process().say(std::string(error.what()) + "; " + opened.path + " is left to the library behind");
  }
}

// Where the library refused on some ranks, or they open to read, the others learn it here. Collective.
void adopt_opened(const std::shared_ptr<RankGroup>& group, const Opened& opened, const Hints& hints) {
  try {
    const bool writes = (opened.mode & NC_WRITE) != 0;
    auto file = writes ? side_of(group, opened, hints) : nullptr;
    if (file == nullptr) {
      const bool reads = !writes && opened.code == NC_NOERR && obstacle(opened.number) == Reason::none;
      const Reason reason = group->decide(opened.path, reads ? Reason::read_only : Reason::unusual, 0).reason;
      if (reason == Reason::read_only)
        numbered<ReadFile>().add(opened.number,
                                 std::make_unique<ReadFile>(group, opened.number, opened.path,
                                                            std::filesystem::absolute(opened.path).string()));
      return;
    }
    file->begin();
    add_file(opened.number, std::move(file));
  } catch (const std::exception& error) {
    group->process().say(std::string(error.what()) + "; " + opened.path + " is left to the library behind");
  }
}

// Weir makes it, since the configuration asks for a format that the library has not. Local; alike on all ranks.
bool is_to_make(RankGroup& group, const char* path, int mode) {
  const Config* const config = group.config_for(plain_path(path));
  return config != nullptr && config->format != FormatKind::automatic && (mode & NC_NETCDF4) == 0 &&
         group.reason_for(plain_path(path)) == Reason::none;
}

// "ufs:/data/.x.nc.definitions.weir" of "ufs:/data/x.nc".
std::string stand_in_of(const std::string& path) {
  const std::size_t slash = path.rfind('/'), colon = path.size() - std::strlen(plain_path(path.c_str()));
  const std::size_t name = slash == std::string::npos ? colon : slash + 1;
  return path.substr(0, name) + "." + path.substr(name) + ".definitions.weir";
}

// Collective.
bool exists(const RankGroup& group, const char* path) {
  int there = group.comm().rank() == 0 && ::access(path, F_OK) == 0 ? 1 : 0;
  MPI_Bcast(&there, 1, MPI_INT, 0, group.comm().raw());
  return there != 0;
}

struct Creation {
  MPI_Comm comm;
  const char* path;
  int mode;
};

// The stand-in of a file that Weir makes later. nullopt where the library has a way of its own with such a file.
// Collective.
std::optional<int> make(const std::shared_ptr<RankGroup>& group, const Creation& creation, const Hints& hints,
                        int* ncidp) {
  if ((creation.mode & NC_NOCLOBBER) != 0 && exists(*group, plain_path(creation.path))) return NC_EEXIST;
  const std::string stand_in = stand_in_of(creation.path);
  const int code =
      WEIR_ORIGINAL(ncmpi_create)(creation.comm, stand_in.c_str(), creation.mode & ~NC_NOCLOBBER, hints.info(), ncidp);
  if (code != NC_NOERR && !is_open(*ncidp)) return code;
  if (obstacle(*ncidp) != Reason::none) {
    WEIR_ORIGINAL(ncmpi_abort)(*ncidp);
    return std::nullopt;
  }
  const Opened opened{plain_path(creation.path), code, *ncidp, creation.mode};
  adopt_created(group, opened, hints, std::filesystem::absolute(plain_path(stand_in.c_str())).string());
  return code;
}

// Definitions are not needed of it: what nobody puts is filled. Collective.
int fill_made(BridgedFile& file, int var, MPI_Offset record) {
  const std::vector<Variable>& variables = file.variables();
  const bool known = var >= 0 && var < std::ssize(variables) && variables[static_cast<std::size_t>(var)].record;
  if (!file.carries() || !known || record < 0) return WEIR_ORIGINAL(ncmpi_fill_var_rec)(file.number(), var, record);
  return file.put({}, record + 1, Reason::none).code;
}

// Of a file that is read; returns the library's answer.
int switch_reading(int ncid, bool independent, int code) {
  ReadFile* const file = code == NC_NOERR ? numbered<ReadFile>().find(ncid) : nullptr;
  if (file != nullptr) file->enter_independent(independent);
  return code;
}

bool is_bridgeable(MPI_Comm comm) {
  int between_groups = 0;
  return comm != MPI_COMM_NULL && MPI_Comm_test_inter(comm, &between_groups) == MPI_SUCCESS && between_groups == 0;
}

}  // namespace

WEIR_BRIDGED ncmpi_create(MPI_Comm comm, const char* path, int cmode, MPI_Info info, int* ncidp) {
  const auto original = WEIR_ORIGINAL(ncmpi_create);
  const bool plain = path == nullptr || !is_bridgeable(comm) || called_by_weir(__builtin_return_address(0));
  Process* const here = plain ? nullptr : process();
  if (here == nullptr) return original(comm, path, cmode, info, ncidp);
  const std::shared_ptr<RankGroup> group = group_of(*here, comm, path);
  if (group == nullptr) return original(comm, path, cmode, info, ncidp);
  const Hints hints(info, group->config_for(plain_path(path)));
  if (is_to_make(*group, path, cmode))
    if (const auto code = make(group, {comm, path, cmode}, hints, ncidp)) return *code;
  const int code = original(comm, path, cmode, hints.info(), ncidp);
  adopt_created(group, {plain_path(path), code, *ncidp, cmode}, hints);
  return code;
}

WEIR_BRIDGED ncmpi_open(MPI_Comm comm, const char* path, int omode, MPI_Info info, int* ncidp) {
  const auto original = WEIR_ORIGINAL(ncmpi_open);
  const bool plain = path == nullptr || !is_bridgeable(comm) || called_by_weir(__builtin_return_address(0));
  Process* const here = plain ? nullptr : process();
  if (here == nullptr) return original(comm, path, omode, info, ncidp);
  const std::shared_ptr<RankGroup> group = group_of(*here, comm, path);
  if (group == nullptr) return original(comm, path, omode, info, ncidp);
  const Hints hints(info, group->config_for(plain_path(path)));
  const int code = original(comm, path, omode, hints.info(), ncidp);
  adopt_opened(group, {plain_path(path), code, *ncidp, omode}, hints);
  return code;
}

WEIR_BRIDGED ncmpi_enddef(int ncid) {
  const int code = WEIR_ORIGINAL(ncmpi_enddef)(ncid);
  if (BridgedFile* file = bridged(ncid); file != nullptr && code != NC_ENOTINDEFINE) file->end_definitions(code);
  return code;
}

WEIR_BRIDGED ncmpi__enddef(int ncid, MPI_Offset h_minfree, MPI_Offset v_align, MPI_Offset v_minfree,
                           MPI_Offset r_align) {
  const int code = WEIR_ORIGINAL(ncmpi__enddef)(ncid, h_minfree, v_align, v_minfree, r_align);
  if (BridgedFile* file = bridged(ncid); file != nullptr && code != NC_ENOTINDEFINE) file->end_definitions(code);
  return code;
}

WEIR_BRIDGED ncmpi_redef(int ncid) {
  BridgedFile* const file = bridged(ncid);
  if (file == nullptr) return WEIR_ORIGINAL(ncmpi_redef)(ncid);
  if (const int trouble = file->look(Then::redefines); trouble != NC_NOERR) return trouble;
  const int code = WEIR_ORIGINAL(ncmpi_redef)(ncid);
  if (code == NC_NOERR) file->enter(Mode::define);
  return code;
}

WEIR_BRIDGED ncmpi_begin_indep_data(int ncid) {
  BridgedFile* const file = bridged(ncid);
  if (file == nullptr) return switch_reading(ncid, true, WEIR_ORIGINAL(ncmpi_begin_indep_data)(ncid));
  if (const int trouble = file->look(Then::redefines); trouble != NC_NOERR) return trouble;
  const int code = WEIR_ORIGINAL(ncmpi_begin_indep_data)(ncid);
  if (code == NC_NOERR) file->enter(Mode::independent);
  return code;
}

WEIR_BRIDGED ncmpi_end_indep_data(int ncid) {
  const int code = WEIR_ORIGINAL(ncmpi_end_indep_data)(ncid);
  BridgedFile* const file = bridged(ncid);
  if (file == nullptr) return switch_reading(ncid, false, code);
  if (code != NC_NOERR) return code;
  file->enter(Mode::collective);
  file->learn();
  return file->made() ? file->look(Then::reads) : NC_NOERR;
}

WEIR_BRIDGED ncmpi_sync(int ncid) {
  if (BridgedFile* file = bridged(ncid))
    if (const int trouble = file->look(Then::stores); trouble != NC_NOERR) return trouble;
  return WEIR_ORIGINAL(ncmpi_sync)(ncid);
}

WEIR_BRIDGED ncmpi_flush(int ncid) {
  if (BridgedFile* file = bridged(ncid))
    if (const int trouble = file->look(file->made() ? Then::stores : Then::reads); trouble != NC_NOERR) return trouble;
  return WEIR_ORIGINAL(ncmpi_flush)(ncid);
}

WEIR_BRIDGED ncmpi_sync_numrecs(int ncid) {
  if (BridgedFile* file = bridged(ncid))
    if (const int trouble = file->look(Then::reads); trouble != NC_NOERR) return trouble;
  return WEIR_ORIGINAL(ncmpi_sync_numrecs)(ncid);
}

// The library warns of requests that nobody waited for, so it has to have them.
WEIR_BRIDGED ncmpi_close(int ncid) {
  BridgedFile* const file = bridged(ncid);
  if (file == nullptr) {
    if (const auto read = numbered<ReadFile>().take(ncid)) read->end();
    return WEIR_ORIGINAL(ncmpi_close)(ncid);
  }
  // The library ends definitions itself, too late for Weir.
  if (file->made() && file->mode() == Mode::define) file->end_definitions(WEIR_ORIGINAL(ncmpi_enddef)(ncid));
  int trouble = file->look(Then::closes);
  file->hand_over(file->requests().take_all(), trouble);
  const auto ended = take_file(ncid);  // lives until the library has let go of its requests
  const int code = WEIR_ORIGINAL(ncmpi_close)(ncid);
  return trouble != NC_NOERR ? trouble : code;
}

WEIR_BRIDGED ncmpi_abort(int ncid) {
  BridgedFile* const file = bridged(ncid);
  if (file == nullptr) {
    if (const auto read = numbered<ReadFile>().take(ncid)) read->end();
    return WEIR_ORIGINAL(ncmpi_abort)(ncid);
  }
  const bool defined = file->mode() != Mode::define;
  if (!file->made() || defined) file->look(file->made() ? Then::closes : Then::redefines);
  const auto ended = take_file(ncid);
  return WEIR_ORIGINAL(ncmpi_abort)(ncid);
}

WEIR_BRIDGED ncmpi_fill_var_rec(int ncid, int varid, MPI_Offset recno) {
  BridgedFile* const file = bridged(ncid);
  if (file == nullptr) return WEIR_ORIGINAL(ncmpi_fill_var_rec)(ncid, varid, recno);
  if (file->made()) return fill_made(*file, varid, recno);
  if (const int trouble = file->look(Then::transfers); trouble != NC_NOERR) return trouble;
  file->pass(Reason::filling);
  const int code = WEIR_ORIGINAL(ncmpi_fill_var_rec)(ncid, varid, recno);
  file->learn();
  return code;
}

// The program's own name of it.
WEIR_BRIDGED ncmpi_inq_path(int ncid, int* length, char* path) {
  BridgedFile* const file = bridged(ncid);
  if (file == nullptr || !file->made()) return WEIR_ORIGINAL(ncmpi_inq_path)(ncid, length, path);
  if (length != nullptr) *length = static_cast<int>(file->path().size());
  if (path != nullptr) std::strcpy(path, file->path().c_str());
  return NC_NOERR;
}

// What the library cannot know while Weir carries: records that it has not been told of, bytes that it did not write.
WEIR_BRIDGED ncmpi_inq_dim(int ncid, int dimid, char* name, MPI_Offset* lenp) {
  const int code = WEIR_ORIGINAL(ncmpi_inq_dim)(ncid, dimid, name, lenp);
  BridgedFile* const file = bridged(ncid);
  if (file != nullptr && code == NC_NOERR && lenp != nullptr && dimid == file->record_dimension() && dimid >= 0)
    *lenp = std::max<MPI_Offset>(*lenp, file->records());
  return code;
}

WEIR_BRIDGED ncmpi_inq_dimlen(int ncid, int dimid, MPI_Offset* lenp) {
  const int code = WEIR_ORIGINAL(ncmpi_inq_dimlen)(ncid, dimid, lenp);
  BridgedFile* const file = bridged(ncid);
  if (file != nullptr && code == NC_NOERR && lenp != nullptr && dimid == file->record_dimension() && dimid >= 0)
    *lenp = std::max<MPI_Offset>(*lenp, file->records());
  return code;
}

WEIR_BRIDGED ncmpi_inq_put_size(int ncid, MPI_Offset* size) {
  const int code = WEIR_ORIGINAL(ncmpi_inq_put_size)(ncid, size);
  BridgedFile* const file = bridged(ncid);
  if (file != nullptr && code == NC_NOERR && size != nullptr) *size += file->put_bytes();
  return code;
}

}  // namespace weir::bridge
