// SPDX-License-Identifier: Apache-2.0
// MPI datatypes of netCDF's types.
#pragma once

#include <mpi.h>

#include "schema/types.hpp"

namespace weir {

// Of an element in memory. Local.
MPI_Datatype mpi_type(Type type) noexcept;

}  // namespace weir
