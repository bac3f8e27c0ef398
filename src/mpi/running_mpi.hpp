// SPDX-License-Identifier: Apache-2.0
// Finds out which MPI library the calls of this program reach. If two are loaded, the first gets all calls, also those
// of libraries that were built with the other one, whose communicators it does not know. instance/instance.cpp asks at
// the start.
#pragma once

#include <string>
#include <string_view>

namespace weir {

// MPI libraries with one binary interface; `standard` is the one that MPI 5 defines. `unknown` counts as the right one.
enum class MpiFamily { open_mpi, mpich, standard, unknown };

// Returns the family for the text of MPI_Get_library_version and the version of the standard interface that
// MPI_Abi_get_version gives (below 1: a library with an interface of its own). Pure.
MpiFamily mpi_family(std::string_view version, int standard_version) noexcept;

// Returns a sentence if the MPI that answers is of another family than the one that Weir was built with: what it is,
// which are loaded, and what to do; else "". MPI need not be initialised. Local; the same on all ranks of a program.
std::string mpi_mismatch();

}  // namespace weir
