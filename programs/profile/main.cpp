// SPDX-License-Identifier: Apache-2.0
// weir-profile: measures the machine it runs on (docs/machines.md, docs/tuning.md).
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/clock.hpp"
#include "base/host.hpp"
#include "base/text.hpp"
#include "measure.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "simulate/profile_number.hpp"
#include "simulate/profile_text.hpp"

namespace weir::profile {
namespace {

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32] = "";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string counted(int count, const char* word) {
  return formatted("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string about(const Site& site) {
  return formatted("measured on {} with {}; storage {}, {}", counted(site.hosts(), "host"),
                   counted(site.ranks(), "rank"), site.file_system.name,
                   std::filesystem::absolute(site.directory).lexically_normal().string());
}

Profile measure(const Site& site, const Options& options) {
  Sampler sampler(site, options.seconds, site.world.rank() == 0 && bench::somebody_watches());
  Profile profile;
  profile.name = options.name.empty() ? machine_name() : options.name;
  profile.about = about(site);
  profile.measured = time_of_day();
  profile.cores = std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
  if (options.ranks_per_host > 0) profile.cores = options.ranks_per_host;
  profile.memory = site.memory_bytes;
  sampler.begin("network");
  measure_network(site, sampler, profile);
  sampler.begin("copying");
  measure_copy(site, sampler, profile);
  sampler.begin("storage");
  measure_storage(site, sampler, profile);
  measure_stripes(site, sampler, profile, options);
  sampler.begin("collective writes");
  measure_two_phase(site, sampler, profile);
  sampler.begin("packing");
  measure_packing(site, sampler, profile);
  measure_formats(site, sampler, profile);
  sampler.begin("computing");
  measure_compute(site, sampler, profile);
  measure_control(site, sampler, profile);
  return profile;
}

// What cannot be read again must not be left behind.
void leave(const Profile& profile, const std::string& path) {
  const std::string text = simulate::profile_text(profile);
  simulate::parse_profile(text, path);
  if (path == "-") {
    std::cout << text << std::flush;
    return;
  }
  std::ofstream file(path);
  file << text;
  file.close();
  require(file.good(), WEIR_EIO, "the profile cannot be written to \"{}\": give another --output", path);
}

std::string table(const Profile& profile, double seconds) {
  using simulate::show_number;
  using simulate::Unit;
  const auto rate = [](double value) { return show_number(value, Unit::bytes_a_second); };
  std::ostringstream out;
  out << "machine " << profile.name << ", " << profile.about << ", in " << show_number(seconds, Unit::seconds) << "\n";
  const auto curve = [&](const std::string& what, const simulate::Curve& points) {
    if (points.empty()) return;
    out << what << ':';
    for (const auto& point : points.points()) out << "  " << point.at << ": " << rate(point.rate.value);
    out << '\n';
  };
  const auto link = [&](const std::string& where, const simulate::Link& way) {
    if (way.bandwidth.empty()) return;
    out << "latency " << where << ": " << show_number(way.latency.value, Unit::seconds) << '\n';
    curve(formatted("messages {}, by pairs of ranks", where), way.bandwidth);
  };
  link("within a host", profile.within);
  link("between hosts", profile.between);
  curve("copying, by ranks of a host", profile.copy);
  curve("one file, by writers", profile.storage.rate);
  curve("shuffle and zlib, a core, by level", profile.packing.zlib.rate);
  curve("shuffle and zstd, a core, by level", profile.packing.zstd.rate);
  out << "making a file " << show_number(profile.storage.create.value, Unit::seconds) << ", a commit "
      << show_number(profile.storage.commit.value, Unit::seconds) << ", spread of the ranks' speed "
      << show_number(profile.compute_spread.value, Unit::share) << '\n';
  return out.str();
}

// The exit code: 0, or 2 where the command line was wrong.
int run(int argc, char** argv) {
  int rank = 0, exit_code = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  const std::optional<Options> options = parse_options(argc, argv, MPI_COMM_WORLD, exit_code);
  if (!options) return exit_code;
  const double start = now_seconds();
  const Site site = look_around(*options);
  const Profile profile = measure(site, *options);
  Status status;
  try {
    if (rank == 0) leave(profile, options->output);
  } catch (const Error& error) {
    status = {error.code(), error.what()};
  }
  agree_or_throw(site.world, status, "writing the profile");
  if (rank == 0) std::cerr << table(profile, now_seconds() - start);
  return 0;
}

}  // namespace
}  // namespace weir::profile

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0, exit_code = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    exit_code = weir::profile::run(argc, argv);
  } catch (const weir::Error& error) {  // on all ranks alike
    if (rank == 0) std::cerr << "weir-profile: " << error.what() << std::endl;
  } catch (const std::exception& error) {
    std::cerr << "weir-profile: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, exit_code);
  }
  MPI_Finalize();
  return exit_code;
}
