// SPDX-License-Identifier: Apache-2.0
// What the C functions and the Fortran module call: a call as it was made, and what the front door itself refuses of it
// (a buffer too short, for instance), which all ranks are to hear of.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "request.hpp"

namespace weir::cfio2 {

struct AttributeArguments {
  const char* filename;
  const char* var_name;
  const char* name;
  int datatype;
  std::int64_t length;
  const void* values;
};

// Both return a weir_code and leave the sentence for cfio2_error. Collective.
int put(MPI_Comm comm, const Arguments& call, const Status& refused);
int put_attribute(MPI_Comm comm, const AttributeArguments& call, const Status& refused);

}  // namespace weir::cfio2
