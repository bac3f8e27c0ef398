/* SPDX-License-Identifier: Apache-2.0 */
/* doors: weir pnetcdf */
/* PnetCDF#169, PnetCDF#199: definitions after data that make the header or the records longer: text variables come out
 * scrambled, and data are moved to wrong places. */
#include "report.h"

enum { ROWS = 5, LETTERS = 33, TURNS = 6 };

static char letter(int seed, int i) {
  return (char)('!' + (seed * 7 + i) % 90);
}
static char* words(int seed, int length, char* buffer) {
  for (int i = 0; i < length; ++i) buffer[i] = letter(seed, i);
  return buffer;
}
static void compare(const char* what, int seed, int length, const char* found) {
  for (int i = 0; i < length; ++i)
    expect(found[i] == letter(seed, i), "%s: byte %d is %d, not %d", what, i, found[i], letter(seed, i));
}

#ifdef DOOR_WEIR
/* Which definitions of a turn there was room for: of its text, and, in odd turns, of its variable with records. */
static int made[TURNS], made_records[TURNS];

/* One value at the turn's record, and fill at all others. */
static void check_records(weir_file* file, int k) {
  const int64_t zero = 0, all = TURNS;
  int var, found[TURNS];
  char name[8];
  snprintf(name, sizeof name, "r_%d", k);
  CK(weir_inq_varid(file, name, &var));
  CK(weir_get_vara(file, var, &zero, &all, WEIR_INT, found));
  for (int record = 0; record < TURNS; ++record)
    expect(found[record] == (record == k ? 1000 + k : -2147483647), "%s: record %d is %d", name, record, found[record]);
}

static void check(const char* path) {
  weir_file* file = NULL;
  int a, b, rec, var;
  char found[ROWS * LETTERS], name[8];
  const int64_t zero[2] = {0}, all[] = {ROWS, LETTERS}, seven[] = {3, 7};
  CK(weir_open(weir, path, WEIR_NOWRITE, &file));
  CK(weir_inq_varid(file, "a", &a));
  CK(weir_inq_varid(file, "b", &b));
  CK(weir_inq_varid(file, "rec", &rec));
  CK(weir_get_vara(file, a, zero, all, WEIR_CHAR, found));
  compare("a", 1, ROWS * LETTERS, found);
  CK(weir_get_vara(file, b, zero, seven, WEIR_CHAR, found));
  compare("b", 2, 21, found);
  for (int k = 0; k < TURNS; ++k) {
    const int64_t start[] = {k, 0}, three[] = {1, 3}, length = k + 1;
    CK(weir_get_vara(file, rec, start, three, WEIR_CHAR, found));
    compare("rec", 10 + k, 3, found);
    if (made_records[k]) check_records(file, k);
    if (!made[k]) continue;
    snprintf(name, sizeof name, "c_%d", k);
    CK(weir_inq_varid(file, name, &var));
    CK(weir_get_vara(file, var, zero, &length, WEIR_CHAR, found));
    compare(name, 20 + k, k + 1, found);
  }
  CK(weir_close(file));
}

/* A rank's own share of the whole: rank 0 puts it, the others nothing. */
static int put(weir_file* file, int var, const int64_t* start, const int64_t* count, const char* buffer) {
  static const int64_t none[3] = {0};
  return weir_put_vara(file, var, start, rank ? none : count, WEIR_CHAR, buffer);
}

/* A variable with records, where the file has some: classic formats have no room for it within their records. */
static void define_records(weir_file* file, const struct format* format, int64_t header_free, int t, int k) {
  const int packed = format->mode == WEIR_NETCDF4 || format->mode == WEIR_ZARR;
  const int64_t start = k, one = 1, none = 0;
  const int value = 1000 + k;
  int var;
  char name[8];
  CK(weir_redef(file));
  snprintf(name, sizeof name, "r_%d", k);
  CK(weir_def_var(file, name, WEIR_INT, 1, &t, &var));
  const int code = weir_enddef(file);
  made_records[k] = code == WEIR_OK;
  expect(packed ? code == WEIR_OK : code == WEIR_EARGUMENT && strstr(weir_error(weir), header_free ? name : "header"),
         "%s of %s: %d: %s", name, format->file, code, weir_error(weir));
  if (made_records[k]) CK(weir_put_vara(file, var, &start, rank ? &none : &one, WEIR_INT, &value));
}

