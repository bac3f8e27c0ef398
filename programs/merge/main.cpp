// SPDX-License-Identifier: Apache-2.0
// weir-merge OUT.nc [PART...]: makes one file of part files. See merge.hpp.
#include <cstdio>

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

// All ranks have the same command line, and come to the same end.
void run(const weir::bench::PlainOptions& line, const weir::bench::PlainRanks& ranks) {
  if (line.words.empty()) throw weir::bench::WrongLine("give OUT, the file to make");
  const auto& given = line.given;
  weir::MergeOptions options;
  options.overwrite = given.contains("overwrite");
  if (given.contains("config")) options.config = given.at("config");
  if (given.contains("records")) options.records = weir::bench::whole_number("--records", given.at("records"), 0);
  const std::string& out = line.words.front();
  std::vector<std::string> parts(line.words.begin() + 1, line.words.end());
  if (parts.empty()) parts = weir::find_parts(out);
  weir::require(!parts.empty(), WEIR_EIO, "there is no part file {}.0000 or the like", out);
  ranks.barrier();  // the search for parts must not find the file being made
  weir::merge(ranks.comm, out, parts, options);
  if (given.contains("remove") && ranks.speaks())
    for (const std::string& part : parts) std::remove(part.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  return weir::bench::run_by_ranks({"weir-merge", usage, {"config=", "records=", "overwrite", "remove"}, run}, argc,
                                   argv);
}
