// SPDX-License-Identifier: Apache-2.0
// The types in the last word of PnetCDF's calls, and their MPI datatypes.
#pragma once

#include <mpi.h>

#include <optional>

#include "schema/types.hpp"

// X(more..., suffix, C type, Weir's type in memory) for each of them; flexible calls, which have no such word, are
// written out besides.
#define WEIR_EACH_TYPE(X, ...)                         \
  X(__VA_ARGS__, _text, char, WEIR_CHAR)               \
  X(__VA_ARGS__, _schar, signed char, WEIR_BYTE)       \
  X(__VA_ARGS__, _uchar, unsigned char, WEIR_UBYTE)    \
  X(__VA_ARGS__, _short, short, WEIR_SHORT)            \
  X(__VA_ARGS__, _ushort, unsigned short, WEIR_USHORT) \
  X(__VA_ARGS__, _int, int, WEIR_INT)                  \
  X(__VA_ARGS__, _uint, unsigned int, WEIR_UINT)       \
  X(__VA_ARGS__, _long, long, WEIR_INT64)              \
  X(__VA_ARGS__, _float, float, WEIR_FLOAT)            \
  X(__VA_ARGS__, _double, double, WEIR_DOUBLE)         \
  X(__VA_ARGS__, _longlong, long long, WEIR_INT64)     \
  X(__VA_ARGS__, _ulonglong, unsigned long long, WEIR_UINT64)

static_assert(sizeof(long) == 8, "long is taken for a 64-bit integer");

namespace weir::bridge {

// nullopt where it is no basic type that netCDF knows.
std::optional<Type> type_of(MPI_Datatype basic);
// The one basic type that a datatype is made of; nullopt where there are several, or none.
std::optional<MPI_Datatype> basic_of(MPI_Datatype datatype);
// The same as netCDF knows it.
std::optional<Type> element_of(MPI_Datatype datatype);

}  // namespace weir::bridge
