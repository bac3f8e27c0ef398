/* ranks: 3 */
/* SPDX-License-Identifier: Apache-2.0 */
/* A netCDF-4 file by the C interface, two commits long; and what is refused of its chunks and filters. With arguments
 * PATH, CONFIG and FILTER (zlib, zstd; many: a file of many chunks) it only writes, for those who read (tests/python);
 * with a MODE and DIGITS behind them, values that are quantized. Where CONFIG says `format: zarr`, PATH ends in .zarr.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir/weir.h>

enum { rows = 30, columns = 40, records = 4 };

static weir_t* weir;
static int rank, ranks, failures;

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, weir_error(weir));
  ++failures;
}

static void expect_refused(int code, const char* sentence) {
  if (code == WEIR_EARGUMENT && strstr(weir_error(weir), sentence)) return;
  fprintf(stderr, "rank %d: code %d, not refused as \"%s\": %s\n", rank, code, sentence, weir_error(weir));
  ++failures;
}

static weir_file* begin(const char* path, int mode, int vars[3]) {
  weir_file* file = NULL;
  int dims[3];
  expect(weir_create(weir, path, mode, &file) == WEIR_OK, "weir_create");
  weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]);
  weir_def_dim(file, "y", (int64_t)rows * ranks, &dims[1]);
  weir_def_dim(file, "x", columns, &dims[2]);
  weir_def_var(file, "time", WEIR_DOUBLE, 1, dims, &vars[0]);
  weir_def_var(file, "temp", WEIR_FLOAT, 3, dims, &vars[1]);
  weir_def_var(file, "steps", WEIR_INT, 0, NULL, &vars[2]);
  return file;
}

/* Values whose bits all count. */
static float rough(int i) {
  return (float)((int64_t)i * 7919 % 100003 - 50000) / 97.0f;
}

static void quantize(weir_file* file, const int vars[3], int mode, int digits) {
  const float missing = rough(5);
  expect(weir_put_att(file, vars[1], "_FillValue", WEIR_FLOAT, 1, &missing) == WEIR_OK, "weir_put_att");
  expect(weir_def_var_quantize(file, vars[1], mode, digits) == WEIR_OK, "weir_def_var_quantize");
  expect(weir_def_var_quantize(file, vars[0], mode, digits) == WEIR_OK, "weir_def_var_quantize");
}

static void write_file(const char* path, const char* filter, int mode, int digits) {
  int vars[3], layout = -1;
  weir_file* file = begin(path, WEIR_NETCDF4, vars);
  const int64_t chunk[] = {1, 7, 16};
  expect(weir_def_var_chunking(file, vars[1], WEIR_CHUNKED, chunk) == WEIR_OK, "weir_def_var_chunking");
  if (strcmp(filter, "zstd") == 0) {
    expect(weir_def_var_deflate(file, vars[1], 1, 0, 0) == WEIR_OK, "shuffle");
    expect(weir_def_var_zstd(file, vars[1], 3) == WEIR_OK, "weir_def_var_zstd");
  } else {
    expect(weir_def_var_deflate(file, vars[1], 1, 1, 4) == WEIR_OK, "weir_def_var_deflate");
  }
  expect(weir_def_var_fletcher32(file, vars[1], 1) == WEIR_OK, "weir_def_var_fletcher32");
  expect(weir_put_att_text(file, vars[1], "units", "K") == WEIR_OK, "weir_put_att_text");
  if (mode != WEIR_NOQUANTIZE) quantize(file, vars, mode, digits);
  expect(weir_enddef(file) == WEIR_OK, "weir_enddef");
  int format = 0;
  expect(weir_inq_format(file, &format) == WEIR_OK && format == (strstr(path, ".zarr") ? 10 : 3), "weir_inq_format");
  const int64_t shape[] = {(int64_t)rows * ranks, columns}, start[] = {(int64_t)rows * rank, 0};
  const int64_t count[] = {rows, columns};
  weir_def_layout(weir, 2, shape, 1, start, count, NULL, &layout);
  float values[rows * columns];
  for (int record = 0; record < records; ++record) {
    for (int i = 0; i < rows * columns; ++i) {
      const int number = record * 100000 + rank * rows * columns + i;
      values[i] = mode == WEIR_NOQUANTIZE ? (float)number : rough(number);
    }
    const double time = record / (mode == WEIR_NOQUANTIZE ? 2.0 : 3.0);
    expect(weir_put_var(file, vars[0], record, WEIR_DOUBLE, &time) == WEIR_OK, "weir_put_var");
    expect(weir_put(file, vars[1], record, layout, WEIR_FLOAT, values) == WEIR_OK, "weir_put");
    if (record % 2 == 0) expect(weir_sync(file) == WEIR_OK, "weir_sync");
  }
  const int steps = records;
  expect(weir_put_var(file, vars[2], 0, WEIR_INT, &steps) == WEIR_OK, "weir_put_var of a scalar");
  expect(weir_close(file) == WEIR_OK, "weir_close");
}

