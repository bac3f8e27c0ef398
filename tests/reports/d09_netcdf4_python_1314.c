/* SPDX-License-Identifier: Apache-2.0 */
/* doors: weir netcdf */
/* netcdf4-python#1314, netcdf-c#3389, netcdf-c#3093: quantizing makes -0 of NaN, BitGroom with 7 digits destroys
 * floats, and -0.0 ends the program by SIGFPE. */
#include <fenv.h>
#include <float.h>
#include <math.h>

#include "report.h"

enum { COUNT = 18 };
static const float filled = 9.9692099683868690e+36f;
static const float in[COUNT] = {NAN,         INFINITY,    -INFINITY, 0.f,   -0.f,    1e-45f,   1.1754942e-38f,
                                3.4e38f,     9.96921e36f, 5.3f,      -6.2f, 273.15f, 101325.f, 1e-3f,
                                0.99999994f, -1.f,        1.f,       -0.f};

/* Within half a unit of the digit that is kept, or the last bit that is. */
static int near(double in_, double out, int mode, int digits) {
  const double bound = mode == 3 ? ldexp(fabs(in_), -digits) : fabs(in_) * pow(10, 1 - digits);
  return fabs(out - in_) <= bound;
}

static void compare(int mode, int digits, int is_float, const double* out) {
  const char* type = is_float ? "float" : "double";
  expect(isnan(out[0]), "mode %d, %d digits, %s: NaN became %g", mode, digits, type, out[0]);
  expect(out[1] == INFINITY && out[2] == -INFINITY, "mode %d, %d digits, %s: infinities %g, %g", mode, digits, type,
         out[1], out[2]);
  expect(out[3] == 0 && out[4] == 0 && signbit(out[4]), "mode %d, %d digits, %s: zeros %g, %g", mode, digits, type,
         out[3], out[4]);
  expect(out[17] == 0 && signbit(out[17]), "mode %d, %d digits, %s: -0 at an odd place became %g", mode, digits, type,
         out[17]);
  expect((float)out[8] == filled, "mode %d, %d digits, %s: the fill value became %g", mode, digits, type, out[8]);
  for (int i = 9; i < COUNT; ++i)
    expect(near(in[i], out[i], mode, digits), "mode %d, %d digits, %s: %.9g became %.9g", mode, digits, type, in[i],
           out[i]);
}

static int most_digits(int mode) {
  return mode == 3 ? 23 : 7;
}
static double doubles[COUNT];
static int vars[2][24];

#ifdef DOOR_WEIR
static void write_file(const char* path, int format, int mode) {
  weir_file* file = NULL;
  int dim;
  char name[16];
  CK(weir_create(weir, path, format, &file));
  CK(weir_def_dim(file, "x", COUNT, &dim));
  for (int digits = 1; digits <= most_digits(mode); ++digits)
    for (int d = 0; d < 2; ++d) {
      snprintf(name, sizeof name, "v%d_%d", digits, d);
      CK(weir_def_var(file, name, d ? WEIR_DOUBLE : WEIR_FLOAT, 1, &dim, &vars[d][digits]));
      CK(weir_def_var_quantize(file, vars[d][digits], mode, digits));
    }
  CK(weir_enddef(file));
  for (int digits = 1; digits <= most_digits(mode); ++digits) {
    CK(weir_put_var(file, vars[0][digits], 0, WEIR_FLOAT, in));
    CK(weir_put_var(file, vars[1][digits], 0, WEIR_DOUBLE, doubles));
  }
  CK(weir_close(file));
}

static void read_file(const char* path, int mode) {
  weir_file* file = NULL;
  CK(weir_open(weir, path, WEIR_NOWRITE, &file));
  for (int digits = 1; digits <= most_digits(mode); ++digits)
    for (int d = 0; d < 2; ++d) {
      double out[COUNT];
      const int64_t zero = 0, all = COUNT;
      CK(weir_get_vara(file, vars[d][digits], &zero, &all, WEIR_DOUBLE, out));
      compare(mode, digits, !d, out);
    }
  CK(weir_close(file));
}
#else
static void write_file(const char* path, int format, int mode) {
  int file, dim;
  char name[16];
  CK(nc_create_par(path, format | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  CK(nc_def_dim(file, "x", COUNT, &dim));
  for (int digits = 1; digits <= most_digits(mode); ++digits)
    for (int d = 0; d < 2; ++d) {
      snprintf(name, sizeof name, "v%d_%d", digits, d);
      CK(nc_def_var(file, name, d ? NC_DOUBLE : NC_FLOAT, 1, &dim, &vars[d][digits]));
      CK(nc_def_var_quantize(file, vars[d][digits], mode, digits));
    }
  CK(nc_enddef(file));
  for (int digits = 1; digits <= most_digits(mode); ++digits)
    for (int d = 0; d < 2; ++d) CK(nc_var_par_access(file, vars[d][digits], NC_COLLECTIVE));
  for (int digits = 1; digits <= most_digits(mode); ++digits) {
    CK(nc_put_var_float(file, vars[0][digits], in));
    CK(nc_put_var_double(file, vars[1][digits], doubles));
  }
  CK(nc_close(file));
}

/* In the variable's own type: netCDF-C 4.9.0 quantizes once more where it converts what it reads. */
static void read_file(const char* path, int mode) {
  int file;
  if (rank == 0) {
    CK(nc_open(path, NC_NOWRITE, &file));
    for (int digits = 1; digits <= most_digits(mode); ++digits) {
      double out[COUNT];
      float floats[COUNT];
      CK(nc_get_var_double(file, vars[1][digits], out));
      compare(mode, digits, 0, out);
      CK(nc_get_var_float(file, vars[0][digits], floats));
      for (int i = 0; i < COUNT; ++i) out[i] = floats[i];
      compare(mode, digits, 1, out);
    }
    CK(nc_close(file));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}
#endif

/* The formats that pack. */
static void write_and_read(int mode) {
#ifdef DOOR_WEIR
  static const char* const paths[] = {"quantized.nc", "quantized.zarr"};
  static const int formats_of[] = {WEIR_NETCDF4, WEIR_ZARR};
#else
  static const char* const paths[] = {"quantized.nc"};
  static const int formats_of[] = {NC_NETCDF4};
#endif
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
    feenableexcept(FE_DIVBYZERO | FE_INVALID);
    write_file(paths[i], formats_of[i], mode);
    fedisableexcept(FE_DIVBYZERO | FE_INVALID);
    read_file(paths[i], mode);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int i = 0; i < COUNT; ++i) doubles[i] = i == 8 ? (double)filled : in[i];
  for (int mode = 1; mode <= 3; ++mode) write_and_read(mode);
  return end();
}
