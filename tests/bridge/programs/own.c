/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks define a classic file in different ways; rank 0 prints what calls return.
 *
 *   own FILE KIND    KIND: attributes (a value and a length of each rank's own), fill (a _FillValue), long (an
 * attribute so long that variables begin elsewhere), length (a dimension), alike (nothing), once (nothing, with one
 * record instead of two), again (opens the file and adds a record, with other values) */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <string.h>

#include "../check.h"

enum { NX = 8 };

static int rank, file, var;

static void put_record(int record, double sign) {
  double values[NX];
  for (int i = 0; i < NX; ++i) values[i] = sign * (1000.0 * record + NX * rank + i);
  const MPI_Offset start[] = {record, (MPI_Offset)NX * rank}, count[] = {1, NX};
  CODE(ncmpi_put_vara_double_all(file, var, start, count, values));
}

static void add_record(const char* path) {
  MPI_Offset records = 0;
  int time;
  CHECK(ncmpi_open(MPI_COMM_WORLD, path, NC_WRITE, MPI_INFO_NULL, &file));
  CHECK(ncmpi_inq_dimid(file, "time", &time));
  CHECK(ncmpi_inq_dimlen(file, time, &records));
  CHECK(ncmpi_inq_varid(file, "v", &var));
  if (rank == 0) printf("%d records\n", (int)records);
  put_record((int)records, -1);
  CODE(ncmpi_close(file));
}

int main(int argc, char** argv) {
  int ranks, dims[2], z;
  char text[4000];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) return fprintf(stderr, "usage: own FILE attributes|fill|long|length|alike|once|again\n"), 2;
#define IS(WORD) (strcmp(argv[2], WORD) == 0)
  if (IS("again")) {
    add_record(argv[1]);
    MPI_Finalize();
    return 0;
  }
  memset(text, 'a' + (IS("attributes") ? rank : 0), sizeof text);
  const double fill = IS("fill") ? -1.0 - rank : -1;
  const MPI_Offset length = 3 + (IS("attributes") ? rank : 0) + (IS("long") ? 900 * rank : 0);
  CHECK(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER, MPI_INFO_NULL, &file));
  CHECK(ncmpi_def_dim(file, "time", NC_UNLIMITED, &dims[0]));
  CHECK(ncmpi_def_dim(file, "x", (MPI_Offset)NX * ranks, &dims[1]));
  CHECK(ncmpi_def_dim(file, "z", IS("length") && rank > 0 ? 8 : 7, &z));
  CHECK(ncmpi_def_var(file, "v", NC_DOUBLE, 2, dims, &var));
  CODE(ncmpi_put_att_text(file, NC_GLOBAL, "uuid", length, text));
  CODE(ncmpi_put_att_double(file, var, "_FillValue", NC_DOUBLE, 1, &fill));
  CODE(ncmpi_enddef(file));
  for (int record = 0; record < (IS("once") ? 1 : 2); ++record) put_record(record, 1);
  CODE(ncmpi_close(file));
  MPI_Finalize();
  return 0;
}
