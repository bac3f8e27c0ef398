// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <iostream>
#include <sstream>

#include "mpi/comm.hpp"

namespace weir::bench {

std::optional<int> parse_together(CLI::App& app, int argc, char** argv, MPI_Comm comm) {
  int rank = 0, ranks = 1;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  std::ostringstream out, complaints;
  int speaker = ranks, exit_code = 0;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error, out, complaints) == 0 ? 0 : 2;
    speaker = rank;
  }
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (speaker == ranks) return std::nullopt;
  if (rank == speaker) {
    std::cout << out.str() << std::flush;
    std::cerr << complaints.str() << std::flush;
  }
  check_mpi(MPI_Bcast(&exit_code, 1, MPI_INT, speaker, comm), "MPI_Bcast");
  return exit_code;
}

}  // namespace weir::bench
