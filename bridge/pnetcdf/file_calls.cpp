// SPDX-License-Identifier: Apache-2.0
// Calls that define, switch modes, sync and close an open file. The underlying library does all of it; the bridge
// records the change, and flushes first what the library has to find in the file.
//
//: enddef|_enddef | the library's; the bridge takes note
//: redef|(begin|end)_indep_data|sync|flush|sync_numrecs|close|abort | the library's, after a flush
//: fill_var_rec | the library's, after a flush, and counted
//: inq_dim|inq_dimlen|inq_put_size | the library's answer, and what Weir has
//: inq_path | the library's, and the program's name of a file that Weir makes
#include <algorithm>
#include <cstring>

#include "pnetcdf/files.hpp"
#include "pnetcdf/original_calls.hpp"
#include "pnetcdf/read_files.hpp"

namespace weir::bridge {

namespace {

using Mode = LibraryState::Mode;
using NextAccess = BridgedFile::NextAccess;

// Definitions are not needed of it: what no rank puts is filled. Collective.
int fill_made(BridgedFile& file, int var, MPI_Offset record) {
  const std::vector<Variable>& variables = file.variables();
  const bool known = var >= 0 && var < std::ssize(variables) && variables[static_cast<std::size_t>(var)].record;
  if (!file.written_by_weir() || !known || record < 0)
    return WEIR_ORIGINAL(ncmpi_fill_var_rec)(file.library().number(), var, record);
  return file.put({}, record + 1, Reason::none).code;
}

// Of a file that is read; returns the library's answer.
int switch_reading(int ncid, bool independent, int code) {
  ReadFile* const file = code == NC_NOERR ? numbered<ReadFile>().find(ncid) : nullptr;
  if (file != nullptr) file->enter_independent(independent);
  return code;
}

// After the library has ended definitions, with this code.
int ended_definitions(int ncid, int code) {
  BridgedFile* const file = bridged(ncid);
  return file != nullptr && code != NC_ENOTINDEFINE ? file->end_definitions(code) : code;
}

// `original`, after all that was put has come to where it is wanted.
int after_flush(int ncid, NextAccess next_access, LibraryCall original) {
  return at_file(ncid, [&] {
    BridgedFile* const file = bridged(ncid);
    const int problem = file != nullptr ? file->flush_before(next_access) : NC_NOERR;
    return problem != NC_NOERR ? problem : original();
  });
}

// The library warns of requests that no rank waited for, so it has to have them.
int closed(BridgedFile& file, LibraryCall original) {
  // The library ends definitions itself, too late for Weir.
  if (file.made() && file.library().mode() == Mode::define)
    file.end_definitions(WEIR_ORIGINAL(ncmpi_enddef)(file.library().number()));
  int problem = file.flush_before(NextAccess::closes);
  file.handed_over().post(file.library().number(), file.requests().take_all(), problem);
  const int code = original();
  return problem != NC_NOERR ? problem : code;
}

int aborted(BridgedFile& file, LibraryCall original) {
  const bool defined = file.library().mode() != Mode::define;
  if (!file.made() || defined) file.flush_before(file.made() ? NextAccess::closes : NextAccess::redefines);
  return original();
}

// The last call on a file, which lives until the library has let go of its requests.
int ended(int ncid, int (*end)(BridgedFile& file, LibraryCall original), LibraryCall original) {
  const auto last = [&](auto& file, const auto& close) { return file.end(close, original); };
  if (const auto file = take_file(ncid)) return last(*file, [&](LibraryCall once) { return end(*file, once); });
  const auto read = numbered<ReadFile>().take(ncid);
  return read != nullptr ? last(*read, [&](LibraryCall once) { return read->close(once); }) : original();
}

}  // namespace

WEIR_BRIDGED ncmpi_enddef(int ncid) {
  return at_file(ncid, [&] { return ended_definitions(ncid, WEIR_ORIGINAL(ncmpi_enddef)(ncid)); });
}

WEIR_BRIDGED ncmpi__enddef(int ncid, MPI_Offset h_minfree, MPI_Offset v_align, MPI_Offset v_minfree,
                           MPI_Offset r_align) {
  return at_file(ncid, [&] {
    return ended_definitions(ncid, WEIR_ORIGINAL(ncmpi__enddef)(ncid, h_minfree, v_align, v_minfree, r_align));
  });
}

WEIR_BRIDGED ncmpi_redef(int ncid) {
  return at_file(ncid, [&] {
    BridgedFile* const file = bridged(ncid);
    if (file == nullptr) return WEIR_ORIGINAL(ncmpi_redef)(ncid);
    if (const int problem = file->flush_before(NextAccess::redefines); problem != NC_NOERR) return problem;
    const int code = WEIR_ORIGINAL(ncmpi_redef)(ncid);
    if (code == NC_NOERR) file->library().enter(Mode::define);
    return code;
  });
}

WEIR_BRIDGED ncmpi_begin_indep_data(int ncid) {
  return at_file(ncid, [&] {
    BridgedFile* const file = bridged(ncid);
    if (file == nullptr) return switch_reading(ncid, true, WEIR_ORIGINAL(ncmpi_begin_indep_data)(ncid));
    if (const int problem = file->flush_before(NextAccess::redefines); problem != NC_NOERR) return problem;
    const int code = WEIR_ORIGINAL(ncmpi_begin_indep_data)(ncid);
    if (code == NC_NOERR) file->library().enter(Mode::independent);
    return code;
  });
}

WEIR_BRIDGED ncmpi_end_indep_data(int ncid) {
  return at_file(ncid, [&] {
    const int code = WEIR_ORIGINAL(ncmpi_end_indep_data)(ncid);
    BridgedFile* const file = bridged(ncid);
    if (file == nullptr) return switch_reading(ncid, false, code);
    if (code != NC_NOERR) return code;
    file->library().enter(Mode::collective);
    file->learn();
    return file->made() ? file->flush_before(NextAccess::reads) : NC_NOERR;
  });
}

WEIR_BRIDGED ncmpi_sync(int ncid) {
  return after_flush(ncid, NextAccess::stores, [&] { return WEIR_ORIGINAL(ncmpi_sync)(ncid); });
}

WEIR_BRIDGED ncmpi_flush(int ncid) {
  const BridgedFile* const file = bridged(ncid);
  const NextAccess next_access = file != nullptr && file->made() ? NextAccess::stores : NextAccess::reads;
  return after_flush(ncid, next_access, [&] { return WEIR_ORIGINAL(ncmpi_flush)(ncid); });
}

WEIR_BRIDGED ncmpi_sync_numrecs(int ncid) {
  return after_flush(ncid, NextAccess::reads, [&] { return WEIR_ORIGINAL(ncmpi_sync_numrecs)(ncid); });
}

WEIR_BRIDGED ncmpi_close(int ncid) {
  return ended(ncid, closed, [&] { return WEIR_ORIGINAL(ncmpi_close)(ncid); });
}

WEIR_BRIDGED ncmpi_abort(int ncid) {
  return ended(ncid, aborted, [&] { return WEIR_ORIGINAL(ncmpi_abort)(ncid); });
}

WEIR_BRIDGED ncmpi_fill_var_rec(int ncid, int varid, MPI_Offset recno) {
  return at_file(ncid, [&] {
    BridgedFile* const file = bridged(ncid);
    if (file == nullptr) return WEIR_ORIGINAL(ncmpi_fill_var_rec)(ncid, varid, recno);
    if (file->made()) return fill_made(*file, varid, recno);
    if (const int problem = file->flush_before(NextAccess::transfers); problem != NC_NOERR) return problem;
    file->pass(Reason::filling);
    const int code = WEIR_ORIGINAL(ncmpi_fill_var_rec)(ncid, varid, recno);
    file->learn();
    return code;
  });
}

// The program's own name of it.
WEIR_BRIDGED ncmpi_inq_path(int ncid, int* length, char* path) {
  BridgedFile* const file = bridged(ncid);
  if (file == nullptr || !file->made()) return WEIR_ORIGINAL(ncmpi_inq_path)(ncid, length, path);
  if (length != nullptr) *length = static_cast<int>(file->intercept().path().size());
  if (path != nullptr) std::strcpy(path, file->intercept().path().c_str());
  return NC_NOERR;
}

// What the library cannot know while Weir carries: records that it has not been told of, bytes that it did not write.
WEIR_BRIDGED ncmpi_inq_dim(int ncid, int dimid, char* name, MPI_Offset* lenp) {
  const int code = WEIR_ORIGINAL(ncmpi_inq_dim)(ncid, dimid, name, lenp);
  BridgedFile* const file = bridged(ncid);
  if (file != nullptr && code == NC_NOERR && lenp != nullptr && dimid == file->library().record_dimension() &&
      dimid >= 0)
    *lenp = std::max<MPI_Offset>(*lenp, file->records());
  return code;
}

WEIR_BRIDGED ncmpi_inq_dimlen(int ncid, int dimid, MPI_Offset* lenp) {
  const int code = WEIR_ORIGINAL(ncmpi_inq_dimlen)(ncid, dimid, lenp);
  BridgedFile* const file = bridged(ncid);
  if (file != nullptr && code == NC_NOERR && lenp != nullptr && dimid == file->library().record_dimension() &&
      dimid >= 0)
    *lenp = std::max<MPI_Offset>(*lenp, file->records());
  return code;
}

WEIR_BRIDGED ncmpi_inq_put_size(int ncid, MPI_Offset* size) {
  const int code = WEIR_ORIGINAL(ncmpi_inq_put_size)(ncid, size);
  BridgedFile* const file = bridged(ncid);
  if (file != nullptr && code == NC_NOERR && size != nullptr) *size += file->intercept().counts().bytes_taken_over;
  return code;
}

}  // namespace weir::bridge
