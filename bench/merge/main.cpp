// SPDX-License-Identifier: Apache-2.0
// weir-merge OUT.nc [PART...]: makes one file of part files. See merge.hpp. Exit code 0: it is made; 1: it could not
// be; 2: the command line was wrong.
#include <mpi.h>

#include <charconv>
#include <cstdio>
#include <iostream>
#include <optional>

#include "base/error.hpp"
#include "merge.hpp"
#include "parts.hpp"
#include "plain_options.hpp"

namespace {

constexpr const char* usage =
    "weir-merge [OPTION...] OUT [PART...]\n"
    "Makes one netCDF file, OUT, of the part files that file_per_rank or file_per_domain wrote:\n"
    "of OUT.0000, OUT.0001, ..., or of those named.\n"
    "  --config TEXT    Weir's configuration: a YAML file or text\n"
    "  --records COUNT  merge so many records, the first ones (default: all)\n"
    "  --overwrite      replace OUT where it is there already\n"
    "  --remove         remove the parts when the file is made\n";

std::optional<std::int64_t> read_count(const std::string& text) {
  std::int64_t count = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (code != std::errc() || end != text.data() + text.size() || count < 0) return std::nullopt;
  return count;
}

int refuse(bool speaks, const std::string& why) {
  if (speaks) std::cerr << "weir-merge: " << why << "\n" << usage;
  return 2;
}

// All ranks have the same command line, and come to the same end.
int run(int argc, char** argv, bool speaks) {
  const weir::bench::PlainOptions line =
      weir::bench::read_options(argc, argv, {"config=", "records=", "overwrite", "remove"});
  if (line.given.contains("help")) {
    if (speaks) std::cout << usage;
    return 0;
  }
  if (!line.wrong.empty()) return refuse(speaks, line.wrong);
  if (line.words.empty()) return refuse(speaks, "give OUT, the file to make");
  weir::MergeOptions options;
  options.overwrite = line.given.contains("overwrite");
  if (line.given.contains("config")) options.config = line.given.at("config");
  if (line.given.contains("records")) {
    const auto count = read_count(line.given.at("records"));
    if (!count) return refuse(speaks, "--records wants a count, not " + line.given.at("records"));
    options.records = *count;
  }
  const std::string& out = line.words.front();
  std::vector<std::string> parts(line.words.begin() + 1, line.words.end());
  if (parts.empty()) parts = weir::find_parts(out);
  weir::require(!parts.empty(), WEIR_EIO, "there is no part file " + out + ".0000 or the like");
  MPI_Barrier(MPI_COMM_WORLD);  // the search for parts must not find the file being made
  weir::merge(MPI_COMM_WORLD, out, parts, options);
  if (line.given.contains("remove") && speaks)
    for (const std::string& part : parts) std::remove(part.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, code = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    code = run(argc, argv, rank == 0);
  } catch (const std::exception& error) {
    if (rank == 0) std::cerr << "weir-merge: " << error.what() << "\n";
  }
  MPI_Finalize();
  return code;
}
