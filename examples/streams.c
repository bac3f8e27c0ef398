/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank sends its rows of a field each hour, and names no file: streams.yaml says what becomes of them.
 *     WEIR_CONFIG=examples/streams.yaml mpirun -n 4 build/bin/streams_c */
#include <stdio.h>
#include <weir/weir.h>

enum { rows = 4, columns = 10, hours = 72 };

int main(int argc, char** argv) {
  weir_t* weir;
  MPI_Comm comm = MPI_COMM_NULL;
  int rank, ranks, layout, sst;
  float values[rows * columns];

  MPI_Init(&argc, &argv);
  int code = weir_init(MPI_COMM_WORLD, NULL, &comm, &weir);
  if (code != WEIR_OK) puts(weir_init_error());
  if (comm != MPI_COMM_NULL) { /* else Weir kept this rank for itself */
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    weir_def_layout(weir, 2, (int64_t[]){rows * ranks, columns}, 1, (int64_t[]){rows * rank, 0},
                    (int64_t[]){rows, columns}, NULL, &layout);
    weir_def_field(weir, "sst", WEIR_FLOAT, 2, (const char*[]){"y", "x"}, layout, &sst);
    weir_put_field_att_text(weir, sst, "units", "degC");
    code = weir_start_streams(weir, "hours since 1990-01-30", "noleap", 0);
    for (int hour = 1; hour <= hours && code == WEIR_OK; ++hour) {
      for (int i = 0; i < rows * columns; ++i) values[i] = (float)(rank + hour % 24);
      code = weir_send(weir, sst, hour, WEIR_FLOAT, values);
    }
    if (code != WEIR_OK && rank == 0) puts(weir_error(weir));
    const int ended = weir_finalize(&weir);
    if (code == WEIR_OK) code = ended;
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return code != WEIR_OK;
}
