// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/types.hpp"

#include <algorithm>
#include <utility>

#include "core/datatype_contents.hpp"

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

std::optional<MPI_Datatype> basic_of(MPI_Datatype datatype) {
  if (datatype == MPI_DATATYPE_NULL) return std::nullopt;
  const DatatypeContents contents(datatype);
  if (!contents.known()) return std::nullopt;
  if (contents.combiner == MPI_COMBINER_NAMED) return datatype;
  if (contents.combiner == MPI_COMBINER_HINDEXED_BLOCK)
    return std::nullopt;  // the library does not know it, and refuses
  std::optional<MPI_Datatype> common;
  bool one = !contents.parts.empty();
  for (std::size_t i = 0; i < contents.parts.size(); ++i) {
    const std::optional<MPI_Datatype> each = basic_of(contents.parts[i]);
    one = one && each && (i == 0 || each == common);
    common = each;
  }
  return one ? common : std::nullopt;
}

std::optional<Type> element_of(MPI_Datatype datatype) {
  const std::optional<MPI_Datatype> basic = basic_of(datatype);
  return basic ? type_of(*basic) : std::nullopt;
}

}  // namespace weir::bridge
