/* ranks: 1 3 */
/* SPDX-License-Identifier: Apache-2.0 */
/* Names that a format or its readers have for something else are refused and never dropped: attributes that netCDF-4
 * keeps for itself, in netCDF-4 alone, and a backslash in the name of a Zarr array or group. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weir/weir.h>

static weir_t* weir;
static int failures;

static void expect(int holds, const char* what, const char* name) {
  if (holds) return;
  fprintf(stderr, "%s, %s: %s\n", name, what, weir_error(weir));
  ++failures;
}

/* An attribute of the file, of a variable or of a group. */
static void attribute(const char* path, int mode, const char* name, int var, const char* group) {
  weir_file* file = NULL;
  char whole[64], value[4] = "";
  int dim = -1, number = -1;
  const int kept = mode != WEIR_NETCDF4;
  snprintf(whole, sizeof whole, "%s%s", group, name);
  expect(weir_create(weir, path, mode, &file) == WEIR_OK, "weir_create", whole);
  weir_def_dim(file, "x", 2, &dim);
  weir_def_var(file, "v", WEIR_INT, 1, &dim, &number);
  const int code = weir_put_att_text(file, var, whole, "abc");
  if (!kept)
    expect(code == WEIR_EARGUMENT && strstr(weir_error(weir), "reserves the attribute name"), "weir_put_att_text",
           whole);
  expect(weir_close(file) == (kept ? WEIR_OK : WEIR_EARGUMENT), "weir_close", whole);
  if (!kept) return;
  expect(weir_open(weir, path, WEIR_NOWRITE, &file) == WEIR_OK, "weir_open", whole);
  expect(weir_get_att(file, var, whole, value) == WEIR_OK && strncmp(value, "abc", 3) == 0, "weir_get_att", whole);
  weir_close(file);
}

static void backslash(const char* variable, int mode, int code) {
  weir_file* file = NULL;
  int dim = -1;
  expect(weir_create(weir, mode == WEIR_ZARR ? "b.zarr" : "b.nc", mode, &file) == WEIR_OK, "weir_create", variable);
  weir_def_dim(file, "x", 2, &dim);
  weir_def_var(file, variable, WEIR_INT, 1, &dim, NULL);
  expect(weir_enddef(file) == code, "weir_enddef", variable);
  expect(code == WEIR_OK || strstr(weir_error(weir), "backslash"), "the sentence", variable);
  weir_close(file);
}

int main(int argc, char** argv) {
  const char* reserved[] = {
      "_NCProperties", "_Netcdf4Dimid", "_Netcdf4Coordinates", "_IsNetcdf4",    "_SuperblockVersion", "_nc3_strict",
      "CLASS",         "NAME",          "REFERENCE_LIST",      "DIMENSION_LIST"};
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  if (chdir(getenv("TMPDIR")) != 0) return 1;
  if (weir_init(MPI_COMM_WORLD, "durability: cache\ntimeout: 60\n", &comm, &weir) != WEIR_OK) return 1;
  for (int n = 0; n < 10; ++n) {
    attribute("r.nc", WEIR_CDF5, reserved[n], WEIR_GLOBAL, "");
    attribute("r.nc", WEIR_NETCDF4, reserved[n], WEIR_GLOBAL, "");
    attribute("r.nc", WEIR_NETCDF4, reserved[n], 0, "");
    attribute("r.nc", WEIR_NETCDF4, reserved[n], WEIR_GLOBAL, "g/");
    attribute("r.zarr", WEIR_ZARR, reserved[n], 0, "");
  }
  backslash("a\\b", WEIR_ZARR, WEIR_EARGUMENT);
  backslash("a\\b/c", WEIR_ZARR, WEIR_EARGUMENT);
  backslash("a\\b", WEIR_CDF5, WEIR_OK);
  backslash("a\\b", WEIR_NETCDF4, WEIR_OK);
  weir_finalize(&weir);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return failures > 0;
}
