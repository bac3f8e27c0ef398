/* SPDX-License-Identifier: Apache-2.0 */
/* What the two parts of the stand-in for PIO share: a file, and what its root answers. */
#pragma once

#ifdef WEIR_NETCDF
#include <netcdf.h>
#endif
#include <pnetcdf.h>
#include <stddef.h>

#include "pio/interface.h"

enum { most = 64, bad_number = -33, bad_argument = -36, no_variable = -49 };

struct system {
  MPI_Comm comm;
  int root;
};
struct file {
  struct system* system;
  int ncid, packed, frames[most];
};

/* NULL where the number is no file's. */
struct file* file_of(int number);
int is_root(const struct file* file);
/* The root's answer. */
int answer(const struct file* file, int code);
MPI_Datatype type_of(int type);
size_t bytes_of(MPI_Datatype type);

/* Of netCDF-4: the fill value of a variable of doubles, and data by the types that they have in memory. */
int packed_fill(int ncid, int var, void* value);
int packed_put(int ncid, int var, const MPI_Offset* start, const MPI_Offset* count, MPI_Datatype type,
               const void* values);
int packed_get(int ncid, int var, const MPI_Offset* start, const MPI_Offset* count, MPI_Datatype type, void* values);
