// SPDX-License-Identifier: Apache-2.0
// The exported calls that create and open files: they decide who handles a file. Files of nc_create_par and nc_open_par
// are the bridge's if they are classic, or netCDF-4 for writing, and no rule switches them off; files of nc_create and
// nc_open (for writing) if the configuration says that all ranks make all their calls. The underlying netCDF handles
// all others.
#include <mpi.h>
#include <netcdf_meta.h>

#include <cstdio>
#include <cstring>
#include <optional>

#include "core/original.hpp"
#include "core/process.hpp"
#include "netcdf/front.hpp"
#include "netcdf/packed_file.hpp"

namespace weir::bridge {

namespace {

thread_local bool passing = false;

template <class Call>
int pass(Call call) {
  const Passing netcdf;
  return call();
}

bool mpi_runs() {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

// The format that nc_create takes where the mode names none. netCDF tells it only when it is given a new one.
int default_format() {
  int format = NC_FORMAT_CLASSIC;
  if (WEIR_NETCDF(nc_set_default_format)(NC_FORMAT_CLASSIC, &format) == NC_NOERR)
    WEIR_NETCDF(nc_set_default_format)(format, nullptr);
  return format;
}

constexpr int format_flags = NC_NETCDF4 | NC_64BIT_OFFSET | NC_64BIT_DATA;

// More than one, which netCDF refuses.
bool names_formats(int mode) {
  const int named = mode & format_flags;
  return (named & (named - 1)) != 0;
}

int with_default_format(int mode) {
  if ((mode & format_flags) != 0) return mode;
  switch (default_format()) {
    case NC_FORMAT_64BIT_OFFSET:
      return mode | NC_64BIT_OFFSET;
    case NC_FORMAT_CDF5:
      return mode | NC_64BIT_DATA;
    case NC_FORMAT_NETCDF4:
      return mode | NC_NETCDF4;
    case NC_FORMAT_NETCDF4_CLASSIC:
      return mode | NC_NETCDF4 | NC_CLASSIC_MODEL;
    default:
      return mode;
  }
}

enum Kind : int { other, classic, netcdf4 };

Kind kind_of(const char* path) {
  constexpr char hdf5[] = "\x89HDF\r\n\x1a\n";
  char magic[8] = "";
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) return other;
  const std::size_t bytes = std::fread(magic, 1, sizeof magic, file);
  std::fclose(file);
  if (bytes == sizeof magic && std::memcmp(magic, hdf5, sizeof magic) == 0) return netcdf4;
  const bool known = magic[3] == 1 || magic[3] == 2 || magic[3] == 5;
  return bytes >= 4 && std::memcmp(magic, "CDF", 3) == 0 && known ? classic : other;
}

// Of a file that exists: rank 0 looks. Collective.
Kind kind_of(const char* path, MPI_Comm comm) {
  int kind = rank_of(comm) == 0 ? kind_of(path) : other;
  MPI_Bcast(&kind, 1, MPI_INT, 0, comm);
  return static_cast<Kind>(kind);
}

enum class Act { create, open };

// Whether this rank has a configuration, and the other ranks of a file on a communicator have the same one. Collective
// for such files; throws Error where ranks do not come.
bool configured_alike(const intercepted::Opening& opening, Process& process) {
  if (opening.origin == Origin::plain) return process.config() != nullptr;
  const std::shared_ptr<RankGroup> group = intercepted::group_of(opening);
  if (group->config_for(opening.path) != nullptr) return true;
  if (!group->difference().empty())
    group->note(formatted("{}: handled by the underlying library: {}", opening.path, group->difference()));
  return false;
}

// Why a file is not the bridge's; what the configuration says of it is noted. All ranks that call come to the same
// answer.
Reason why_not(Act act, intercepted::Opening& opening, Process& process) {
  if (process.forked() || !configured_alike(opening, process)) return Reason::configuration;
  const FileRule* const rule = rule_for(*process.config(), opening.path);
  if (rule != nullptr && rule->off) return Reason::rule;
  const Config& config = *process.config_of(rule);
  opening.rule_collective = config.collective;
  opening.made = config.format != FormatKind::automatic || process.feeds_streams(opening.path);
  opening.sync_stores = config.durability == Durability::storage;
  if (opening.origin == Origin::plain && !config.collective) return Reason::single;
  if ((opening.mode & (NC_DISKLESS | NC_INMEMORY | NC_MMAP)) != 0 || opening.path.find("://") != std::string::npos)
    return Reason::driver;
  if (act == Act::create) return (opening.mode & (NC_UDF0 | NC_UDF1)) != 0 ? Reason::format : Reason::none;
  const Kind kind = kind_of(opening.path.c_str(), opening.comm);
  opening.netcdf4 = kind == netcdf4;
  const bool known = kind == classic || (opening.netcdf4 && (opening.mode & NC_WRITE) != 0);
  return known ? Reason::none : Reason::format;
}

// The bridge's state, begun with the program's first file.
Process& begun_process() {
  static Process& process = []() -> Process& {
    Process& begun = Process::start(bridge_name, Makes::both);
    begun.note_newer("netCDF", version_of_original("nc_inq_libvers"), NC_VERSION);
    return begun;
  }();
  return process;
}

// The answer, where the file is the bridge's.
std::optional<int> take(Act act, intercepted::Opening opening, int* ncid) {
  if (passing || !mpi_runs()) return std::nullopt;
  if (opening.origin == Origin::plain && act == Act::open && (opening.mode & NC_WRITE) == 0) return std::nullopt;
  if (act == Act::create && names_formats(opening.mode)) return std::nullopt;
  Process& process = begun_process();
  if (act == Act::create) opening.mode = with_default_format(opening.mode);
  if (const Reason reason = why_not(act, opening, process); reason != Reason::none) {
    Counts counts;
    counts.path = opening.path;
    counts.of_one_rank = size_of(opening.comm) == 1;
    counts.pass(reason);
    if (!process.forked() && rank_of(opening.comm) == 0) process.done(counts);
    return std::nullopt;
  }
  if (act == Act::open) return opening.netcdf4 ? open_packed(opening, ncid) : intercepted::open(opening, ncid);
  return (opening.mode & NC_NETCDF4) != 0 ? create_packed(opening, ncid) : intercepted::create(opening, ncid);
}

// The same behind the border.
template <class MakeOpening>
std::optional<int> take_at_border(Act act, const MakeOpening& opening, int* ncid) noexcept {
  std::optional<int> answer;
  const int problem = at_border(bridge_name, [&] {
    answer = take(act, opening(), ncid);
    return NC_NOERR;
  });
  return problem != NC_NOERR ? problem : answer;
}

std::optional<int> take_plain(Act act, const char* path, int mode, int* ncid) noexcept {
  if (path == nullptr) return std::nullopt;
  return take_at_border(
      act,
      [&] {
        return intercepted::Opening{path, mode, MPI_COMM_WORLD, MPI_INFO_NULL, Origin::plain};
      },
      ncid);
}

std::optional<int> take_parallel(Act act, const char* path, int mode, MPI_Comm comm, MPI_Info info,
                                 int* ncid) noexcept {
  if (path == nullptr || comm == MPI_COMM_NULL) return std::nullopt;
  return take_at_border(
      act,
      [&] {
        return intercepted::Opening{path, mode, comm, info, Origin::parallel};
      },
      ncid);
}

}  // namespace

}  // namespace weir::bridge

