/* SPDX-License-Identifier: Apache-2.0 */
/* What one small put costs in C: the median in microseconds by weir_put with a layout, and by weir_put_vara.
 * put_cost.py does the same in Python, and research/put-cost sets them side by side. Usage: put_cost FILE */
#include <stdio.h>
#include <stdlib.h>
#include <weir/weir.h>

enum { variables = 20, records = 400, rows = 16, columns = 16, all_puts = variables * records };

typedef struct {
  weir_t* weir;
  weir_file* file;
  int rank, layout;
  int vars[variables];
} Model;

static float block[rows * columns];
static double times[all_puts];

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void define(Model* model, const char* path, int ranks) {
  const int64_t shape[] = {rows * ranks, columns}, start[] = {rows * model->rank, 0}, count[] = {rows, columns};
  int dims[3];
  weir_create(model->weir, path, WEIR_CLOBBER, &model->file);
  weir_def_dim(model->file, "time", WEIR_UNLIMITED, &dims[0]);
  weir_def_dim(model->file, "y", shape[0], &dims[1]);
  weir_def_dim(model->file, "x", columns, &dims[2]);
  for (int v = 0; v < variables; ++v) {
    char name[16];
    snprintf(name, sizeof name, "v%d", v);
    weir_def_var(model->file, name, WEIR_FLOAT, 3, dims, &model->vars[v]);
  }
  weir_enddef(model->file);
  weir_def_layout(model->weir, 2, shape, 1, start, count, NULL, &model->layout);
}

/* The median in microseconds. */
static double measure(const Model* model, int by_layout) {
  const int64_t count[] = {1, rows, columns};
  for (int i = 0; i < all_puts; ++i) {
    const int var = model->vars[i % variables], record = i / variables;
    const double before = MPI_Wtime();
    if (by_layout) {
      weir_put(model->file, var, record, model->layout, WEIR_FLOAT, block);
    } else {
      const int64_t start[] = {record, rows * model->rank, 0};
      weir_put_vara(model->file, var, start, count, WEIR_FLOAT, block);
    }
    times[i] = MPI_Wtime() - before;
  }
  qsort(times, all_puts, sizeof *times, ascending);
  return 1e6 * times[all_puts / 2];
}

int main(int argc, char** argv) {
  Model model;
  MPI_Comm comm;
  int ranks, code = WEIR_OK;
  double medians[2];

  MPI_Init(&argc, &argv);
  if (argc != 2 || weir_init(MPI_COMM_WORLD, NULL, &comm, &model.weir) != WEIR_OK) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(comm, &model.rank);
  MPI_Comm_size(comm, &ranks);
  for (int by_layout = 0; by_layout < 2 && code == WEIR_OK; ++by_layout) {
    define(&model, argv[1], ranks);
    medians[by_layout] = measure(&model, by_layout);
    code = weir_close(model.file);
  }
  if (code != WEIR_OK) fprintf(stderr, "put_cost: %s\n", weir_error(model.weir));
  if (code == WEIR_OK && model.rank == 0) printf("%.2f %.2f\n", medians[0], medians[1]);
  weir_finalize(&model.weir);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return code != WEIR_OK;
}
