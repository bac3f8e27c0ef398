// SPDX-License-Identifier: Apache-2.0
// The arguments of a put or get: a variable, a part of it, and where its elements lie in memory, for all forms of
// PnetCDF's calls; and the check whether Weir handles the put.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "core/prepared.hpp"

namespace weir::bridge {

// A variable as the underlying library has it now.
struct Variable {
  Type type = WEIR_BYTE;
  bool record = false;
  Shape shape;  // of a record variable, shape[0] stands for nothing
};

struct Buffer {
  const void* values = nullptr;
  bool flexible = false;  // count and datatype say what lies there; else elements of `type`
  Type type = WEIR_BYTE;
  MPI_Offset count = 0;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
};

struct Access {
  enum class Form { whole, one, box, list, datatype };  // var, var1, vara and vars and varm, varn, vard
  Form form = Form::whole;
  int var = 0;
  const MPI_Offset* start = nullptr;
  const MPI_Offset* count = nullptr;
  const MPI_Offset* stride = nullptr;
  const MPI_Offset* imap = nullptr;
  int number = 0;
  MPI_Offset* const* starts = nullptr;
  MPI_Offset* const* counts = nullptr;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  Buffer buffer{};
};

struct FileForm {
  int format = 1;                 // 1, 2 or 5
  std::int64_t records = 0;       // now
  bool relaxed = false;           // nothing may be put just behind a dimension's end
  std::int64_t record_bytes = 0;  // of all variables with records together
  bool counts_empty = true;       // a put of no elements adds the records that it names
};

// nullopt where the call is none that surely succeeds: the underlying library then says what it is. Local.
std::optional<Prepared> prepare(const Access& access, const std::vector<Variable>& variables, const FileForm& form);

}  // namespace weir::bridge
