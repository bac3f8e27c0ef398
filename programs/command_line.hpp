// SPDX-License-Identifier: Apache-2.0
// The command line of a program that runs on many ranks.
#pragma once

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <optional>

namespace weir::bench {

// Parses it on every rank. nullopt: go on. Else the exit code, the same on all ranks: 0 where help was asked for, 2
// where it is wrong on any rank (a directory may be missing on one host alone); the first such rank has printed what
// there is to say. Collective.
std::optional<int> parse_together(CLI::App& app, int argc, char** argv, MPI_Comm comm);

}  // namespace weir::bench
