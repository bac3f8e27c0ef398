/* SPDX-License-Identifier: Apache-2.0 */
/* What each step of output costs a rank, in processor time of the process: the layout, the definitions, the first put,
 * later puts, a commit, the close, and reading all of it again. Every rank holds ELEMENTS floats of each variable, in
 * RUNS pieces that alternate with those of the other ranks. Prints a line for each step: its name, the milliseconds of
 * the mean rank and of the slowest one, each divided by the number of times. Usage:
 *   growth_cost FOLDER VARIABLES FILES RUNS ELEMENTS */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <weir/weir.h>

enum { records = 4, name_length = 4096 };
enum { layout_step, define_step, first_put_step, later_put_step, commit_step, close_step, read_step, steps };
static const char* const names[steps] = {"layout", "define", "first put", "later put", "commit", "close", "read"};

typedef struct {
  weir_t* weir;
  int rank, ranks, nvars, nfiles, layout;
  int64_t runs, elements;
  int* vars; /* nfiles x nvars */
  weir_file** files;
  float* values;
  double spent[steps]; /* seconds, times told by times[] */
  int64_t times[steps];
} Model;

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check(const Model* model, int code) {
  if (code == WEIR_OK) return;
  fprintf(stderr, "growth_cost: %s\n", weir_error(model->weir));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void add(Model* model, int step, double begin) {
  model->spent[step] += processor_seconds() - begin;
  ++model->times[step];
}

static void path_of(const char* folder, int file, char path[name_length]) {
  snprintf(path, name_length, "%s/growth%d.nc", folder, file);
}

static void define_layout(Model* model) {
  const int64_t run = model->elements / model->runs, shape = model->elements * model->ranks;
  int64_t* const offsets = malloc((size_t)model->elements * sizeof *offsets);
  if (offsets == NULL) abort();
  for (int64_t i = 0; i < model->elements; ++i) offsets[i] = (i / run * model->ranks + model->rank) * run + i % run;
  const double begin = processor_seconds();
  check(model, weir_def_layout_map(model->weir, 1, &shape, model->elements, offsets, &model->layout));
  add(model, layout_step, begin);
  free(offsets);
}

static void define_file(Model* model, const char* folder, int number) {
  char path[name_length];
  path_of(folder, number, path);
  int time, x;
  const double begin = processor_seconds();
  weir_file** const file = &model->files[number];
  check(model, weir_create(model->weir, path, WEIR_CLOBBER, file));
  check(model, weir_def_dim(*file, "time", WEIR_UNLIMITED, &time));
  check(model, weir_def_dim(*file, "x", model->elements * model->ranks, &x));
  for (int i = 0; i < model->nvars; ++i) {
    char name[32];
    snprintf(name, sizeof name, "v%d", i);
    check(model, weir_def_var(*file, name, WEIR_FLOAT, 2, (int[]){time, x}, &model->vars[number * model->nvars + i]));
  }
  check(model, weir_enddef(*file));
  add(model, define_step, begin);
}

static void put_record(Model* model, int number, int64_t record) {
  for (int i = 0; i < model->nvars; ++i) {
    const double begin = processor_seconds();
    check(model, weir_put(model->files[number], model->vars[number * model->nvars + i], record, model->layout,
                          WEIR_FLOAT, model->values));
    add(model, record == 0 && i == 0 && number == 0 ? first_put_step : later_put_step, begin);
  }
  const double begin = processor_seconds();
  check(model, weir_sync(model->files[number]));
  add(model, commit_step, begin);
}

static void read_file(Model* model, const char* folder, int number) {
  char path[name_length];
  path_of(folder, number, path);
  weir_file* file;
  const double begin = processor_seconds();
  check(model, weir_open(model->weir, path, WEIR_NOWRITE, &file));
  for (int i = 0; i < model->nvars; ++i)
    check(model, weir_get(file, i, records - 1, model->layout, WEIR_FLOAT, model->values));
  check(model, weir_close(file));
  add(model, read_step, begin);
}

static void print(const Model* model) {
  for (int step = 0; step < steps; ++step) {
    const double mine = 1e3 * model->spent[step] / (double)model->times[step];
    double sum, most;
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (model->rank == 0) printf("%s: %.6f %.6f\n", names[step], sum / model->ranks, most);
  }
}

int main(int argc, char** argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: growth_cost FOLDER VARIABLES FILES RUNS ELEMENTS\n");
    return 2;
  }
  const char* const folder = argv[1];
  Model model = {.nvars = atoi(argv[2]), .nfiles = atoi(argv[3]), .runs = atoll(argv[4]), .elements = atoll(argv[5])};
  if (model.nvars < 1 || model.nfiles < 1 || model.runs < 1 || model.elements % model.runs != 0 || model.elements < 1) {
    fprintf(stderr, "growth_cost: each number is 1 or more, and RUNS divides ELEMENTS\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm comm;
  if (weir_init(MPI_COMM_WORLD, NULL, &comm, &model.weir) != WEIR_OK) {
    fprintf(stderr, "growth_cost: %s\n", weir_init_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (comm == MPI_COMM_NULL) {
    fprintf(stderr, "growth_cost: take a strategy that reserves no ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_rank(comm, &model.rank);
  MPI_Comm_size(comm, &model.ranks);
  model.vars = malloc((size_t)model.nvars * (size_t)model.nfiles * sizeof *model.vars);
  model.files = malloc((size_t)model.nfiles * sizeof(weir_file*));
  model.values = malloc((size_t)model.elements * sizeof *model.values);
  if (model.vars == NULL || model.files == NULL || model.values == NULL) abort();
  for (int64_t i = 0; i < model.elements; ++i) model.values[i] = (float)(i + model.rank);

  define_layout(&model);
  for (int file = 0; file < model.nfiles; ++file) define_file(&model, folder, file);
  for (int64_t record = 0; record < records; ++record)
    for (int file = 0; file < model.nfiles; ++file) put_record(&model, file, record);
  for (int file = 0; file < model.nfiles; ++file) {
    const double begin = processor_seconds();
    check(&model, weir_close(model.files[file]));
    add(&model, close_step, begin);
  }
  for (int file = 0; file < model.nfiles; ++file) read_file(&model, folder, file);
  print(&model);
  check(&model, weir_finalize(&model.weir));
  MPI_Comm_free(&comm);
  MPI_Finalize();
  free(model.vars);
  free(model.files);
  free(model.values);
  return 0;
}
