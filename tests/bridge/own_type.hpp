// SPDX-License-Identifier: Apache-2.0
// For the tests of this folder that ask MPI about datatypes.
#pragma once

#include <mpi.h>

namespace weir::bridge {

// A datatype of MPI's, freed at the end if it is none of the basic ones.
class OwnType {
 public:
  template <class Make>
  explicit OwnType(Make make) {
    make(&type_);
  }
  ~OwnType() { MPI_Type_free(&type_); }
  OwnType(const OwnType&) = delete;
  OwnType& operator=(const OwnType&) = delete;
  operator MPI_Datatype() const noexcept { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace weir::bridge
