// SPDX-License-Identifier: Apache-2.0
// Converts a file into another format, through Weir's own interface: weir_open, weir_create, weir_get_vara_all,
// weir_put_vara.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "plain_options.hpp"

namespace weir::convert {

struct Options {
  std::string config;                          // Weir's configuration; "": the environment's
  int format = 0;                              // the word of weir_create's mode
  std::map<std::string, std::int64_t> chunks;  // by dimension
  int deflate = -1, zstd = -1;                 // levels; -1: not asked for
  bool shuffle = false, overwrite = false, progress = false;
};

// Whether files of this format have chunks and filters.
bool is_packed(int format);

// Makes `out` of `in`. It appears under its name when it is whole; on error nothing new is there. Throws std::exception
// on all ranks. Collective.
void convert(const bench::PlainRanks& ranks, const std::string& in, const std::string& out, const Options& options);

}  // namespace weir::convert
