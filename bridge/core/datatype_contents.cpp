// SPDX-License-Identifier: Apache-2.0
#include "core/datatype_contents.hpp"

#include <cstddef>

namespace weir::bridge {

namespace {

// MPI 4's functions serve all datatypes; the earlier ones end the program at a datatype that was made with large
// counts.
#if MPI_VERSION >= 4
using Count = MPI_Count;
#else
using Count = int;
#endif

struct Envelope {
  Count integers = 0, addresses = 0, counts = 0, types = 0;
  int combiner = MPI_COMBINER_NAMED;

  // False where MPI does not know the datatype.
  bool read(MPI_Datatype datatype) {
#if MPI_VERSION >= 4
    const int code = MPI_Type_get_envelope_c(datatype, &integers, &addresses, &counts, &types, &combiner);
#else
    const int code = MPI_Type_get_envelope(datatype, &integers, &addresses, &types, &combiner);
#endif
    return code == MPI_SUCCESS;
  }
};

template <class Number>
std::vector<Number> room(Count elements) {
  return std::vector<Number>(static_cast<std::size_t>(elements));
}

// How many of a datatype's large counts, the last of them, are its places.
std::size_t places_among(int combiner, const std::vector<Count>& counts) {
  switch (combiner) {
    case MPI_COMBINER_HVECTOR:
      return 1;
    case MPI_COMBINER_RESIZED:
      return 2;
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_HINDEXED_BLOCK:
    case MPI_COMBINER_STRUCT:
      return static_cast<std::size_t>(counts[0]);
    default:
      return 0;
  }
}

}  // namespace

DatatypeContents::DatatypeContents(MPI_Datatype datatype) {
  Envelope envelope;
  known_ = envelope.read(datatype);
  combiner = envelope.combiner;
  if (!known_ || combiner == MPI_COMBINER_NAMED) return;
  auto integers = room<int>(envelope.integers);
  auto addresses = room<MPI_Aint>(envelope.addresses);
  auto counts = room<Count>(envelope.counts);
  parts.resize(static_cast<std::size_t>(envelope.types), MPI_DATATYPE_NULL);
#if MPI_VERSION >= 4
  MPI_Type_get_contents_c(datatype, envelope.integers, envelope.addresses, envelope.counts, envelope.types,
                          integers.data(), addresses.data(), counts.data(), parts.data());
#else
  MPI_Type_get_contents(datatype, envelope.integers, envelope.addresses, envelope.types, integers.data(),
                        addresses.data(), parts.data());
#endif
  numbers.assign(integers.begin(), integers.end());
  places.assign(addresses.begin(), addresses.end());
  if (counts.empty()) return;
  const auto behind = counts.end() - static_cast<std::ptrdiff_t>(places_among(combiner, counts));
  // A subarray's number of dimensions and its order are integers, and what is between them counts.
  numbers.insert(combiner == MPI_COMBINER_SUBARRAY ? numbers.begin() + 1 : numbers.end(), counts.begin(), behind);
  places.insert(places.end(), behind, counts.end());
}

DatatypeContents::~DatatypeContents() {
  for (MPI_Datatype& part : parts) {
    Envelope made;
    if (part == MPI_DATATYPE_NULL) continue;
    made.read(part);
    if (made.combiner != MPI_COMBINER_NAMED) MPI_Type_free(&part);
  }
}

}  // namespace weir::bridge
