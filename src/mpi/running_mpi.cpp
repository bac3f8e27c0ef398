// SPDX-License-Identifier: Apache-2.0
#include "mpi/running_mpi.hpp"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace weir {

namespace {

#if defined(MPI_ABI_VERSION) && MPI_ABI_VERSION > 0
constexpr MpiFamily built_with = MpiFamily::standard;
#elif defined(OPEN_MPI)
constexpr MpiFamily built_with = MpiFamily::open_mpi;
#elif defined(MPICH_VERSION) || defined(I_MPI_VERSION) || defined(MVAPICH_VERSION) || defined(MVAPICH2_VERSION)
constexpr MpiFamily built_with = MpiFamily::mpich;
#else
constexpr MpiFamily built_with = MpiFamily::unknown;
#endif

// The text may be another MPI's, with a longer MPI_MAX_LIBRARY_VERSION_STRING: Open MPI has 256, MPI's standard 8192.
constexpr int longest_version = std::max(MPI_MAX_LIBRARY_VERSION_STRING, 8192);

std::string_view in_words(MpiFamily family) noexcept {
  switch (family) {
    case MpiFamily::open_mpi:
      return "Open MPI";
    case MpiFamily::mpich:
      return "MPICH or one of its kind";
    default:
      return "MPI's standard ABI";
  }
}

void* library_of(void* function) noexcept {
  Dl_info info;
  return function != nullptr && dladdr(function, &info) != 0 ? info.dli_fbase : nullptr;
}

// 0 where the MPI that answers has no such interface. Looked up by name, since few MPIs have the function: another MPI
// that is loaded may have it, and is not asked.
int standard_version() {
  void* const inquire = dlsym(RTLD_DEFAULT, "PMPI_Abi_get_version");
  if (inquire == nullptr || library_of(inquire) != library_of(dlsym(RTLD_DEFAULT, "PMPI_Init"))) return 0;
  int version = 0, subversion = 0;
  reinterpret_cast<int (*)(int*, int*)>(inquire)(&version, &subversion);
  return version;
}

// "libmpi.so.40", "libmpich.so.12" and "libmpi_abi.so.1", but not their libraries for Fortran, C++ or Java.
bool is_mpi(std::string_view name) noexcept {
  if (!name.starts_with("libmpi")) return false;
  name.remove_prefix(std::string_view("libmpi").size());
  if (name.starts_with("ch")) name.remove_prefix(2);
  return name.starts_with(".") || name.starts_with("_abi.") || name.starts_with("_cray") || name.starts_with("_gnu");
}

std::string loaded_mpis() {
  std::string found;
  const auto look = [](dl_phdr_info* object, std::size_t, void* into) {
    const std::string_view path = object->dlpi_name;
    const std::string_view name = path.substr(path.rfind('/') + 1);
    auto& text = *static_cast<std::string*>(into);
    if (is_mpi(name)) text += (text.empty() ? "" : " and ") + std::string(name);
    return 0;
  };
  dl_iterate_phdr(look, &found);
  return found;
}

// The first line, without what comes after the version.
std::string first_words(std::string_view text) {
  text = text.substr(0, std::min({text.find('\n'), text.find(','), text.size()}));
  std::string words;
  for (const char c : text)
    if (std::isspace(static_cast<unsigned char>(c)) == 0)
      words += c;
    else if (!words.empty() && words.back() != ' ')
      words += ' ';
  return words;
}

}  // namespace

MpiFamily mpi_family(std::string_view version, int standard_version) noexcept {
  if (standard_version > 0) return MpiFamily::standard;
  if (version.find("Open MPI") != version.npos) return MpiFamily::open_mpi;
  for (const std::string_view word : {"MPICH", "Intel(R) MPI", "MVAPICH"})
    if (version.find(word) != version.npos) return MpiFamily::mpich;
  return MpiFamily::unknown;
}

std::string mpi_mismatch() {
  char version[longest_version] = "";
  int length = 0;
  if (built_with == MpiFamily::unknown || MPI_Get_library_version(version, &length) != MPI_SUCCESS) return "";
  const MpiFamily found = mpi_family(version, standard_version());
  if (found == MpiFamily::unknown || found == built_with) return "";
  const std::string loaded = loaded_mpis();
  return formatted(
      "this Weir was built with {}, and the calls of this program go to {}{}{}; load the modules of one MPI only, or "
      "build Weir with the MPI of the program",
      in_words(built_with), first_words(version), found == MpiFamily::standard ? " by MPI's standard ABI" : "",
      loaded.empty() ? "" : formatted(" (loaded: {})", loaded));
}

}  // namespace weir
