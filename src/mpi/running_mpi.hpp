// SPDX-License-Identifier: Apache-2.0
// Finds out which MPI library the calls of this program reach. If two are loaded, the first one gets all calls, also
// those of libraries that were built with the other one, whose communicators it does not know.
#pragma once

#include <string>
#include <string_view>

namespace weir {

// MPIs of one binary interface. The interface of `unknown` is taken for the right one.
enum class MpiFamily { open_mpi, mpich, unknown };

// Of what MPI_Get_library_version says. Pure.
MpiFamily mpi_family(std::string_view version) noexcept;

// A sentence where the MPI that answers is of another family than the one that Weir was built with: what it is, which
// are loaded, and what to do. Else "". May be called whenever, MPI need not run; no communicator is touched. Local, and
// alike on all ranks of a program.
std::string mpi_mismatch();

}  // namespace weir
