/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel netCDF-4 as a model writes it, by a program that knows nothing of Weir: smooth fields with noise in their
 * last bits, shuffled and deflated, of blocks of rows and columns, each put collective. Rank 0 prints the seconds from
 * the creation of the file to its end. research/netcdf4-cost runs it with the bridge and without.
 *
 *   netcdf4_cost FILE [LEVEL [CHUNKS [WORK]]]   deflate's level (1; 0: not compressed; -1: no output); CHUNKS: default,
 *                                               netCDF-C's own, or part, those of the ranks' parts; WORK: what each
 *                                               rank computes before a record, in passes over 64 KiB (0) */
#include <math.h>
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NY = 512, NX = 512, NZ = 4, VARIABLES = 5, RECORDS = 4 };

static int rank, ranks, file, vars[VARIABLES];
static size_t start[4], count[4] = {1, NZ, 0, 0};

static void check(int code, const char* what) {
  if (code == NC_NOERR) return;
  fprintf(stderr, "netcdf4_cost: rank %d: %s: %s\n", rank, what, nc_strerror(code));
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECK(call) check(call, #call)

static void take_part(void) {
  int sizes[2] = {0, 0};
  MPI_Dims_create(ranks, 2, sizes);
  const int j = rank / sizes[1], i = rank % sizes[1];
  start[2] = (size_t)(NY * j / sizes[0]), count[2] = (size_t)(NY * (j + 1) / sizes[0]) - start[2];
  start[3] = (size_t)(NX * i / sizes[1]), count[3] = (size_t)(NX * (i + 1) / sizes[1]) - start[3];
}

static void define(const char* path, int level, int by_part) {
  int dims[4];
  CHECK(nc_create_par(path, NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  CHECK(nc_def_dim(file, "time", NC_UNLIMITED, &dims[0]));
  CHECK(nc_def_dim(file, "z", NZ, &dims[1]));
  CHECK(nc_def_dim(file, "y", NY, &dims[2]));
  CHECK(nc_def_dim(file, "x", NX, &dims[3]));
  for (int v = 0; v < VARIABLES; ++v) {
    char name[16];
    snprintf(name, sizeof name, "field%d", v);
    CHECK(nc_def_var(file, name, NC_FLOAT, 4, dims, &vars[v]));
    if (by_part) CHECK(nc_def_var_chunking(file, vars[v], NC_CHUNKED, count));
    if (level > 0) CHECK(nc_def_var_deflate(file, vars[v], 1, 1, level));
  }
  CHECK(nc_enddef(file));
  for (int v = 0; v < VARIABLES; ++v) CHECK(nc_var_par_access(file, vars[v], NC_COLLECTIVE));
}

/* A wave whose last 8 of 24 bits are noise. */
static void fill(float* values, int v, int record) {
  uint32_t noise = (uint32_t)(1 + rank + 97 * v + 1009 * record), bits;
  float* to = values;
  for (size_t z = 0; z < NZ; ++z)
    for (size_t y = start[2]; y < start[2] + count[2]; ++y)
      for (size_t x = start[3]; x < start[3] + count[3]; ++x, ++to) {
        *to = (float)(280 + 20 * sin(0.012 * (double)y + v) * cos(0.009 * (double)x + 0.3 * record) + 2 * (double)z);
        noise = noise * 1664525U + 1013904223U;
        memcpy(&bits, to, sizeof bits);
        bits = (bits & ~0xffU) | noise >> 24;
        memcpy(to, &bits, sizeof bits);
      }
}

/* A time step: all ranks wait for the last one. */
static void compute(long work) {
  static double busy[8192];
  for (long pass = 0; pass < work; ++pass)
    for (int i = 0; i < 8192; ++i) busy[i] = 0.999 * busy[i] + 0.001;
  double sum = 0;
  if (work > 0) MPI_Allreduce(&busy[rank % 8192], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2) return fprintf(stderr, "usage: netcdf4_cost FILE [LEVEL [default|part [WORK]]]\n"), 2;
  const int level = argc > 2 ? atoi(argv[2]) : 1;
  const long work = argc > 4 ? atol(argv[4]) : 0;
  take_part();
  const size_t elements = NZ * count[2] * count[3];
  float* values[RECORDS][VARIABLES];
  for (int r = 0; r < RECORDS; ++r)
    for (int v = 0; v < VARIABLES; ++v) {
      values[r][v] = malloc(elements * sizeof(float));
      fill(values[r][v], v, r);
    }
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (level >= 0) define(argv[1], level, argc > 3 && strcmp(argv[3], "part") == 0);
  for (int r = 0; r < RECORDS; ++r) {
    compute(work);
    start[0] = (size_t)r;
    for (int v = 0; v < VARIABLES && level >= 0; ++v)
      CHECK(nc_put_vara_float(file, vars[v], start, count, values[r][v]));
  }
  if (level >= 0) CHECK(nc_close(file));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%.4f\n", MPI_Wtime() - begin);
  for (int r = 0; r < RECORDS; ++r)
    for (int v = 0; v < VARIABLES; ++v) free(values[r][v]);
  MPI_Finalize();
  return 0;
}
