// SPDX-License-Identifier: Apache-2.0
// weir-merge OUT.nc [PART...]: makes one file of part files. See merge.hpp.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "base/error.hpp"
#include "merge.hpp"
#include "parts.hpp"

namespace {

int run(int argc, char** argv) {
  CLI::App app("Makes one netCDF file of the part files that file_per_rank or file_per_domain wrote");
  std::string out, config;
  std::vector<std::string> parts;
  bool remove = false;
  app.add_option("OUT", out, "the file to make")->required();
  app.add_option("PART", parts, "its parts (default: OUT.0000, OUT.0001, ...)");
  app.add_option("--config", config, "Weir's configuration: a YAML file or text");
  app.add_flag("--remove", remove, "remove the parts when the file is made");
  CLI11_PARSE(app, argc, argv);
  if (parts.empty()) parts = weir::find_parts(out);
  weir::require(!parts.empty(), WEIR_EIO, "there is no part file " + out + ".0000 or the like");
  MPI_Barrier(MPI_COMM_WORLD);  // the search for parts must not find the file being made
  weir::merge(MPI_COMM_WORLD, out, parts, config);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (remove && rank == 0)
    for (const std::string& part : parts) std::remove(part.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, code = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    code = run(argc, argv);
  } catch (const std::exception& error) {
    if (rank == 0) std::cerr << "weir-merge: " << error.what() << "\n";
  }
  MPI_Finalize();
  return code;
}
