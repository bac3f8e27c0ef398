// SPDX-License-Identifier: Apache-2.0
// weir-verify FILE...: whether files are whole: netCDF classic files whose header can be read and which have all bytes
// that it tells of. Exit code 0: all are; 1: one is not; 2: the command line was wrong.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "write/definition.hpp"
#include "write/visible.hpp"

namespace {

namespace fs = std::filesystem;

std::uintmax_t bytes_of(const std::string& path) {
  std::error_code gone;
  const std::uintmax_t bytes = fs::file_size(path, gone);
  return gone ? 0 : bytes;
}

void tell_leftovers(const std::string& path) {
  std::vector<std::string> unfinished = weir::leftovers(path);
  if (const std::string alone = weir::partial_name(path); fs::exists(alone)) unfinished.push_back(alone);
  for (const std::string& file : unfinished)
    std::printf("  %s (%ju bytes) is beside it, and no part of it: a run's that goes on, or that was ended\n",
                file.c_str(), bytes_of(file));
}

bool is_whole(const std::string& path) {
  bool whole = true;
  try {
    const weir::DefinedFile file = weir::read_definition(path);
    std::printf("%s is whole: CDF-%d, %zu variable(s), %lld record(s), %ju bytes\n", path.c_str(), file.geometry.format,
                file.schema.variables().size(), static_cast<long long>(file.geometry.records), bytes_of(path));
  } catch (const weir::Error& error) {
    std::printf("%s is not whole: %s\n", path.c_str(), error.what());
    whole = false;
  }
  tell_leftovers(path);
  return whole;
}

int run(int argc, char** argv) {
  CLI::App app("Tells whether netCDF classic files are whole, and what killed runs have left beside them");
  std::vector<std::string> files;
  app.add_option("FILE", files, "files to look at")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  bool all = true;
  for (const std::string& file : files) all = is_whole(file) && all;
  return all ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 2;
  try {
    code = run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weir-verify: %s\n", error.what());
  }
  MPI_Finalize();
  return code;
}
