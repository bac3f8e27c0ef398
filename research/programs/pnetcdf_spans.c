/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded before a program that writes by blocking PnetCDF calls (research/unchanged does it): a file SPANS.RANK gets
 * a line for each, NAME BEGIN END in microseconds of the machine's clock, which the hosts of a lab share. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double microseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void note(const char* name, double begin) {
  static FILE* file;
  if (!file) {
    char path[1000];
    snprintf(path, sizeof path, "%s.%s", getenv("SPANS"), getenv("OMPI_COMM_WORLD_RANK"));
    file = fopen(path, "w");
    if (!file) exit(1);
  }
  fprintf(file, "%s %.1f %.1f\n", name, begin, microseconds());
}

#define TIMED(name, parameters, arguments)              \
  int name parameters {                                 \
    int(*library) parameters = dlsym(RTLD_NEXT, #name); \
    const double begin = microseconds();                \
    const int code = library arguments;                 \
    note(#name, begin);                                 \
    return code;                                        \
  }

TIMED(ncmpi_enddef, (int file), (file))
TIMED(ncmpi_close, (int file), (file))
TIMED(ncmpi_put_vara_all,
      (int file, int var, const MPI_Offset start[], const MPI_Offset count[], const void* values, MPI_Offset number,
       MPI_Datatype type),
      (file, var, start, count, values, number, type))
