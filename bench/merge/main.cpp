// SPDX-License-Identifier: Apache-2.0
// weir-merge OUT.nc [PART...]: makes one file of part files. See merge.hpp. Exit code 0: it is made; 1: it could not
// be; 2: the command line was wrong.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "base/error.hpp"
#include "command_line.hpp"
#include "merge.hpp"
#include "parts.hpp"

namespace {

int run(int argc, char** argv) {
  CLI::App app("Makes one netCDF file of the part files that file_per_rank or file_per_domain wrote");
  std::string out;
  std::vector<std::string> parts;
  weir::MergeOptions options;
  bool remove = false;
  app.add_option("OUT", out, "the file to make")->required();
  app.add_option("PART", parts, "its parts (default: OUT.0000, OUT.0001, ...)");
  app.add_option("--config", options.config, "Weir's configuration: a YAML file or text");
  app.add_option("--records", options.records, "merge so many records, the first ones (default: all)")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--overwrite", options.overwrite, "replace OUT where it is there already");
  app.add_flag("--remove", remove, "remove the parts when the file is made");
  if (const auto code = weir::bench::parse_together(app, argc, argv, MPI_COMM_WORLD)) return *code;
  if (parts.empty()) parts = weir::find_parts(out);
  weir::require(!parts.empty(), WEIR_EIO, "there is no part file " + out + ".0000 or the like");
  MPI_Barrier(MPI_COMM_WORLD);  // the search for parts must not find the file being made
  weir::merge(MPI_COMM_WORLD, out, parts, options);
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
