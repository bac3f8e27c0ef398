// SPDX-License-Identifier: Apache-2.0
// MPI for the tests of this folder that ask it about datatypes: begun before the first one, ended after the last.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

namespace weir::bridge {

class MpiEnvironment : public testing::Environment {
 public:
  void SetUp() override { MPI_Init(nullptr, nullptr); }
  void TearDown() override { MPI_Finalize(); }
};

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
