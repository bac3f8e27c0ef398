// SPDX-License-Identifier: Apache-2.0
// The command line of a program that is built wherever the library is, and so does without CLI11: long options, with or
// without a value, and words; and what such programs do at their beginning and end.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace weir::bench {

struct PlainOptions {
  std::map<std::string, std::string> given;  // by name without its dashes; "" where it takes no value
  std::vector<std::string> words;
  std::string wrong;  // what cannot be read, for a sentence; "" where all can
};

// The command line is wrong: what() says what to give.
struct WrongLine : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The whole number that `option` was given. Throws WrongLine where there is none, or not within least and most. Local.
std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t least,
                          std::int64_t most = std::numeric_limits<std::int64_t>::max());

// `names`: an option that takes a value ends with '=', as in "records=". --help is always one. Local.
PlainOptions read_options(int argc, char** argv, const std::vector<std::string>& names);

struct PlainProgram {
  std::string name, usage;
  std::vector<std::string> options;  // as read_options wants them
  // speaks: on rank 0. All ranks have the same command line, and come to the same end. Throws WrongLine before anything
  // is done, and any other std::exception after.
  std::function<void(const PlainOptions& line, bool speaks)> run;
};

// Begins and ends MPI around it. Rank 0 answers --help and tells of what was thrown. Exit code 0: done; 1: it could not
// be; 2: the command line was wrong.
int run_under_mpi(const PlainProgram& program, int argc, char** argv);

}  // namespace weir::bench
