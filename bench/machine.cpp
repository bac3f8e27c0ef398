// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <netcdf.h>
#include <pnetcdf.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "check.hpp"

namespace weir::bench {
namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string file_system(const std::string& directory) {
  static const std::map<unsigned long, std::string> names = {
      {0x01021994, "tmpfs"},  {0xEF53, "ext4"},     {0x58465342, "xfs"},  {0x9123683E, "btrfs"},  {0x6969, "nfs"},
      {0x0BD00BD0, "lustre"}, {0x47504653, "gpfs"}, {0x65735546, "fuse"}, {0x794C7630, "overlay"}};
  struct statfs status {};
  check_system(::statfs(directory.c_str(), &status), formatted("asking the file system of {}", directory));
  const auto found = names.find(static_cast<unsigned long>(status.f_type) & 0xFFFFFFFFUL);
  if (found != names.end()) return found->second;
  std::ostringstream number;
  number << "0x" << std::hex << status.f_type;
  return number.str();
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check_mpi(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  return first_line(text.data());
}

// Distinct processor names over comm.
std::size_t count_hosts(MPI_Comm comm) {
  using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;
  Name own{};
  int length = 0;
  int ranks = 1;
  check_mpi(MPI_Get_processor_name(own.data(), &length), "MPI_Get_processor_name");
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  std::vector<Name> names(ranks);
  check_mpi(
      MPI_Allgather(own.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, comm),
      "MPI_Allgather");
  return std::set<Name>(names.begin(), names.end()).size();
}

// What was set in the environment to choose the MPI-IO layer, and Weir's keys.
nlohmann::ordered_json chosen_by_environment() {
  nlohmann::ordered_json chosen = nlohmann::ordered_json::object();
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("WEIR_") && !text.starts_with("OMPI_MCA_io=")) continue;
    const auto equals = text.find('=');
    chosen[std::string(text.substr(0, equals))] = std::string(text.substr(equals + 1));
  }
  return chosen;
}

}  // namespace

nlohmann::ordered_json describe_machine(const std::string& directory, MPI_Comm comm) {
  const std::size_t hosts = count_hosts(comm);
  struct utsname system {};
  check_system(::uname(&system), "uname");
  const char* io = std::getenv("OMPI_MCA_io");
  nlohmann::ordered_json machine;
  machine["hosts"] = hosts;
  machine["cpus"] = ::sysconf(_SC_NPROCESSORS_ONLN);
  machine["cpu_model"] = cpu_model();
  machine["memory_bytes"] = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  machine["kernel"] = std::string(system.sysname) + " " + system.release;
  machine["mpi"] = mpi_version();
  machine["mpi_io"] = io ? nlohmann::ordered_json(io) : nlohmann::ordered_json(nullptr);
  machine["pnetcdf"] = ncmpi_inq_libvers();
  machine["netcdf"] = nc_inq_libvers();
  machine["directory"] = directory;
  machine["file_system"] = file_system(directory);
  machine["environment"] = chosen_by_environment();
  return machine;
}

}  // namespace weir::bench
