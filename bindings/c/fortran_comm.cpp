// SPDX-License-Identifier: Apache-2.0
#include <weir/fortran.h>

int weir_init_f(MPI_Fint world, const char* config, MPI_Fint* model_comm, weir_t** weir) {
  if (!model_comm) return WEIR_EARGUMENT;
  MPI_Comm model = MPI_COMM_NULL;
  const int code = weir_init(MPI_Comm_f2c(world), config, &model, weir);
  *model_comm = MPI_Comm_c2f(model);
  return code;
}
