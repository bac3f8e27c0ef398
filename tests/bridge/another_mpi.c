/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded before a program, it makes the program's MPI say that it is of the other family: Open MPI says that it is
 * MPICH, and MPICH that it is Open MPI. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

typedef int Inquire(char*, int*);
int MPI_Get_library_version(char* version, int* length);

int MPI_Get_library_version(char* version, int* length) {
  Inquire* inquire;
  *(void**)&inquire = dlsym(RTLD_NEXT, "MPI_Get_library_version");
  const int code = inquire(version, length);
  strcpy(version, strstr(version, "Open MPI") ? "MPICH Version:\t9.8.7\nMPICH Release date: 1 Jan 2099"
                                              : "Open MPI v9.8.7, package: none");
  *length = (int)strlen(version);
  return code;
}
