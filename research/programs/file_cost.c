/* SPDX-License-Identifier: Apache-2.0 */
/* What a small file and its small puts cost by Weir and by PnetCDF, step by step and in turn: the medians over the
 * files, in microseconds, of the slowest rank. Usage: file_cost FOLDER [FILES] */
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir/weir.h>

enum { variables = 5, records = 8, rows = 16, columns = 16, most_files = 10000 };
enum { create, define, enddef, first_put, later_put, close_file, whole, steps };

static const char* const names[] = {"create", "definitions", "end of definitions", "first put", "later put",
                                    "close",  "the file"};

typedef struct {
  MPI_Comm comm;
  int rank, ranks, layout;
  weir_t* weir;
  double last; /* when the step began */
  double seconds[steps];
} Run;

static float block[rows * columns];
static double times[2][steps][most_files];

static void must(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "file_cost: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void ends(Run* run, int step) {
  const double now = MPI_Wtime();
  run->seconds[step] += now - run->last;
  run->last = now;
}

static void weir_must(Run* run, int code) {
  must(code == WEIR_OK, weir_error(run->weir));
}

static void by_weir(Run* run, const char* path) {
  weir_file* file;
  int dims[3], vars[variables];
  weir_must(run, weir_create(run->weir, path, WEIR_CLOBBER, &file));
  ends(run, create);
  weir_must(run, weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]));
  weir_must(run, weir_def_dim(file, "y", (int64_t)rows * run->ranks, &dims[1]));
  weir_must(run, weir_def_dim(file, "x", columns, &dims[2]));
  for (int v = 0; v < variables; ++v) {
    const char name[] = {'v', (char)('0' + v), '\0'};
    weir_must(run, weir_def_var(file, name, WEIR_FLOAT, 3, dims, &vars[v]));
  }
  ends(run, define);
  weir_must(run, weir_enddef(file));
  ends(run, enddef);
  for (int i = 0; i < variables * records; ++i) {
    weir_must(run, weir_put(file, vars[i % variables], i / variables, run->layout, WEIR_FLOAT, block));
    ends(run, i == 0 ? first_put : later_put);
  }
  weir_must(run, weir_close(file));
  ends(run, close_file);
}

static void pnetcdf_must(int code) {
  must(code == NC_NOERR, ncmpi_strerror(code));
}

static void by_pnetcdf(Run* run, const char* path) {
  int file, dims[3], vars[variables];
  pnetcdf_must(ncmpi_create(run->comm, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  ends(run, create);
  pnetcdf_must(ncmpi_def_dim(file, "time", NC_UNLIMITED, &dims[0]));
  pnetcdf_must(ncmpi_def_dim(file, "y", (MPI_Offset)rows * run->ranks, &dims[1]));
  pnetcdf_must(ncmpi_def_dim(file, "x", columns, &dims[2]));
  for (int v = 0; v < variables; ++v) {
    const char name[] = {'v', (char)('0' + v), '\0'};
    pnetcdf_must(ncmpi_def_var(file, name, NC_FLOAT, 3, dims, &vars[v]));
  }
  ends(run, define);
  pnetcdf_must(ncmpi_enddef(file));
  ends(run, enddef);
  for (int i = 0; i < variables * records; ++i) {
    const MPI_Offset start[] = {i / variables, (MPI_Offset)rows * run->rank, 0}, count[] = {1, rows, columns};
    pnetcdf_must(ncmpi_put_vara_float_all(file, vars[i % variables], start, count, block));
    ends(run, i == 0 ? first_put : later_put);
  }
  pnetcdf_must(ncmpi_close(file));
  ends(run, close_file);
}

static void one_file(Run* run, int way, int number, const char* folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/file_cost.%d.nc", folder, way);
  MPI_Barrier(run->comm);
  memset(run->seconds, 0, sizeof run->seconds);
  const double begin = run->last = MPI_Wtime();
  if (way == 0)
    by_weir(run, path);
  else
    by_pnetcdf(run, path);
  run->seconds[later_put] /= variables * records - 1;
  run->seconds[whole] = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, run->seconds, steps, MPI_DOUBLE, MPI_MAX, run->comm);
  for (int step = 0; step < steps; ++step) times[way][step][number] = run->seconds[step];
  if (run->rank == 0) remove(path);
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return 1e6 * values[count / 2];
}

int main(int argc, char** argv) {
  Run run;
  MPI_Init(&argc, &argv);
  const int files = argc > 2 ? atoi(argv[2]) : 200;
  must(argc > 1 && files > 0 && files <= most_files, "usage: file_cost FOLDER [FILES]");
  must(weir_init(MPI_COMM_WORLD, NULL, &run.comm, &run.weir) == WEIR_OK, weir_init_error());
  MPI_Comm_rank(run.comm, &run.rank);
  MPI_Comm_size(run.comm, &run.ranks);
  const int64_t shape[] = {(int64_t)rows * run.ranks, columns}, start[] = {(int64_t)rows * run.rank, 0};
  const int64_t count[] = {rows, columns};
  weir_must(&run, weir_def_layout(run.weir, 2, shape, 1, start, count, NULL, &run.layout));
  for (int number = 0; number < files; ++number)
    for (int way = 0; way < 2; ++way) one_file(&run, way, number, argv[1]);
  if (run.rank == 0) printf("%-20s %10s %10s\n", "microseconds", "Weir", "PnetCDF");
  for (int step = 0; step < steps && run.rank == 0; ++step)
    printf("%-20s %10.1f %10.1f\n", names[step], median(times[0][step], files), median(times[1][step], files));
  weir_finalize(&run.weir);
  MPI_Comm_free(&run.comm);
  MPI_Finalize();
  return 0;
}
