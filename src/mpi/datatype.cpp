// SPDX-License-Identifier: Apache-2.0
#include "mpi/datatype.hpp"

namespace weir {

MPI_Datatype mpi_type(Type type) noexcept {
  switch (type) {
    case WEIR_BYTE:
      return MPI_SIGNED_CHAR;
    case WEIR_CHAR:
    case WEIR_STRING:
      return MPI_CHAR;
    case WEIR_SHORT:
      return MPI_SHORT;
    case WEIR_INT:
      return MPI_INT;
    case WEIR_FLOAT:
      return MPI_FLOAT;
    case WEIR_DOUBLE:
      return MPI_DOUBLE;
    case WEIR_UBYTE:
      return MPI_UNSIGNED_CHAR;
    case WEIR_USHORT:
      return MPI_UNSIGNED_SHORT;
    case WEIR_UINT:
      return MPI_UNSIGNED;
    case WEIR_INT64:
      return MPI_LONG_LONG_INT;
    case WEIR_UINT64:
      break;
  }
  return MPI_UNSIGNED_LONG_LONG;
}

}  // namespace weir
