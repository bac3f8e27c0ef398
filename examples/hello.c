/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank writes its own rows of one variable of one file. */
#include <stdio.h>
#include <weir/weir.h>

int main(int argc, char** argv) {
  weir_t* weir;
  weir_file* file = NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  int rank, ranks, y, x, temperature;
  float rows[4][10];

  MPI_Init(&argc, &argv);
  int code = weir_init(MPI_COMM_WORLD, NULL, &comm, &weir);
  if (code != WEIR_OK) puts(weir_init_error());
  if (comm != MPI_COMM_NULL) { /* else Weir kept this rank for itself */
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < 40; ++i) rows[i / 10][i % 10] = (float)rank;
    weir_create(weir, "hello.nc", WEIR_CLOBBER, &file);
    weir_def_dim(file, "y", 4 * ranks, &y);
    weir_def_dim(file, "x", 10, &x);
    weir_def_var(file, "temperature", WEIR_FLOAT, 2, (int[]){y, x}, &temperature);
    weir_enddef(file);
    weir_put_vara(file, temperature, (int64_t[]){4 * rank, 0}, (int64_t[]){4, 10}, WEIR_FLOAT, rows);
    code = weir_close(file);
    if (code != WEIR_OK && rank == 0) puts(weir_error(weir));
    weir_finalize(&weir);
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return code != WEIR_OK;
}
