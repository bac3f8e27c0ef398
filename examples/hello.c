/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank writes its own rows of one variable of one file. */
#include <stdio.h>
#include <weir/weir.h>

static int write_rows(weir_t* writer, MPI_Comm comm) {
  weir_file* file;
  int rank, ranks, y, x, temperature;
  float rows[4][10];

  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int i = 0; i < 40; ++i) rows[i / 10][i % 10] = (float)rank;
  if (weir_create(writer, "hello.nc", WEIR_CLOBBER, &file) != WEIR_OK) return puts(weir_error(writer)), 1;
  weir_def_dim(file, "y", 4 * ranks, &y);
  weir_def_dim(file, "x", 10, &x);
  weir_def_var(file, "temperature", WEIR_FLOAT, 2, (int[]){y, x}, &temperature);
  weir_put_att_text(file, temperature, "units", "degC");
  weir_enddef(file);
  weir_put_vara(file, temperature, (int64_t[]){4 * rank, 0}, (int64_t[]){4, 10}, WEIR_FLOAT, rows);
  int code = weir_close(file);
  if (code != WEIR_OK && rank == 0) puts(weir_error(writer));
  return code != WEIR_OK;
}

int main(int argc, char** argv) {
  weir_t* writer;
  MPI_Comm comm;
  int failed = 0;

  MPI_Init(&argc, &argv);
  if (weir_init(MPI_COMM_WORLD, NULL, &comm, &writer) != WEIR_OK) return puts(weir_init_error()), 1;
  if (comm != MPI_COMM_NULL) { /* else Weir kept this rank for itself, and is done with it */
    failed = write_rows(writer, comm);
    weir_finalize(&writer);
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return failed;
}
