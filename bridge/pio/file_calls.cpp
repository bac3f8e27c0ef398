// SPDX-License-Identifier: Apache-2.0
// Calls that open and close files, and switch between define mode and data mode.
//
// createfile: PIO's, known to the bridge where PnetCDF writes the file; what PIO would make as netCDF-4 Weir makes
// openfile: PIO's; known to the bridge where PnetCDF writes the file, or where it is read open, openfile2: PIO's; known
// to the bridge where the file is read redef, enddef, sync, closefile: PIO's, after a flush setframe, advanceframe,
// Set_File_Error_Handling: PIO's, and known to the bridge
#include <pnetcdf.h>

#include <string>

#include "core/packed_start.hpp"
#include "pio/border.hpp"
#include "pio/files.hpp"
#include "pio/original_calls.hpp"
#include "pio/packed_file.hpp"
#include "pio/read_files.hpp"

namespace weir::bridge {

namespace {

// What the underlying library has created or opened to write, by all ranks of its system.
void adopt(int system, int number, const char* name, Reason obstacle, bool defining) {
  std::shared_ptr<System> known = shared_system(system);
  if (known == nullptr) return;
  FileName names{name, absolute_path(name), {}, WEIR_FILL};
  numbered<WrittenFile>().add(
      number, std::make_unique<PioFile>(number, std::move(known), std::move(names), obstacle, defining));
}

// Why a file of this iotype is PIO's alone.
Reason obstacle_of(int iotype) {
  if (iotype == PIO_IOTYPE_PNETCDF) return Reason::none;
  return iotype == PIO_IOTYPE_NETCDF ? Reason::single : Reason::format;
}

// What the underlying library has opened to read.
void adopt_to_read(int system, int number, const char* name) {
  if (std::shared_ptr<System> known = shared_system(system))
    numbered<PioReadFile>().add(number, std::make_unique<PioReadFile>(std::move(known), name, absolute_path(name)));
}

// `original` opens it, maybe to read.
template <class Original>
int opened_to_read(int system, const int& file, const char* name, int mode, const Original& original) {
  return at_system(system, [&] {
    const int code = original();
    if (code == 0 && calls_inside == 0 && (mode & NC_WRITE) == 0) adopt_to_read(system, file, name);
    return code;
  });
}

// netCDF writes a classic file by one rank, from pages that it keeps, so no other rank can write at the same time.
// If the configuration has `collective: yes`, the bridge has PIO use PnetCDF, which writes the same values.
int taken_iotype(int system, int iotype, const char* name, int mode) {
  constexpr int other_ways = NC_NETCDF4 | NC_CLASSIC_MODEL | NC_DISKLESS | NC_MMAP;
  System* const known = calls_inside == 0 ? system_of(system) : nullptr;
  const bool takes = known != nullptr && iotype == PIO_IOTYPE_NETCDF && (mode & other_ways) == 0 && name != nullptr;
  if (!takes || known->group->reason_for(name) != Reason::none || !known->group->config_for(name)->collective)
    return iotype;
  return WEIR_PIO(PIOc_iotype_available)(PIO_IOTYPE_PNETCDF) != 0 ? PIO_IOTYPE_PNETCDF : iotype;
}

// Parallel netCDF does not lengthen a file that it has not made (HDF5 wants room for all its chunks at once), and those
// of Weir it has not: PIO writes them by one rank.
int appending_iotype(int system, int iotype, const char* name, int mode) {
  System* const known = calls_inside == 0 ? system_of(system) : nullptr;
  const bool appends = known != nullptr && iotype == PIO_IOTYPE_NETCDF4P && (mode & NC_WRITE) != 0 && name != nullptr;
  const bool is_own = appends && known->group->reason_for(name) == Reason::none && why_no_netcdf4().empty();
  return is_own ? PIO_IOTYPE_NETCDF4C : iotype;
}

void keep_frame(int file, int var, int frame) {
  if (WrittenFile* const known = called_file(file)) known->set_frame(var, frame);
  if (PioReadFile* const known = called_read_file(file)) known->set_frame(var, frame);
}

int kept_frame(int file, int var) {
  if (const WrittenFile* const known = called_file(file)) return known->frame(var);
  const PioReadFile* const known = called_read_file(file);
  return known != nullptr ? known->frame(var) : 0;
}

}  // namespace

WEIR_BRIDGED PIOc_createfile(int system, int* file, int* iotype, const char* name, int mode) {
  return at_system(system, [&] {
    System* const known = calls_inside == 0 && name != nullptr ? system_of(system) : nullptr;
    if (known != nullptr) known->group->created(name);
    int taken = iotype != nullptr ? taken_iotype(system, *iotype, name, mode) : 0;
    Reason obstacle = obstacle_of(taken);
    int code = 0;
    if (calls_inside == 0 && create_packed({system, taken, name, mode}, file, code, obstacle)) return code;
    code = WEIR_PIO(PIOc_createfile)(system, file, iotype != nullptr ? &taken : nullptr, name, mode);
    if (code == 0 && calls_inside == 0) adopt(system, *file, name, obstacle, true);
    return code;
  });
}

WEIR_BRIDGED PIOc_openfile(int system, int* file, int* iotype, const char* name, int mode) {
  const int asked = iotype != nullptr ? *iotype : 0;
  return at_system(system, [&] {
    System* const known = calls_inside == 0 && name != nullptr ? system_of(system) : nullptr;
    if (known != nullptr && (mode & NC_WRITE) != 0) known->group->go_back(name);
    int taken = appending_iotype(system, asked, name, mode);
    const int given = taken;
    const int code = WEIR_PIO(PIOc_openfile)(system, file, iotype != nullptr ? &taken : nullptr, name, mode);
    if (iotype != nullptr) *iotype = taken == given ? asked : taken;  // PIO may have taken another one
    if (code != 0 || calls_inside != 0) return code;
    if ((mode & NC_WRITE) != 0)
      adopt(system, *file, name, obstacle_of(*iotype), false);
    else
      adopt_to_read(system, *file, name);
    return code;
  });
}

WEIR_BRIDGED PIOc_openfile2(int system, int* file, int* iotype, const char* name, int mode) {
  return opened_to_read(system, *file, name, mode,
                        [&] { return WEIR_PIO(PIOc_openfile2)(system, file, iotype, name, mode); });
}

WEIR_BRIDGED PIOc_open(int system, const char* name, int mode, int* file) {
  return opened_to_read(system, *file, name, mode, [&] { return WEIR_PIO(PIOc_open)(system, name, mode, file); });
}

WEIR_BRIDGED PIOc_enddef(int file) {
  return at_file(file, [&] {
    const int code = WEIR_PIO(PIOc_enddef)(file);
    if (WrittenFile* const known = called_file(file); known != nullptr && code == 0) known->end_definitions();
    return code;
  });
}

WEIR_BRIDGED PIOc_redef(int file) {
  return at_file(file, [&] {
    WrittenFile* const known = called_file(file);
    if (known != nullptr)
      if (const int problem = known->redefine(); problem != 0) return problem;
    const int code = WEIR_PIO(PIOc_redef)(file);
    if (known != nullptr && code == 0) known->enter_definitions();
    return code;
  });
}

WEIR_BRIDGED PIOc_sync(int file) {
  return at_file(file, [&] {
    WrittenFile* const known = called_file(file);
    return known != nullptr ? known->sync() : WEIR_PIO(PIOc_sync)(file);
  });
}

WEIR_BRIDGED PIOc_closefile(int file) {
  const auto original = [&] { return WEIR_PIO(PIOc_closefile)(file); };
  const auto end = [&](auto& ended) {
    return ended.end([&](LibraryCall once) { return ended.close(once); }, original);
  };
  if (called_file(file) != nullptr) return end(*numbered<WrittenFile>().take(file));
  if (called_read_file(file) != nullptr) return end(*numbered<PioReadFile>().take(file));
  return original();
}

WEIR_BRIDGED PIOc_setframe(int file, int var, int frame) {
  return at_file(file, [&] {
    const int code = WEIR_PIO(PIOc_setframe)(file, var, frame);
    if (code == 0) keep_frame(file, var, frame);
    return code;
  });
}

WEIR_BRIDGED PIOc_advanceframe(int file, int var) {
  return at_file(file, [&] {
    const int code = WEIR_PIO(PIOc_advanceframe)(file, var);
    if (code == 0) keep_frame(file, var, kept_frame(file, var) + 1);
    return code;
  });
}

WEIR_BRIDGED PIOc_Set_File_Error_Handling(int file, int method) {
  if (WrittenFile* const known = called_file(file)) known->set_error_method(method);
  if (PioReadFile* const known = called_read_file(file)) known->set_error_method(method);
  return WEIR_PIO(PIOc_Set_File_Error_Handling)(file, method);
}

}  // namespace weir::bridge
