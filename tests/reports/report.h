/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of public reports share. A failed expectation is printed by its rank, and the program goes on: all
 * ranks make the same calls to the end. */
#ifndef WEIR_TESTS_REPORT_H
#define WEIR_TESTS_REPORT_H
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef DOOR_WEIR
#include <weir/weir.h>
static weir_t* weir;
static MPI_Comm model_comm;
#endif
#ifdef DOOR_NETCDF
#include <netcdf.h>
#include <netcdf_par.h>
#endif
#ifdef DOOR_PNETCDF
#include <pnetcdf.h>
#endif

static int rank, ranks, failures;

__attribute__((format(printf, 2, 3))) static void expect(int holds, const char* format, ...) {
  va_list words;
  if (holds) return;
  if (++failures > 5) return;
  fprintf(stderr, "rank %d of %d: ", rank, ranks);
  va_start(words, format);
  vfprintf(stderr, format, words);
  va_end(words);
  fputc('\n', stderr);
}

static const char* words_of(int code) {
#ifdef DOOR_WEIR
  (void)code;
  return weir_error(weir);
#elif defined(DOOR_NETCDF)
  return nc_strerror(code);
#else
  return ncmpi_strerror(code);
#endif
}

/* The call succeeds. */
#define CK(call)                                                          \
  do {                                                                    \
    const int code_ = (call);                                             \
    expect(code_ == 0, "%s: code %d: %s", #call, code_, words_of(code_)); \
  } while (0)

__attribute__((unused)) static void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#ifdef DOOR_WEIR
  if (weir_init(MPI_COMM_WORLD, NULL, &model_comm, &weir) != WEIR_OK) {
    fprintf(stderr, "rank %d: %s\n", rank, weir_init_error());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
#endif
}

/* The program's exit code, alike on all ranks. */
__attribute__((unused)) static int end(void) {
  int worst = 0;
#ifdef DOOR_WEIR
  weir_finalize(&weir);
  MPI_Comm_free(&model_comm);
#endif
  MPI_Allreduce(&failures, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return worst > 0;
}

#ifdef DOOR_WEIR
static const struct format {
  const char* file;
  int mode;
} formats[] = {{"cdf1.nc", WEIR_CDF1},
               {"cdf2.nc", WEIR_CDF2},
               {"cdf5.nc", WEIR_CDF5},
               {"netcdf4.nc", WEIR_NETCDF4},
               {"folder.zarr", WEIR_ZARR}};
enum { format_count = sizeof formats / sizeof *formats };
#endif
#endif
