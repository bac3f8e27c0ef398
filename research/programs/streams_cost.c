/* SPDX-License-Identifier: Apache-2.0 */
/* What a daily mean of an hourly field costs the model: 24 sends to a stream, beside a loop that adds the field to sums
 * of doubles, and beside that loop with a put of the mean. The three take turns, a day each, in one job; between the
 * hours the model computes (it sleeps, as if each rank had a processor of its own). Prints for each the medians of the
 * days, in milliseconds of the slowest rank: by the clock, and of the thread's processor time; then both without the
 * day's last hour, in which the mean is put. Usage: streams_cost FOLDER ELEMENTS float|double DAYS MILLISECONDS
 * (elements of a rank; computing of an hour) */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weir/weir.h>

enum { hours = 24, ways = 3, kinds = 4, most_days = 1000 };
enum { by_streams, by_loop, by_loop_and_put };
static const char* const way_names[ways] = {"24 sends to a stream", "24 updates of a loop", "the same, and a put"};

typedef struct {
  weir_t* weir;
  weir_file* file; /* of the loop's means */
  int field, layout, var;
  weir_type type;
  int64_t elements;
  void* values;
  double* sums;
  long sent;   /* hours, to the stream */
  int64_t put; /* records, of the loop */
} Model;

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check(const Model* model, int code) {
  if (code == WEIR_OK) return;
  fprintf(stderr, "streams_cost: %s\n", weir_error(model->weir));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void compute(const Model* model, int hour, double milliseconds) {
  float* const floats = model->values;
  double* const doubles = model->values;
  const struct timespec rest = {(time_t)(milliseconds / 1e3), (long)(milliseconds * 1e6) % 1000000000L};
  for (int64_t i = 0; i < model->elements; ++i)
    if (model->type == WEIR_FLOAT)
      floats[i] = (float)(i % 1000 + hour);
    else
      doubles[i] = (double)(i % 1000 + hour);
  nanosleep(&rest, NULL);
}

static void add_floats(double* restrict sums, const float* restrict values, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sums[i] += (double)values[i];
}
static void add_doubles(double* restrict sums, const double* restrict values, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sums[i] += values[i];
}

static void update(const Model* model) {
  if (model->type == WEIR_FLOAT)
    add_floats(model->sums, model->values, model->elements);
  else
    add_doubles(model->sums, model->values, model->elements);
}

/* A day's mean, as streams do: the record before is committed, then this one is put. */
static void put_mean(Model* model) {
  for (int64_t i = 0; i < model->elements; ++i) model->sums[i] /= hours;
  if (model->put > 0) check(model, weir_sync(model->file));
  check(model, weir_put(model->file, model->var, model->put, model->layout, WEIR_DOUBLE, model->sums));
  ++model->put;
}

/* Adds what the hour has cost: seconds of the clock and of the processor, and both again without the last hour. */
static void measure(Model* model, int way, int hour, double* cost) {
  const double clock = seconds_of(CLOCK_MONOTONIC), processor = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  if (way == by_streams)
    check(model, weir_send(model->weir, model->field, (double)++model->sent, model->type, model->values));
  else
    update(model);
  if (way == by_loop_and_put && hour == hours) put_mean(model);
  if (way != by_streams && hour == hours) memset(model->sums, 0, sizeof(double) * (size_t)model->elements);
  for (int kind = 0; kind < (hour == hours ? 2 : kinds); kind += 2) {
    cost[kind] += seconds_of(CLOCK_MONOTONIC) - clock;
    cost[kind + 1] += seconds_of(CLOCK_THREAD_CPUTIME_ID) - processor;
  }
}

static void define(Model* model, const char* folder, int rank, int ranks) {
  const int64_t shape[] = {ranks, model->elements}, start[] = {rank, 0}, count[] = {1, model->elements};
  const char* const names[] = {"y", "x"};
  char path[4096];
  int dims[3];
  check(model, weir_def_layout(model->weir, 2, shape, 1, start, count, NULL, &model->layout));
  check(model, weir_def_field(model->weir, "field", model->type, 2, names, model->layout, &model->field));
  check(model, weir_start_streams(model->weir, "hours since 1990-01-01", "noleap", 0));
  snprintf(path, sizeof path, "%s/loop.nc", folder);
  check(model, weir_create(model->weir, path, WEIR_CLOBBER, &model->file));
  weir_def_dim(model->file, "time", WEIR_UNLIMITED, &dims[0]);
  weir_def_dim(model->file, "y", shape[0], &dims[1]);
  weir_def_dim(model->file, "x", shape[1], &dims[2]);
  weir_def_var(model->file, "field", model->type, 3, dims, &model->var);
  check(model, weir_enddef(model->file));
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  static double mine[ways][kinds][most_days], slowest[ways][kinds][most_days];
  Model model = {0};
  MPI_Comm comm;
  int rank, ranks, provided, days = argc == 6 ? atoi(argv[4]) : 0;
  char config[4200];

  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (days < 1 || days > most_days) MPI_Abort(MPI_COMM_WORLD, 2);
  snprintf(config, sizeof config,
           "streams:\n  daily: {file: \"%s/streams.nc\", every: 1 day, as: mean, fields: [field]}\n", argv[1]);
  if (weir_init(MPI_COMM_WORLD, config, &comm, &model.weir) != WEIR_OK) {
    fprintf(stderr, "streams_cost: %s\n", weir_init_error());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  model.elements = atoll(argv[2]);
  model.type = strcmp(argv[3], "float") == 0 ? WEIR_FLOAT : WEIR_DOUBLE;
  model.values = malloc(sizeof(double) * (size_t)model.elements);
  model.sums = calloc((size_t)model.elements, sizeof(double));
  define(&model, argv[1], rank, ranks);
  /* The first day of each way makes plans and memory, and does not count. */
  for (int day = -1; day < days; ++day)
    for (int way = 0; way < ways; ++way) {
      double cost[kinds] = {0};
      for (int hour = 1; hour <= hours; ++hour) {
        compute(&model, hour, atof(argv[5]));
        measure(&model, way, hour, cost);
      }
      for (int kind = 0; kind < kinds && day >= 0; ++kind) mine[way][kind][day] = 1e3 * cost[kind];
    }
  MPI_Reduce(mine, slowest, ways * kinds * most_days, MPI_DOUBLE, MPI_MAX, 0, comm);
  for (int way = 0; way < ways && rank == 0; ++way) {
    printf("%-22s", way_names[way]);
    for (int kind = 0; kind < kinds; ++kind) {
      qsort(slowest[way][kind], (size_t)days, sizeof(double), ascending);
      printf(" %9.3f", slowest[way][kind][days / 2]);
    }
    printf("\n");
  }
  check(&model, weir_close(model.file));
  weir_finalize(&model.weir);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  free(model.values);
  free(model.sums);
  return 0;
}
