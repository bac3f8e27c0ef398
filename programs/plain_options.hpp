// SPDX-License-Identifier: Apache-2.0
// The command line of a program that is built wherever the library is, and so does without CLI11: long options, with or
// without a value, and words; and what such programs do at their beginning and end.
#pragma once

#include <mpi.h>

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

// MPI_COMM_WORLD's; or MPI_COMM_SELF, one rank, without MPI.
struct PlainRanks {
  MPI_Comm comm = MPI_COMM_SELF;
  int rank = 0, size = 1;

  void barrier() const;
  bool speaks() const noexcept { return rank == 0; }
};

struct PlainProgram {
  std::string name, usage;
  std::vector<std::string> options;  // as read_options wants them
  // Rank 0 speaks. All ranks have the same command line, and come to the same end. Throws WrongLine before anything
  // is done, and any other std::exception after.
  std::function<void(const PlainOptions& line, const PlainRanks& ranks)> run;
  int thread_level = MPI_THREAD_SINGLE;  // that MPI is asked for
};

// Whether a launcher has started this process as a rank, as far as the variables tell that launchers set. Local.
bool started_as_rank();

// Begins and ends MPI around it where a launcher has started it; else MPI stays as it is, since MPI_Init may end a
// program on a login node. Rank 0 answers --help and tells of what was thrown. Exit code 0: done; 1: it could not be;
// 2: the command line was wrong.
int run_by_ranks(const PlainProgram& program, int argc, char** argv);

}  // namespace weir::bench
