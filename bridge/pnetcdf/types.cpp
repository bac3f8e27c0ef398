// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/types.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace weir::bridge {

std::optional<Type> type_of(MPI_Datatype basic) {
  const std::pair<MPI_Datatype, Type> known[] = {
      {MPI_FLOAT, WEIR_FLOAT},    {MPI_DOUBLE, WEIR_DOUBLE},           {MPI_INT, WEIR_INT},
      {MPI_CHAR, WEIR_CHAR},      {MPI_SIGNED_CHAR, WEIR_BYTE},        {MPI_UNSIGNED_CHAR, WEIR_UBYTE},
      {MPI_SHORT, WEIR_SHORT},    {MPI_UNSIGNED_SHORT, WEIR_USHORT},   {MPI_UNSIGNED, WEIR_UINT},
      {MPI_LONG, WEIR_INT64},     {MPI_LONG_LONG_INT, WEIR_INT64},     {MPI_UNSIGNED_LONG_LONG, WEIR_UINT64},
      {MPI_REAL, WEIR_FLOAT},     {MPI_DOUBLE_PRECISION, WEIR_DOUBLE}, {MPI_INTEGER, WEIR_INT},
      {MPI_CHARACTER, WEIR_CHAR}, {MPI_INTEGER1, WEIR_BYTE},           {MPI_INTEGER2, WEIR_SHORT},
      {MPI_INTEGER4, WEIR_INT},   {MPI_INTEGER8, WEIR_INT64},          {MPI_REAL4, WEIR_FLOAT},
      {MPI_REAL8, WEIR_DOUBLE},
  };
  const auto found =
      std::find_if(std::begin(known), std::end(known), [&](const auto& pair) { return pair.first == basic; });
  if (found == std::end(known)) return std::nullopt;
  return found->second;
}

namespace {

// What MPI hands out of a datatype's making has to be freed, unless it is a basic one.
void release(MPI_Datatype& datatype) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  MPI_Type_get_envelope(datatype, &integers, &addresses, &types, &combiner);
  if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&datatype);
}

}  // namespace

std::optional<MPI_Datatype> basic_of(MPI_Datatype datatype) {
  if (datatype == MPI_DATATYPE_NULL) return std::nullopt;
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  if (MPI_Type_get_envelope(datatype, &integers, &addresses, &types, &combiner) != MPI_SUCCESS) return std::nullopt;
  if (combiner == MPI_COMBINER_NAMED) return datatype;
  if (combiner == MPI_COMBINER_HINDEXED_BLOCK) return std::nullopt;  // the library does not know it, and refuses
  std::vector<int> numbers(static_cast<std::size_t>(integers));
  std::vector<MPI_Aint> places(static_cast<std::size_t>(addresses));
  std::vector<MPI_Datatype> parts(static_cast<std::size_t>(types));
  MPI_Type_get_contents(datatype, integers, addresses, types, numbers.data(), places.data(), parts.data());
  std::optional<MPI_Datatype> common;
  bool one = !parts.empty();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::optional<MPI_Datatype> each = basic_of(parts[i]);
    one = one && each && (i == 0 || each == common);
    common = each;
    release(parts[i]);
  }
  return one ? common : std::nullopt;
}

std::optional<Type> element_of(MPI_Datatype datatype) {
  const std::optional<MPI_Datatype> basic = basic_of(datatype);
  return basic ? type_of(*basic) : std::nullopt;
}

}  // namespace weir::bridge
