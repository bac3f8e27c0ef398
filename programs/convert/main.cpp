// SPDX-License-Identifier: Apache-2.0
// weir-convert IN OUT: makes a file of another format. See convert.hpp.
#include <map>
#include <sstream>

#include "base/text.hpp"
#include "convert.hpp"
#include "plain_options.hpp"
#include "weir/types.h"

namespace {

using weir::bench::WrongLine;
using weir::convert::Options;

constexpr const char* usage =
    "weir-convert [OPTION...] IN OUT\n"
    "Makes OUT of the file IN, with the same dimensions, variables, attributes and values:\n"
    "  --format NAME     cdf1, cdf2, cdf5, netcdf4 or zarr (default: zarr where OUT ends in .zarr, else netcdf4)\n"
    "  --chunks LENGTHS  lengths of chunks by dimension: time=1,y=100,x=200\n"
    "  --deflate LEVEL   compress as zlib does, 0 to 9\n"
    "  --zstd LEVEL      compress by zstd\n"
    "  --shuffle         sort bytes by their significance before they are compressed\n"
    "  --config TEXT     Weir's configuration: a YAML file or text\n"
    "  --overwrite       replace OUT where it is there already\n"
    "  --progress        name each variable on standard error\n";

const std::map<std::string, int> formats = {
    {"cdf1", WEIR_CDF1}, {"cdf2", WEIR_CDF2}, {"cdf5", WEIR_CDF5}, {"netcdf4", WEIR_NETCDF4}, {"zarr", WEIR_ZARR}};

int read_level(const weir::bench::PlainOptions& line, const std::string& name, int most) {
  if (!line.given.contains(name)) return -1;
  return static_cast<int>(weir::bench::whole_number("--" + name, line.given.at(name), 0, most));
}

std::map<std::string, std::int64_t> read_chunks(const std::string& text) {
  std::map<std::string, std::int64_t> chunks;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = word.rfind('=');
    if (equals == std::string::npos || equals == 0)
      throw WrongLine(weir::formatted("--chunks needs DIMENSION=LENGTH, separated by commas, not \"{}\"", word));
    chunks[word.substr(0, equals)] = weir::bench::whole_number("--chunks", word.substr(equals + 1), 1);
  }
  return chunks;
}

int read_format(const weir::bench::PlainOptions& line, const std::string& out) {
  if (!line.given.contains("format"))
    return out.ends_with(".zarr") || out.ends_with(".zarr/") ? WEIR_ZARR : WEIR_NETCDF4;
  const auto format = formats.find(line.given.at("format"));
  if (format != formats.end()) return format->second;
  throw WrongLine(weir::formatted("unknown format \"{}\": give one of those below", line.given.at("format")));
}

Options read(const weir::bench::PlainOptions& line) {
  if (line.words.size() != 2) throw WrongLine("give IN, the file to read, and OUT, the file to make");
  const auto& given = line.given;
  Options options;
  options.format = read_format(line, line.words[1]);
  if (given.contains("config")) options.config = given.at("config");
  if (given.contains("chunks")) options.chunks = read_chunks(given.at("chunks"));
  options.deflate = read_level(line, "deflate", 9);
  options.zstd = read_level(line, "zstd", 22);
  options.shuffle = given.contains("shuffle");
  options.overwrite = given.contains("overwrite");
  options.progress = given.contains("progress");
  const bool packs = !options.chunks.empty() || options.deflate >= 0 || options.zstd >= 0 || options.shuffle;
  if (packs && !weir::convert::is_packed(options.format))
    throw WrongLine("a classic file has neither chunks nor compression: give --format netcdf4 or zarr");
  if (options.deflate >= 0 && options.zstd >= 0) throw WrongLine("give --deflate or --zstd, not both");
  return options;
}

void run(const weir::bench::PlainOptions& line, const weir::bench::PlainRanks& ranks) {
  const Options options = read(line);
  weir::convert::convert(ranks, line.words[0], line.words[1], options);
}

}  // namespace

int main(int argc, char** argv) {
  return weir::bench::run_by_ranks(
      {"weir-convert",
       usage,
       {"format=", "chunks=", "deflate=", "zstd=", "shuffle", "config=", "overwrite", "progress"},
       run},
      argc, argv);
}