/* More tables than rank 0 keeps in memory (4 MiB), which it reads again from the file. */
static void write_many_chunks(const char* path) {
  enum { length = 60000, many_records = 3 };
  int dims[2], var = -1;
  weir_file* file = NULL;
  expect(weir_create(weir, path, WEIR_NETCDF4, &file) == WEIR_OK, "weir_create");
  weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]);
  weir_def_dim(file, "x", length, &dims[1]);
  weir_def_var(file, "many", WEIR_SHORT, 2, dims, &var);
  const int64_t one[] = {1, 1};
  expect(weir_def_var_chunking(file, var, WEIR_CHUNKED, one) == WEIR_OK, "weir_def_var_chunking");
  expect(weir_enddef(file) == WEIR_OK, "weir_enddef");
  short* const values = malloc(length * sizeof *values);
  for (int record = 0; record < many_records; ++record) {
    for (int i = 0; i < length; ++i) values[i] = (short)(i * 7 + record);
    const int64_t start[] = {record, (int64_t)length * rank / ranks};
    const int64_t count[] = {1, (int64_t)length * (rank + 1) / ranks - start[1]};
    expect(weir_put_vara(file, var, start, count, WEIR_SHORT, values + start[1]) == WEIR_OK, "weir_put_vara");
    expect(weir_sync(file) == WEIR_OK, "weir_sync");
  }
  free(values);
  expect(weir_close(file) == WEIR_OK, "weir_close of many chunks");
}

static void be_refused(const char* path) {
  int vars[3];
  weir_file* file = begin(path, WEIR_NETCDF4, vars);
  const int64_t too_long[] = {1, 7, columns + 1}, empty[] = {1, 0, 16};
  expect_refused(weir_def_var_chunking(file, vars[1], 1, NULL), "Weir writes WEIR_CHUNKED");
  expect_refused(weir_def_var_chunking(file, vars[1], WEIR_CHUNKED, too_long), "longer than its dimension");
  expect_refused(weir_def_var_chunking(file, vars[1], WEIR_CHUNKED, empty), "give 1 or more");
  expect_refused(weir_def_var_deflate(file, vars[1], 1, 1, 10), "give 0 to 9");
  expect_refused(weir_def_var_quantize(file, vars[1], WEIR_QUANTIZE_BITGROOM, 8), "give 1 to 7");
  expect_refused(weir_def_var_quantize(file, vars[1], WEIR_QUANTIZE_BITROUND, 24), "give 1 to 23");
  expect_refused(weir_def_var_quantize(file, vars[1], 4, 3), "the quantization mode is 4");
  expect_refused(weir_def_var_zstd(file, vars[1], 23), "to 22");
  expect_refused(weir_def_var_fletcher32(file, vars[2], 1), "is a scalar");
  expect_refused(weir_close(file), "Weir writes WEIR_CHUNKED");

  file = begin(path, WEIR_CDF5, vars);
  expect(weir_def_var_deflate(file, vars[1], 1, 1, 1) == WEIR_OK, "a filter before the format is known");
  expect_refused(weir_enddef(file), "create the file with WEIR_NETCDF4");
  weir_close(file);
  expect_refused(weir_create(weir, path, WEIR_NETCDF4 | WEIR_CDF5, &file), "give one of them");

  file = begin(path, WEIR_NETCDF4, vars);
  int dim = -1, var = -1;
  weir_def_dim(file, "long", 70000, &dim);
  const int dims[] = {dim, dim};
  const int64_t huge[] = {70000, 70000};
  weir_def_var(file, "matrix", WEIR_BYTE, 2, dims, &var);
  expect_refused(weir_def_var_chunking(file, var, WEIR_CHUNKED, huge), "4 GiB or more");
  expect_refused(weir_def_var_quantize(file, var, WEIR_QUANTIZE_BITROUND, 3), "only float and double");
  weir_close(file);
}

/* A chunk that no tile can hold is all ranks' error at the first put. */
static void be_refused_for_memory(const char* path) {
  weir_file* file = NULL;
  int dim = -1, var = -1, layout = -1;
  const int64_t length = 8 << 20;
  weir_create(weir, path, WEIR_NETCDF4, &file);
  weir_def_dim(file, "n", length, &dim);
  weir_def_var(file, "v", WEIR_DOUBLE, 1, &dim, &var);
  expect(weir_def_var_chunking(file, var, WEIR_CHUNKED, &length) == WEIR_OK, "a chunk of 64 MiB");
  expect(weir_enddef(file) == WEIR_OK, "weir_enddef with a large chunk");
  const int64_t start = rank == 0 ? 0 : length, count = rank == 0 ? 1 : 0;
  weir_def_layout(weir, 1, &length, count ? 1 : 0, &start, &count, NULL, &layout);
  const double value = 1;
  expect(weir_put(file, var, 0, layout, WEIR_DOUBLE, &value) == WEIR_EMEMORY, "a chunk larger than buffer_limit");
  expect(strstr(weir_error(weir), "more than buffer_limit leaves for a tile") != NULL, "the sentence of a large chunk");
  weir_close(file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm model = MPI_COMM_NULL;
  const char* config = argc > 2 ? argv[2] : "timeout: 60\nbuffer_limit: 16MiB\n";
  if (weir_init(MPI_COMM_WORLD, config, &model, &weir) != WEIR_OK) {
    fprintf(stderr, "%s\n", weir_init_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (weir) {
    MPI_Comm_rank(model, &rank);
    MPI_Comm_size(model, &ranks);
    const char* folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/netcdf4.nc", folder ? folder : "/tmp");
    const int mode = argc > 5 ? atoi(argv[4]) : WEIR_NOQUANTIZE, digits = argc > 5 ? atoi(argv[5]) : 0;
    const char* filter = argc > 3 ? argv[3] : "zlib";
    if (strcmp(filter, "many") == 0)
      write_many_chunks(argv[1]);
    else
      write_file(argc > 1 ? argv[1] : path, filter, mode, digits);
    if (argc == 1) be_refused(path);
    if (argc == 1) be_refused_for_memory(path);
    expect(weir_finalize(&weir) == WEIR_OK, "weir_finalize");
    MPI_Comm_free(&model);
  }
  MPI_Finalize();
  return failures != 0;
}