namespace weir::bridge {

Passing::Passing() noexcept : before_(passing) {
  passing = true;
}

Passing::~Passing() {
  passing = before_;
}

}  // namespace weir::bridge

using namespace weir::bridge;

extern "C" {

int nc_create(const char* path, int mode, int* ncid) {
  const bool own = called_by_weir(__builtin_return_address(0));
  if (const auto code = own ? std::nullopt : take_plain(Act::create, path, mode, ncid)) return *code;
  return pass([&] { return WEIR_NETCDF(nc_create)(path, mode, ncid); });
}

int nc__create(const char* path, int mode, size_t initial_bytes, size_t* buffer_bytes, int* ncid) {
  if (const auto code = take_plain(Act::create, path, mode, ncid)) return *code;
  return pass([&] { return WEIR_NETCDF(nc__create)(path, mode, initial_bytes, buffer_bytes, ncid); });
}

int nc__create_mp(const char* path, int mode, size_t initial_bytes, int pe, size_t* buffer_bytes, int* ncid) {
  if (const auto code = take_plain(Act::create, path, mode, ncid)) return *code;
  return pass([&] { return WEIR_NETCDF(nc__create_mp)(path, mode, initial_bytes, pe, buffer_bytes, ncid); });
}

int nc_create_par(const char* path, int mode, MPI_Comm comm, MPI_Info info, int* ncid) {
  if (const auto code = take_parallel(Act::create, path, mode, comm, info, ncid)) return *code;
  return pass([&] { return WEIR_NETCDF(nc_create_par)(path, mode, comm, info, ncid); });
}

int nc_create_par_fortran(const char* path, int mode, int comm, int info, int* ncid) {
  if (mpi_runs())
    if (const auto code = take_parallel(Act::create, path, mode, MPI_Comm_f2c(comm), MPI_Info_f2c(info), ncid))
      return *code;
  return pass([&] { return WEIR_NETCDF(nc_create_par_fortran)(path, mode, comm, info, ncid); });
}

int nc_open(const char* path, int mode, int* ncid) {
  const bool own = called_by_weir(__builtin_return_address(0));
  if (const auto code = own ? std::nullopt : take_plain(Act::open, path, mode, ncid)) return *code;
  return pass([&] { return WEIR_NETCDF(nc_open)(path, mode, ncid); });
}

int nc__open(const char* path, int mode, size_t* buffer_bytes, int* ncid) {
  if (const auto code = take_plain(Act::open, path, mode, ncid)) return *code;
  return pass([&] { return WEIR_NETCDF(nc__open)(path, mode, buffer_bytes, ncid); });
}

int nc__open_mp(const char* path, int mode, int pe, size_t* buffer_bytes, int* ncid) {
  if (const auto code = take_plain(Act::open, path, mode, ncid)) return *code;
  return pass([&] { return WEIR_NETCDF(nc__open_mp)(path, mode, pe, buffer_bytes, ncid); });
}

int nc_open_par(const char* path, int mode, MPI_Comm comm, MPI_Info info, int* ncid) {
  if (const auto code = take_parallel(Act::open, path, mode, comm, info, ncid)) return *code;
  const int code = pass([&] { return WEIR_NETCDF(nc_open_par)(path, mode, comm, info, ncid); });
  return open_for_each(path, mode, code, ncid);
}

int nc_open_par_fortran(const char* path, int mode, int comm, int info, int* ncid) {
  if (mpi_runs())
    if (const auto code = take_parallel(Act::open, path, mode, MPI_Comm_f2c(comm), MPI_Info_f2c(info), ncid))
      return *code;
  const int code = pass([&] { return WEIR_NETCDF(nc_open_par_fortran)(path, mode, comm, info, ncid); });
  return open_for_each(path, mode, code, ncid);
}

}  // extern "C"
