/* SPDX-License-Identifier: Apache-2.0
 * What the Fortran module weir_c calls besides weir.h: a Fortran communicator of `use mpi` is a number. */
#ifndef WEIR_FORTRAN_H
#define WEIR_FORTRAN_H

#include <weir/weir.h>

#ifdef __cplusplus
extern "C" {
#endif

/* weir_init, with communicators by their Fortran numbers. Collective over `world`. */
int weir_init_f(MPI_Fint world, const char* config, MPI_Fint* model_comm, weir_t** weir);

#ifdef __cplusplus
}
#endif

#endif
