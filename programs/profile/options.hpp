// SPDX-License-Identifier: Apache-2.0
// The command line of weir-profile.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>

namespace weir::profile {

struct Options {
  double seconds = 90;            // that measuring may take, nearly
  std::string directory = ".";    // whose storage is measured
  std::string name;               // of the machine; "": what machine_name() says
  std::string output = "-";       // the profile; "-": standard output
  int ranks_per_host = 0;         // take so many ranks of a host for a host; 0: all of them
  std::int64_t servers = 0;       // of a striped storage; 0: not known
  std::int64_t stripe_count = 0;  // of them, those that have a part of a file; 0: all
  std::int64_t stripe_bytes = 0;  // that a server has in a row; 0: what the file system reports
};

// nullopt where it only asked for help or was wrong: `exit_code` then says which, and one rank has printed what there
// was to say. Collective.
std::optional<Options> parse_options(int argc, char** argv, MPI_Comm comm, int& exit_code);

}  // namespace weir::profile
