// SPDX-License-Identifier: Apache-2.0
#include "core/original.hpp"

#include <mpi.h>

#include <compare>
#include <cstdlib>
#include <cstring>

#include "mpi/running_mpi.hpp"

namespace weir::bridge {

namespace {

// {1, 12} of "1.12.3"; {-1, -1} of what is no version.
struct Series {
  int major = -1, minor = -1;
  auto operator<=>(const Series&) const = default;
};

Series series_of(const std::string& version) {
  Series series;
  const bool is_version = std::sscanf(version.c_str(), "%d.%d", &series.major, &series.minor) == 2;
  return is_version ? series : Series{};
}

const void* object_of(const void* address) noexcept {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

// The module by which Weir calls netCDF-C.
bool is_module(const void* address) noexcept {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 && std::strstr(info.dli_fname, "/libweir_netcdf4_") != nullptr;
}

// The first rank by what its launcher told it, since MPI cannot be asked.
bool is_launched_first() {
  for (const char* name : {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"})
    if (const char* const rank = std::getenv(name)) return std::strcmp(rank, "0") == 0;
  return true;
}

}  // namespace

bool speaks() {
  int begun = 0, ended = 0, rank = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun != 0 && ended == 0) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

bool runs_own_mpi(const char* bridge) {
  const std::string mismatch = mpi_mismatch();
  if (!mismatch.empty() && is_launched_first())
    std::fprintf(stderr, "%s: %s; until then the underlying library handles all files\n", bridge, mismatch.c_str());
  return mismatch.empty();
}

bool is_built_for(const char* bridge, const std::string& found, const std::string& built) {
  if (!runs_own_mpi(bridge)) return false;
  const Series has = series_of(found), wants = series_of(built);
  if (has.major == wants.major && has >= wants) return true;
  if (!speaks()) return false;
  std::fprintf(stderr,
               "%s: the underlying library is version %s, but this bridge was built for %s and later ones of that "
               "number, so the underlying library handles all files; build Weir with the version that the program "
               "uses\n",
               bridge, found.empty() ? "unknown" : found.c_str(), built.c_str());
  return false;
}

bool is_newer(const std::string& found, const std::string& other) {
  return series_of(found) > series_of(other);
}

std::string version_of_original(const char* inquiry) {
  const auto inquire = find_original<const char*()>(inquiry);
  const std::string text = inquire != nullptr ? inquire() : "";
  return text.substr(0, text.find(' '));
}

bool is_own(const void* function) noexcept {
  return object_of(function) == object_of(reinterpret_cast<const void*>(&is_own));
}

// A program that takes a function's address may have the name without being the one that defines it.
void* find_preceding(const char* name) noexcept {
  void* const first = ::dlsym(RTLD_DEFAULT, name);
  Dl_info info{};
  if (first == nullptr || is_own(first) || ::dladdr(first, &info) == 0) return nullptr;
  return info.dli_saddr == first ? first : nullptr;
}

bool called_by_weir(const void* address) noexcept {
  static const void* const own = object_of(reinterpret_cast<const void*>(&called_by_weir));
  static const void* const weir = object_of(::dlsym(RTLD_DEFAULT, "weir_strerror"));
  const void* const caller = object_of(address);
  return caller != nullptr && (caller == own || caller == weir || is_module(address));
}

}  // namespace weir::bridge