static void run(const struct format* format, int64_t header_free) {
  weir_file* file = NULL;
  int rows, letters, three, seven, t, x3, a, b, rec, dim, var;
  char buffer[ROWS * LETTERS], name[8], *more = calloc(1, 1000 * TURNS);
  const int64_t zero[2] = {0}, all[] = {ROWS, LETTERS}, all_b[] = {3, 7};
  CK(weir_create(weir, format->file, format->mode, &file));
  CK(weir_def_dim(file, "t", WEIR_UNLIMITED, &t));
  CK(weir_def_dim(file, "rows", ROWS, &rows));
  CK(weir_def_dim(file, "letters", LETTERS, &letters));
  CK(weir_def_dim(file, "three", 3, &three));
  CK(weir_def_dim(file, "seven", 7, &seven));
  x3 = three;
  CK(weir_def_var(file, "a", WEIR_CHAR, 2, (int[]){rows, letters}, &a));
  CK(weir_def_var(file, "b", WEIR_CHAR, 2, (int[]){three, seven}, &b));
  CK(weir_def_var(file, "rec", WEIR_CHAR, 2, (int[]){t, x3}, &rec));
  CK(weir_set_alignment(file, header_free, 0, header_free / 4));
  CK(weir_enddef(file));
  CK(put(file, a, zero, all, words(1, ROWS * LETTERS, buffer)));
  CK(put(file, b, zero, all_b, words(2, 21, buffer)));
  CK(weir_close(file));
  CK(weir_open(weir, format->file, WEIR_WRITE, &file));
  for (int k = 0; k < TURNS; ++k) {
    const int64_t start[] = {k, 0}, count[] = {1, 3}, length = k + 1;
    CK(weir_redef(file));
    snprintf(name, sizeof name, "n_%d", k);
    CK(weir_def_dim(file, name, k + 1, &dim));
    snprintf(name, sizeof name, "c_%d", k);
    CK(weir_def_var(file, name, WEIR_CHAR, 1, &dim, &var));
    CK(weir_put_att(file, WEIR_GLOBAL, "long", WEIR_CHAR, 1000 * k, memset(more, 'm', 1000 * TURNS)));
    const int code = weir_enddef(file);
    made[k] = code == WEIR_OK;
    expect(made[k] || (code == WEIR_EARGUMENT && header_free == 0), "turn %d of %s: %s", k, format->file,
           weir_error(weir));
    if (made[k]) CK(put(file, var, zero, &length, words(20 + k, k + 1, buffer)));
    CK(put(file, rec, start, count, words(10 + k, 3, buffer)));
    made_records[k] = 0;
    if (k % 2) define_records(file, format, header_free, t, k);
  }
  CK(weir_close(file));
  check(format->file);
  free(more);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int f = 0; f < format_count; ++f)
    for (int large = 0; large < 2; ++large) run(&formats[f], large ? 65536 : 0);
  return end();
}
#else
static void run(int mode) {
  int file, t, rows, letters, three, seven, a, b, rec, var, dim, found_var;
  char buffer[ROWS * LETTERS], name[8], *more = calloc(1, 1000 * TURNS);
  const MPI_Offset zero[2] = {0}, none[2] = {0}, all[] = {ROWS, LETTERS}, all_b[] = {3, 7}, one[] = {1};
  CK(ncmpi_create(MPI_COMM_WORLD, "pnetcdf.nc", NC_CLOBBER | mode, MPI_INFO_NULL, &file));
  CK(ncmpi_def_dim(file, "t", NC_UNLIMITED, &t));
  CK(ncmpi_def_dim(file, "rows", ROWS, &rows));
  CK(ncmpi_def_dim(file, "letters", LETTERS, &letters));
  CK(ncmpi_def_dim(file, "three", 3, &three));
  CK(ncmpi_def_dim(file, "seven", 7, &seven));
  CK(ncmpi_def_var(file, "a", NC_CHAR, 2, (int[]){rows, letters}, &a));
  CK(ncmpi_def_var(file, "b", NC_CHAR, 2, (int[]){three, seven}, &b));
  CK(ncmpi_def_var(file, "rec", NC_CHAR, 2, (int[]){t, three}, &rec));
  CK(ncmpi_enddef(file));
  CK(ncmpi_put_vara_text_all(file, a, zero, rank ? none : all, words(1, ROWS * LETTERS, buffer)));
  CK(ncmpi_put_vara_text_all(file, b, zero, rank ? none : all_b, words(2, 21, buffer)));
  for (int k = 0; k < TURNS; ++k) {
    const MPI_Offset start[] = {k, 0}, count[] = {1, 3}, length = k + 1;
    CK(ncmpi_redef(file));
    snprintf(name, sizeof name, "n_%d", k);
    CK(ncmpi_def_dim(file, name, k + 1, &dim));
    snprintf(name, sizeof name, "c_%d", k);
    CK(ncmpi_def_var(file, name, NC_CHAR, 1, &dim, &var));
    snprintf(name, sizeof name, "r_%d", k);
    if (k % 2) CK(ncmpi_def_var(file, name, NC_INT, 1, &t, &found_var));
    CK(ncmpi_put_att_text(file, NC_GLOBAL, "long", 1000 * k, memset(more, 'm', 1000 * TURNS)));
    CK(ncmpi_enddef(file));
    CK(ncmpi_put_vara_text_all(file, var, zero, rank ? none : &length, words(20 + k, k + 1, buffer)));
    CK(ncmpi_put_vara_text_all(file, rec, start, rank ? none : count, words(10 + k, 3, buffer)));
    const int value = 1000 + k;
    if (k % 2) CK(ncmpi_put_vara_int_all(file, found_var, start, rank ? none : one, &value));
  }
  CK(ncmpi_close(file));
  CK(ncmpi_open(MPI_COMM_WORLD, "pnetcdf.nc", NC_NOWRITE, MPI_INFO_NULL, &file));
  CK(ncmpi_get_vara_text_all(file, a, zero, all, buffer));
  compare("a", 1, ROWS * LETTERS, buffer);
  CK(ncmpi_get_vara_text_all(file, b, zero, all_b, buffer));
  compare("b", 2, 21, buffer);
  for (int k = 0; k < TURNS; ++k) {
    const MPI_Offset start[] = {k, 0}, count[] = {1, 3}, length = k + 1;
    CK(ncmpi_get_vara_text_all(file, rec, start, count, buffer));
    compare("rec", 10 + k, 3, buffer);
    int found = 0;
    snprintf(name, sizeof name, "r_%d", k);
    if (k % 2) CK(ncmpi_inq_varid(file, name, &found_var));
    if (k % 2) CK(ncmpi_get_vara_int_all(file, found_var, start, one, &found));
    expect(k % 2 == 0 || found == 1000 + k, "%s: record %d is %d", name, k, found);
    snprintf(name, sizeof name, "c_%d", k);
    CK(ncmpi_inq_varid(file, name, &var));
    CK(ncmpi_get_vara_text_all(file, var, zero, &length, buffer));
    compare(name, 20 + k, k + 1, buffer);
  }
  CK(ncmpi_close(file));
  free(more);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  run(0);
  run(NC_64BIT_OFFSET);
  run(NC_64BIT_DATA);
  return end();
}
#endif
