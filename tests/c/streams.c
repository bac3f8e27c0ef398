/* SPDX-License-Identifier: Apache-2.0 */
/* ranks: 1 4 */
/* Two fields go to streams by the C interface, hour by hour: daily means and maxima are in a file a day. What comes at
 * the wrong time is refused, on all ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir/weir.h>

enum { NX = 5, NY = 8, HOURS = 48 };

static const char* const configuration =
    "streams:\n"
    "  daily:\n"
    "    file: \"%s/streams_c_{time:%%Y-%%m-%%d}.nc\"\n"
    "    every: 1 day\n"
    "    split: 1 day\n"
    "    fields: {sst: mean, highest: {of: ssh, as: maximum}, rain: mean}\n";

static weir_t* weir;
static int rank, failures;

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, weir_error(weir));
  ++failures;
}

static void expect_end(int wanted, const char* sentence) {
  const int code = weir_finalize(&weir);
  if (code == wanted && strstr(weir_init_error(), sentence)) return;
  fprintf(stderr, "rank %d: weir_finalize ends with %d, not %d: %s\n", rank, code, wanted, weir_init_error());
  ++failures;
}

static const char* folder(void) {
  const char* path = getenv("TMPDIR");
  return path ? path : ".";
}

static void start(MPI_Comm* comm) {
  char text[8192];
  snprintf(text, sizeof text, configuration, folder());
  if (weir_init(MPI_COMM_WORLD, text, comm, &weir) == WEIR_OK) return;
  fprintf(stderr, "weir_init: %s\n", weir_init_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* This rank's rows of (y, x). */
typedef struct {
  int first, rows, layout;
} Part;

static Part define_part(int ranks) {
  Part mine = {rank * NY / ranks, 0, -1};
  const int64_t shape[] = {NY, NX};
  mine.rows = (rank + 1) * NY / ranks - mine.first;
  expect(weir_def_layout(weir, 2, shape, 1, (const int64_t[]){mine.first, 0}, (const int64_t[]){mine.rows, NX}, NULL,
                         &mine.layout) == WEIR_OK,
         "weir_def_layout");
  return mine;
}

typedef struct {
  int sst, ssh, rain, unused, lat;
} Fields;

static Fields define_fields(const Part* mine) {
  Fields fields;
  const char* const dims[] = {"lat", "lon"};
  const int64_t length = NY, none = 0, all = rank == 0 ? NY : 0;
  double latitudes[NY];
  int lat_layout = -1;

  for (int j = 0; j < NY; ++j) latitudes[j] = 10.0 * j;
  expect(weir_def_field(weir, "sst", WEIR_FLOAT, 2, dims, mine->layout, &fields.sst) == WEIR_OK, "sst");
  expect(weir_def_field(weir, "ssh", WEIR_DOUBLE, 2, dims, mine->layout, &fields.ssh) == WEIR_OK, "ssh");
  expect(weir_def_field(weir, "rain", WEIR_DOUBLE, 0, NULL, -1, &fields.rain) == WEIR_OK, "rain");
  expect(weir_def_field(weir, "unused", WEIR_FLOAT, 2, dims, mine->layout, &fields.unused) == WEIR_OK, "unused");
  expect(weir_put_field_att_text(weir, fields.sst, "units", "K") == WEIR_OK, "an attribute");
  expect(weir_put_field_att_text(weir, WEIR_GLOBAL, "title", "streams") == WEIR_OK, "an attribute of all files");
  expect(weir_def_layout(weir, 1, &length, 1, &none, &all, NULL, &lat_layout) == WEIR_OK, "weir_def_layout");
  expect(weir_def_field(weir, "lat", WEIR_DOUBLE, 1, dims, lat_layout, &fields.lat) == WEIR_OK, "lat");
  expect(weir_set_field(weir, fields.lat, WEIR_DOUBLE, latitudes) == WEIR_OK, "weir_set_field");
  return fields;
}

