// SPDX-License-Identifier: Apache-2.0
// weir-convert IN OUT: makes a file of another format. See convert.hpp. Exit code 0: it is made; 1: it could not be; 2:
// the command line was wrong.
#include <mpi.h>

#include <charconv>
#include <iostream>
#include <optional>
#include <sstream>

#include "convert.hpp"
#include "plain_options.hpp"
#include "weir/types.h"

namespace {

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

struct WrongLine : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::int64_t read_number(const std::string& option, const std::string& text, std::int64_t least) {
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number < least)
    throw WrongLine(option + " wants a number from " + std::to_string(least) + ", not \"" + text + "\"");
  return number;
}

int read_level(const std::string& option, const std::string& text, std::int64_t most) {
  const std::int64_t level = read_number(option, text, 0);
  if (level > most) throw WrongLine(option + " goes to " + std::to_string(most) + ", not " + text);
  return static_cast<int>(level);
}

std::map<std::string, std::int64_t> read_chunks(const std::string& text) {
  std::map<std::string, std::int64_t> chunks;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = word.rfind('=');
    if (equals == std::string::npos || equals == 0)
      throw WrongLine("--chunks wants DIMENSION=LENGTH, separated by commas, not \"" + word + "\"");
    chunks[word.substr(0, equals)] = read_number("--chunks", word.substr(equals + 1), 1);
  }
  return chunks;
}

int read_format(const weir::bench::PlainOptions& line, const std::string& out) {
  if (!line.given.contains("format"))
    return out.ends_with(".zarr") || out.ends_with(".zarr/") ? WEIR_ZARR : WEIR_NETCDF4;
  const std::string& name = line.given.at("format");
  if (!formats.contains(name))
    throw WrongLine("there is no format \"" + name + "\": give cdf1, cdf2, cdf5, netcdf4 or zarr");
  return formats.at(name);
}

Options read(const weir::bench::PlainOptions& line) {
  if (!line.wrong.empty()) throw WrongLine(line.wrong);
  if (line.words.size() != 2) throw WrongLine("give IN, the file to read, and OUT, the file to make");
  const auto& given = line.given;
  Options options;
  options.format = read_format(line, line.words[1]);
  if (given.contains("config")) options.config = given.at("config");
  if (given.contains("chunks")) options.chunks = read_chunks(given.at("chunks"));
  if (given.contains("deflate")) options.deflate = read_level("--deflate", given.at("deflate"), 9);
  if (given.contains("zstd")) options.zstd = read_level("--zstd", given.at("zstd"), 22);
  options.shuffle = given.contains("shuffle");
  options.overwrite = given.contains("overwrite");
  options.progress = given.contains("progress");
  const bool packs = !options.chunks.empty() || options.deflate >= 0 || options.zstd >= 0 || options.shuffle;
  if (packs && !weir::convert::is_packed(options.format))
    throw WrongLine("a classic file has neither chunks nor compression: give --format netcdf4 or zarr");
  if (options.deflate >= 0 && options.zstd >= 0) throw WrongLine("give --deflate or --zstd, not both");
  return options;
}

// All ranks have the same command line, and come to the same end.
int run(int argc, char** argv, bool speaks) {
  const weir::bench::PlainOptions line = weir::bench::read_options(
      argc, argv, {"format=", "chunks=", "deflate=", "zstd=", "shuffle", "config=", "overwrite", "progress"});
  if (line.given.contains("help")) {
    if (speaks) std::cout << usage;
    return 0;
  }
  Options options;
  try {
    options = read(line);
  } catch (const WrongLine& error) {
    if (speaks) std::cerr << "weir-convert: " << error.what() << "\n" << usage;
    return 2;
  }
  weir::convert::convert(MPI_COMM_WORLD, line.words[0], line.words[1], options);
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
    if (rank == 0) std::cerr << "weir-convert: " << error.what() << "\n";
  }
  MPI_Finalize();
  return code;
}
