/* SPDX-License-Identifier: Apache-2.0 */
/* ranks: 1 4 7 */
/* The same model output as tests/fortran/scenario.f90, to the byte: tests/cli/scenario.sh compares the files. */
#include <stdio.h>
#include <stdlib.h>
#include <weir/weir.h>

enum { NX = 23, NY = 17, NZ = 5 };

typedef struct {
  int rank, ranks, first, rows; /* this rank's rows of y */
  int plane, volume, sea;       /* layouts */
  int64_t sea_length;
  int lon, title, depth, counter, flow, salt;
  weir_t* writer;
  weir_file* file;
} Model;

static void require(int code, const char* sentence, const char* what) {
  if (code == WEIR_OK) return;
  fprintf(stderr, "%s: %s: %s\n", what, weir_strerror(code), sentence);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Rows of (y, x); of (z, y, x) the same, in memory (y, z, x) with a halo of one row on each side; and a map of (y, x)
 * that leaves every third element out and is dealt out to the ranks in turn. */
static void define_layouts(Model* m) {
  const int64_t shape[] = {NZ, NY, NX};
  const int64_t start[] = {0, m->first, 0}, count[] = {NZ, m->rows, NX};
  const int64_t memory_shape[] = {m->rows + 2, NZ, NX}, memory_start[] = {1, 0, 0};
  const int order[] = {1, 0, 2};
  int64_t* offsets = malloc((size_t)(NX * NY) * sizeof *offsets);

  m->sea_length = 0;
  for (int64_t i = m->rank; i < NX * NY; i += m->ranks) offsets[m->sea_length++] = (i + 1) % 3 ? i : WEIR_ABSENT;
  require(weir_def_layout(m->writer, 2, shape + 1, 1, start + 1, count + 1, NULL, &m->plane), weir_error(m->writer),
          "weir_def_layout");
  require(weir_def_layout_subarray(m->writer, 3, shape, start, count, order, memory_shape, memory_start, &m->volume),
          weir_error(m->writer), "weir_def_layout_subarray");
  require(weir_def_layout_map(m->writer, 2, shape + 1, m->sea_length, offsets, &m->sea), weir_error(m->writer),
          "weir_def_layout_map");
  free(offsets);
}

static void define_file(Model* m) {
  char path[4096];
  const char* directory = getenv("TMPDIR");
  const short levels[] = {1, 2, 3}, fill = -9999;
  const float range[] = {-1.0e6F, 1.0e6F};
  int x, y, z, t, title_length;

  snprintf(path, sizeof path, "%s/scenario_c.nc", directory ? directory : ".");
  require(weir_create(m->writer, path, WEIR_CLOBBER, &m->file), weir_error(m->writer), "weir_create");
  weir_def_dim(m->file, "x", NX, &x);
  weir_def_dim(m->file, "y", NY, &y);
  weir_def_dim(m->file, "z", NZ, &z);
  weir_def_dim(m->file, "t", WEIR_UNLIMITED, &t);
  weir_def_dim(m->file, "title_length", 11, &title_length);
  weir_put_att_text(m->file, WEIR_GLOBAL, "Conventions", "CF-1.10");
  weir_put_att(m->file, WEIR_GLOBAL, "levels", WEIR_SHORT, 3, levels);
  weir_def_var(m->file, "lon", WEIR_DOUBLE, 1, &x, &m->lon);
  weir_put_att_text(m->file, m->lon, "units", "degrees_east");
  weir_def_var(m->file, "title", WEIR_CHAR, 1, &title_length, &m->title);
  weir_def_var(m->file, "depth", WEIR_SHORT, 2, (int[]){y, x}, &m->depth);
  weir_put_att(m->file, m->depth, "_FillValue", WEIR_SHORT, 1, &fill);
  weir_def_var(m->file, "counter", WEIR_INT, 1, &t, &m->counter);
  weir_def_var(m->file, "flow", WEIR_FLOAT, 3, (int[]){t, y, x}, &m->flow);
  weir_put_att(m->file, m->flow, "valid_range", WEIR_FLOAT, 2, range);
  weir_def_var(m->file, "salt", WEIR_DOUBLE, 4, (int[]){t, z, y, x}, &m->salt);
  require(weir_enddef(m->file), weir_file_error(m->file), "weir_enddef");
}

static void put_fixed(const Model* m) {
  double longitudes[NX];
  int* depths = malloc((size_t)(NX * NY) * sizeof *depths);

  for (int i = 0; i < NX; ++i) longitudes[i] = 0.25 * (i + 1);
  for (int64_t i = 0; i < m->sea_length; ++i) depths[i] = (int)(10 * (m->rank + 1 + i * m->ranks));
  weir_put_var(m->file, m->lon, 0, WEIR_DOUBLE, longitudes);
  weir_put_var(m->file, m->title, 0, WEIR_CHAR, "weir & flow");
  weir_put(m->file, m->depth, 0, m->sea, WEIR_INT, depths);
  free(depths);
}

static void put_record(const Model* m, int record) {
  double* flows = malloc((size_t)(m->rows * NX) * sizeof *flows);
  double* salts = malloc((size_t)((m->rows + 2) * NZ * NX) * sizeof *salts);
  const int count = 7 * (record + 1);

  for (int i = 0; i < (m->rows + 2) * NZ * NX; ++i) salts[i] = -1;
  for (int j = 0; j < m->rows; ++j)
    for (int i = 0; i < NX; ++i) {
      const double flow = 1000 * (record + 1) + (m->first + j + 1) + (i + 1) / 100.0;
      flows[j * NX + i] = flow;
      for (int k = 0; k < NZ; ++k) salts[((j + 1) * NZ + k) * NX + i] = flow + (k + 1) / 8.0;
    }
  weir_put_var(m->file, m->counter, record, WEIR_INT, &count);
  weir_put(m->file, m->flow, record, m->plane, WEIR_DOUBLE, flows);
  weir_put(m->file, m->salt, record, m->volume, WEIR_DOUBLE, salts);
  free(flows);
  free(salts);
}

int main(int argc, char** argv) {
  Model m;
  MPI_Comm comm;

  MPI_Init(&argc, &argv);
  require(weir_init(MPI_COMM_WORLD, NULL, &comm, &m.writer), weir_init_error(), "weir_init");
  MPI_Comm_rank(comm, &m.rank);
  MPI_Comm_size(comm, &m.ranks);
  m.first = m.rank * NY / m.ranks;
  m.rows = (m.rank + 1) * NY / m.ranks - m.first;
  define_layouts(&m);
  define_file(&m);
  put_fixed(&m);
  put_record(&m, 0);
  require(weir_sync(m.file), weir_file_error(m.file), "weir_sync");
  put_record(&m, 1);
  put_record(&m, 2);
  require(weir_close(m.file), weir_error(m.writer), "weir_close");
  require(weir_finalize(&m.writer), "", "weir_finalize");
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