static void send_all(const Part* mine, const Fields* fields) {
  double* values = malloc((size_t)(mine->rows * NX + 1) * sizeof *values);
  int wanted = -1;

  expect(weir_send(weir, fields->sst, 3600.0, WEIR_DOUBLE, values) == WEIR_ESTATE, "a send before weir_start_streams");
  expect(weir_start_streams(weir, "seconds since 1990-01-01 00:00:00", "noleap", 0.0) == WEIR_OK, "weir_start_streams");
  expect(weir_field_wanted(weir, fields->sst, 3600.0, &wanted) == WEIR_OK && wanted == 1, "sst is wanted");
  expect(weir_field_wanted(weir, fields->unused, 3600.0, &wanted) == WEIR_OK && wanted == 0, "unused is not wanted");
  expect(weir_field_wanted(weir, 99, 3600.0, &wanted) == WEIR_EARGUMENT, "there is no field 99");
  for (int hour = 1; hour <= HOURS; ++hour) {
    const double rain = 2.0 * hour;
    for (int i = 0; i < mine->rows * NX; ++i) values[i] = mine->first * NX + i + hour;
    expect(weir_send(weir, fields->sst, 3600.0 * hour, WEIR_DOUBLE, values) == WEIR_OK, "a send of sst");
    for (int i = 0; i < mine->rows * NX; ++i) values[i] *= 10;
    expect(weir_send(weir, fields->ssh, 3600.0 * hour, WEIR_DOUBLE, values) == WEIR_OK, "a send of ssh");
    expect(weir_send(weir, fields->rain, 3600.0 * hour, WEIR_DOUBLE, &rain) == WEIR_OK, "a send of rain");
  }
  expect(weir_send(weir, fields->sst, 3600.0, WEIR_DOUBLE, values) == WEIR_EARGUMENT, "times that run backwards");
  free(values);
}

static void expect_values(weir_file* file, const char* name, int count, const double* wanted) {
  double found[NX * NY] = {0};
  const int64_t start[] = {0, 0, 0}, counts[] = {1, NY, NX}, pair[] = {1, 2};
  int var = -1, ndims = -1;

  expect(weir_inq_varid(file, name, &var) == WEIR_OK, weir_file_error(file));
  weir_inq_var(file, var, NULL, NULL, &ndims, NULL, NULL);
  expect(weir_get_vara(file, var, start,
                       ndims == 2                ? pair
                       : ndims == 1 && count > 1 ? counts + 1
                                                 : counts,
                       WEIR_DOUBLE, found) == WEIR_OK,
         weir_file_error(file));
  for (int i = 0; i < count; ++i)
    if (found[i] != wanted[i]) fprintf(stderr, "%s[%d] is %g, not %g\n", name, i, found[i], wanted[i]);
  expect(memcmp(found, wanted, (size_t)count * sizeof *wanted) == 0, name);
}

static void expect_file(int day) {
  char path[4096], title[8] = "";
  weir_file* file = NULL;
  double means[NX * NY], maxima[NX * NY], latitudes[NY];
  const double time = 86400.0 * day + 43200, bounds[] = {86400.0 * day, 86400.0 * (day + 1)}, rain = 25.0 + 48 * day;
  int64_t records = -1;

  for (int i = 0; i < NX * NY; ++i) {
    means[i] = i + 12.5 + 24 * day;
    maxima[i] = 10 * (i + 24 * (day + 1));
  }
  for (int j = 0; j < NY; ++j) latitudes[j] = 10.0 * j;
  snprintf(path, sizeof path, "%s/streams_c_1990-01-%02d.nc", folder(), day + 1);
  expect(weir_open(weir, path, WEIR_NOWRITE, &file) == WEIR_OK, path);
  if (!file) return;
  expect(weir_inq_nrecords(file, &records) == WEIR_OK && records == 1, "one record a file");
  expect_values(file, "sst", NX * NY, means);
  expect_values(file, "highest", NX * NY, maxima);
  expect_values(file, "rain", 1, &rain);
  expect_values(file, "time", 1, &time);
  expect_values(file, "time_bnds", 2, bounds);
  expect_values(file, "lat", NY, latitudes);
  expect(weir_get_att(file, WEIR_GLOBAL, "title", title) == WEIR_OK && strcmp(title, "streams") == 0, "the title");
  expect(weir_close(file) == WEIR_OK, "weir_close");
}

int main(int argc, char** argv) {
  MPI_Comm comm;
  int ranks = 1, all_failures = 0;

  MPI_Init(&argc, &argv);
  start(&comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const Part mine = define_part(ranks);
  const Fields fields = define_fields(&mine);
  send_all(&mine, &fields);
  expect_end(WEIR_EARGUMENT, "ascend"); /* what was sent before it is in the files */
  MPI_Comm_free(&comm);

  if (weir_init(MPI_COMM_WORLD, "strategy: remap\n", &comm, &weir) != WEIR_OK) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int day = 0; day < HOURS / 24; ++day) expect_file(day);
  expect_end(WEIR_OK, "");
  MPI_Comm_free(&comm);
  MPI_Allreduce(&failures, &all_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all_failures > 0;
}
