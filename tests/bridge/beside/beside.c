/* SPDX-License-Identifier: Apache-2.0 */
/* What a put costs that the bridge takes over, beside Weir's own put of the same box: nanoseconds a call, the median of
 * BLOCKS blocks that take turns in one job. Run it under the bridge; without it the first column is PnetCDF alone.
 *
 *   beside FOLDER
 *
 * What follows a block is not in it: the sync, by which both have everything in their files. "new places" are puts of
 * which no one puts what another has put, so that each of them is new to a plan. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <weir/weir.h>

enum { BLOCKS = 21 };

typedef struct {
  int ncid, ncvar; /* PnetCDF's */
  weir_file* file; /* Weir's */
  int var, layout;
  int width, puts; /* floats a rank and put; puts a block */
  const float* values;
  char theirs[400], ours[400]; /* the files */
} pair_t;

typedef void put_t(const pair_t* pair, int number);

static int rank, ranks;
static weir_t* writer;

static void stop(const char* sentence) {
  fprintf(stderr, "rank %d: %s\n", rank, sentence);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
static void nc(int code) {
  if (code != NC_NOERR) stop(ncmpi_strerror(code));
}
static void weir(int code) {
  if (code != WEIR_OK) stop(weir_error(writer));
}

static void create(pair_t* pair, const char* folder) {
  int dims[2];
  const int64_t length = (int64_t)pair->width * ranks, begin = (int64_t)pair->width * rank, count = pair->width;
  snprintf(pair->theirs, sizeof pair->theirs, "%s/beside_pnetcdf.nc", folder);
  snprintf(pair->ours, sizeof pair->ours, "%s/beside_weir.nc", folder);
  nc(ncmpi_create(MPI_COMM_WORLD, pair->theirs, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &pair->ncid));
  nc(ncmpi_def_dim(pair->ncid, "t", NC_UNLIMITED, &dims[0]));
  nc(ncmpi_def_dim(pair->ncid, "x", length, &dims[1]));
  nc(ncmpi_def_var(pair->ncid, "v", NC_FLOAT, 2, dims, &pair->ncvar));
  nc(ncmpi_enddef(pair->ncid));
  weir(weir_create(writer, pair->ours, WEIR_CDF5, &pair->file));
  weir(weir_def_dim(pair->file, "t", 0, &dims[0]));
  weir(weir_def_dim(pair->file, "x", length, &dims[1]));
  weir(weir_def_var(pair->file, "v", WEIR_FLOAT, 2, dims, &pair->var));
  weir(weir_enddef(pair->file));
  weir(weir_def_layout(writer, 1, &length, 1, &begin, &count, NULL, &pair->layout));
}

static void finish(pair_t* pair) {
  nc(ncmpi_close(pair->ncid));
  weir(weir_close(pair->file));
  if (rank == 0) remove(pair->theirs), remove(pair->ours);
  free((void*)pair->values);
}

static void put_pnetcdf(const pair_t* pair, int number) {
  nc(ncmpi_put_vara_float_all(pair->ncid, pair->ncvar, (MPI_Offset[]){number, (MPI_Offset)pair->width * rank},
                              (MPI_Offset[]){1, pair->width}, pair->values));
}
static void put_vara(const pair_t* pair, int number) {
  weir(weir_put_vara(pair->file, pair->var, (int64_t[]){number, (int64_t)pair->width * rank},
                     (int64_t[]){1, pair->width}, WEIR_FLOAT, pair->values));
}
static void put_layout(const pair_t* pair, int number) {
  weir(weir_put(pair->file, pair->var, number, pair->layout, WEIR_FLOAT, pair->values));
}
/* One element each, of one record, never the same. */
static void put_new(const pair_t* pair, int number) {
  nc(ncmpi_put_var1_float_all(pair->ncid, pair->ncvar, (MPI_Offset[]){0, (MPI_Offset)pair->width * rank + number},
                              pair->values));
}

static double time_block(const pair_t* pair, int block, put_t* put) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (int i = 0; i < pair->puts; ++i) put(pair, block * pair->puts + i);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - began;
  if (put == put_pnetcdf || put == put_new)
    nc(ncmpi_sync(pair->ncid));
  else
    weir(weir_sync(pair->file));
  return seconds / pair->puts * 1e9;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}
static double median(double* times, int count) {
  qsort(times, (size_t)count, sizeof *times, by_size);
  return times[count / 2];
}

/* The first block of each is not counted: it makes the plans. */
static void compare(const char* folder, int width, int puts) {
  put_t* const kinds[] = {put_pnetcdf, put_vara, put_layout};
  double times[3][BLOCKS];
  pair_t pair = {.width = width, .puts = puts, .values = calloc((size_t)width, sizeof(float))};
  create(&pair, folder);
  for (int block = 0; block <= BLOCKS; ++block)
    for (int kind = 0; kind < 3; ++kind) {
      const double seconds = time_block(&pair, 2 * block + (kind == 2), kinds[kind]);
      if (block > 0) times[kind][block - 1] = seconds;
    }
  if (rank == 0) {
    const double taken = median(times[0], BLOCKS), vara = median(times[1], BLOCKS), put = median(times[2], BLOCKS);
    printf("%10d %18.0f %15.0f %10.0f %8.2f\n", 4 * width, taken, vara, put, taken / vara);
  }
  finish(&pair);
}

static void show_new_places(const char* folder) {
  double times[BLOCKS];
  pair_t pair = {.width = 200 * (BLOCKS + 1), .puts = 200, .values = calloc(1, sizeof(float))};
  create(&pair, folder);
  for (int block = 0; block <= BLOCKS; ++block) {
    const double seconds = time_block(&pair, block, put_new);
    if (block > 0) times[block - 1] = seconds;
  }
  if (rank == 0) printf("one element at new places: ncmpi_put_var1_float_all %.0f ns\n", median(times, BLOCKS));
  finish(&pair);
}

int main(int argc, char** argv) {
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  if (argc != 2) stop("beside FOLDER: where it may make files and remove them");
  if (weir_init(MPI_COMM_WORLD, NULL, &comm, &writer) != WEIR_OK) stop(weir_init_error());
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (rank == 0) printf("bytes/rank ncmpi_put_vara_all   weir_put_vara   weir_put   1st/2nd\n");
  compare(argv[1], 1, 200);
  compare(argv[1], 1024, 200);
  compare(argv[1], 65536, 8);
  show_new_places(argv[1]);
  weir(weir_finalize(&writer));
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
