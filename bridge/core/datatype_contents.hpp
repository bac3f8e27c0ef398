// SPDX-License-Identifier: Apache-2.0
// How an MPI datatype was constructed, one level deep. Local.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace weir::bridge {

// The parts are the datatypes that it was made of; they are freed with this, unless they are basic ones.
struct DatatypeContents {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> numbers;
  std::vector<MPI_Aint> places;
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
