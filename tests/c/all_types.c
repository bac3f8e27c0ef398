/* ranks: 3 */
/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a file with every type: `all_types PATH` for tests/python/test_readers.py, else into TMPDIR; then reads it
 * back. Element i of record r of the variable of type T is 7 i + r more than a number that T alone can hold; text is
 * letters. The ranks hold the columns in turn; the last column of "hole" is nobody's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir/weir.h>

enum { rows = 4, columns = 9, records = 3, elements = rows * columns };

static const char* const type_names[] = {"",       "byte",  "char",   "short", "int",   "float",
                                         "double", "ubyte", "ushort", "uint",  "int64", "uint64"};
static weir_t* weir;
static int rank, ranks, failures;

static void check(int code, const char* call) {
  if (code == WEIR_OK) return;
  fprintf(stderr, "rank %d: %s: %s: %s\n", rank, call, weir_strerror(code), weir_error(weir));
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECK(call) check(call, #call)

static size_t size_of(weir_type type) {
  const size_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
  return sizes[type];
}

/* Stores element i of record r of a variable of this type. */
static void store(weir_type type, int record, int64_t i, void* target) {
  const int64_t step = 7 * i + record;
  const int8_t of_byte = (int8_t)(-128 + step % 200);
  const char of_char = (char)('a' + step % 26);
  const int16_t of_short = (int16_t)(-30000 + step);
  const int32_t of_int = (int32_t)(-2000000000 + step);
  const float of_float = (float)step / 8 - 1e6F;
  const double of_double = (double)step / 3 - 1e100;
  const uint8_t of_ubyte = (uint8_t)(step % 255);
  const uint16_t of_ushort = (uint16_t)(60000 + step);
  const uint32_t of_uint = (uint32_t)(4000000000U + step);
  const int64_t of_int64 = INT64_C(-8000000000000000000) + step;
  const uint64_t of_uint64 = UINT64_C(18000000000000000000) + (uint64_t)step;
  const void* const values[] = {NULL,       &of_byte,  &of_char,   &of_short, &of_int,   &of_float,
                                &of_double, &of_ubyte, &of_ushort, &of_uint,  &of_int64, &of_uint64};
  memcpy(target, values[type], size_of(type));
}

/* Which column this rank holds as its n-th; -1: no more. The columns go to the ranks in turn. */
static int column(int n) {
  return rank + n * ranks < columns ? rank + n * ranks : -1;
}

/* This rank's elements of an array (rows, columns) without the last `left_out` columns. */
static int make_layout(int left_out, int64_t* offsets, int* count) {
  const int64_t shape[] = {rows, columns};
  int layout = -1;
  *count = 0;
  for (int n = 0; column(n) >= 0; ++n)
    for (int row = 0; row < rows; ++row)
      offsets[(*count)++] = column(n) < columns - left_out ? row * columns + column(n) : WEIR_ABSENT;
  CHECK(weir_def_layout_map(weir, 2, shape, *count, offsets, &layout));
  return layout;
}

static void write_file(const char* path) {
  weir_file* file = NULL;
  int dims[3], record_var[12], fixed_var[12], hole = -1, scalar = -1;
  CHECK(weir_create(weir, path, 0, &file));
  CHECK(weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]));
  CHECK(weir_def_dim(file, "row", rows, &dims[1]));
  CHECK(weir_def_dim(file, "column", columns, &dims[2]));
  for (int type = WEIR_BYTE; type <= WEIR_UINT64; ++type) {
    char name[32], two[16];
    snprintf(name, sizeof name, "%s_record", type_names[type]);
    CHECK(weir_def_var(file, name, (weir_type)type, 3, dims, &record_var[type]));
    snprintf(name, sizeof name, "%s_fixed", type_names[type]);
    CHECK(weir_def_var(file, name, (weir_type)type, 2, dims + 1, &fixed_var[type]));
    store((weir_type)type, 0, 1, two);
    store((weir_type)type, 0, 2, two + size_of((weir_type)type));
    CHECK(weir_put_att(file, record_var[type], "two_values", (weir_type)type, 2, two));
    CHECK(weir_put_att(file, WEIR_GLOBAL, type_names[type], (weir_type)type, 2, two));
  }
  CHECK(weir_def_var(file, "hole", WEIR_SHORT, 2, dims + 1, &hole));
  CHECK(weir_def_var(file, "scalar", WEIR_DOUBLE, 0, NULL, &scalar));
  CHECK(weir_put_att_text(file, WEIR_GLOBAL, "title", "every type \xc3\xa9"));
  CHECK(weir_enddef(file));

  int64_t offsets[elements];
  char buffer[elements * 8];
  int count = 0;
  const int layout = make_layout(0, offsets, &count);
  for (int record = 0; record < records; ++record)
    for (int type = WEIR_BYTE; type <= WEIR_UINT64; ++type) {
      for (int i = 0; i < count; ++i)
        store((weir_type)type, record, offsets[i], buffer + (size_t)i * size_of((weir_type)type));
      CHECK(weir_put(file, record_var[type], record, layout, (weir_type)type, buffer));
      if (record == 0) CHECK(weir_put(file, fixed_var[type], 0, layout, (weir_type)type, buffer));
    }
  const int holey = make_layout(1, offsets, &count);
  for (int i = 0; i < count; ++i)
    if (offsets[i] != WEIR_ABSENT) store(WEIR_SHORT, 0, offsets[i], buffer + (size_t)i * 2);
  CHECK(weir_put(file, hole, 0, holey, WEIR_SHORT, buffer));
  const double pi = 3.141592653589793;
  CHECK(weir_put_var(file, scalar, 0, WEIR_DOUBLE, &pi));
  CHECK(weir_close(file));
}

static void read_back(const char* path) {
  weir_file* file = NULL;
  CHECK(weir_open(weir, path, WEIR_NOWRITE, &file));
  for (int type = WEIR_BYTE; type <= WEIR_UINT64; ++type) {
    char name[32], found[elements * 8], wanted[8];
    int var = -1;
    snprintf(name, sizeof name, "%s_record", type_names[type]);
    CHECK(weir_inq_varid(file, name, &var));
    for (int record = 0; record < records; ++record) {
      const int64_t start[] = {record, 0, 0}, count[] = {1, rows, columns};
      CHECK(weir_get_vara(file, var, start, count, (weir_type)type, found));
      for (int i = 0; i < elements; ++i) {
        store((weir_type)type, record, i, wanted);
        if (memcmp(found + (size_t)i * size_of((weir_type)type), wanted, size_of((weir_type)type)) == 0) continue;
        if (++failures < 5) fprintf(stderr, "rank %d: %s record %d element %d differs\n", rank, name, record, i);
      }
    }
  }
  CHECK(weir_close(file));
}

int main(int argc, char** argv) {
  char own[4096];
  const char* folder = getenv("TMPDIR");
  MPI_Comm model;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  snprintf(own, sizeof own, "%s/all_types.nc", folder ? folder : "/tmp");
  const char* path = argc > 1 ? argv[1] : own;
  if (weir_init(MPI_COMM_WORLD, "strategy: remap\n", &model, &weir) != WEIR_OK) {
    fprintf(stderr, "%s\n", weir_init_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  write_file(path);
  read_back(path);
  if (weir_finalize(&weir) != WEIR_OK) failures = 1;
  MPI_Comm_free(&model);
  MPI_Finalize();
  return failures ? 1 : 0;
}
