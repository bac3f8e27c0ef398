// SPDX-License-Identifier: Apache-2.0
// How an MPI datatype was constructed, one level deep; of one made by a function with large counts (MPI 4's
// MPI_Type_vector_c and the like) the same as of one made without. Local.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace weir::bridge {

// Numbers, places and parts are what MPI_Type_get_contents gives as integers, addresses and datatypes. The parts, the
// datatypes that it was made of, are freed with this, unless they are basic ones.
struct DatatypeContents {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<std::int64_t> numbers, places;
  std::vector<MPI_Datatype> parts;

  explicit DatatypeContents(MPI_Datatype datatype);
  ~DatatypeContents();
  DatatypeContents(const DatatypeContents&) = delete;
  DatatypeContents& operator=(const DatatypeContents&) = delete;

  // False where MPI does not know the datatype.
  bool known() const noexcept { return known_; }
  std::int64_t blocks() const noexcept { return std::ssize(numbers) + std::ssize(places) + std::ssize(parts); }

 private:
  bool known_;
};

}  // namespace weir::bridge
