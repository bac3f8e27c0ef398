// SPDX-License-Identifier: Apache-2.0
#include "core/datatype_contents.hpp"

namespace weir::bridge {

DatatypeContents::DatatypeContents(MPI_Datatype datatype) {
  int integers = 0, addresses = 0, types = 0;
  known_ = MPI_Type_get_envelope(datatype, &integers, &addresses, &types, &combiner) == MPI_SUCCESS;
  if (!known_ || combiner == MPI_COMBINER_NAMED) return;
  numbers.resize(static_cast<std::size_t>(integers));
  places.resize(static_cast<std::size_t>(addresses));
  parts.resize(static_cast<std::size_t>(types), MPI_DATATYPE_NULL);
  MPI_Type_get_contents(datatype, integers, addresses, types, numbers.data(), places.data(), parts.data());
}

DatatypeContents::~DatatypeContents() {
  for (MPI_Datatype& part : parts) {
    int integers = 0, addresses = 0, types = 0, made = MPI_COMBINER_NAMED;
    if (part == MPI_DATATYPE_NULL) continue;
    MPI_Type_get_envelope(part, &integers, &addresses, &types, &made);
    if (made != MPI_COMBINER_NAMED) MPI_Type_free(&part);
  }
}

}  // namespace weir::bridge
