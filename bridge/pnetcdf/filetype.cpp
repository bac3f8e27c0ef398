// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/filetype.hpp"

#include <climits>

#include "core/byte_offsets.hpp"
#include "mpi/comm.hpp"
#include "pnetcdf/types.hpp"

namespace weir::bridge {

namespace {

// Behind the last byte. Of a datatype of nothing MPI may say that it begins as far away as can be; PnetCDF's sum of
// that and the extent is then below 0.
std::int64_t end_of(MPI_Datatype filetype) {
  MPI_Count begin = 0, extent = 0, end = 0;
  MPI_Type_get_true_extent_x(filetype, &begin, &extent);
  return __builtin_add_overflow(begin, extent, &end) ? 0 : end;
}

// PnetCDF takes Fortran's names of a type for C's, but a long for no type of a file's.
bool is_of_type(MPI_Datatype filetype, Type type) {
  const std::optional<MPI_Datatype> basic = basic_of(filetype);
  if (!basic || type_of(*basic) != type) return false;
  return type != WEIR_INT64 || *basic == mpi_type(type);
}

}  // namespace

std::optional<std::vector<Slab>> slabs_of_filetype(const Access& access, const Variable& variable,
                                                   const FileForm& form) {
  const std::vector<Slab> nothing;
  if (access.filetype == MPI_DATATYPE_NULL) return nothing;
  MPI_Count bytes = 0;
  if (MPI_Type_size_x(access.filetype, &bytes) != MPI_SUCCESS || bytes > INT_MAX) return std::nullopt;
  if (bytes == 0) return end_of(access.filetype) <= 0 ? std::optional(nothing) : std::nullopt;
  const std::optional<TypeMap> places = TypeMap::of(access.filetype);
  if (!places || !is_of_type(access.filetype, variable.type)) return std::nullopt;
  auto slabs = slabs_at(
      *places, {variable.shape, static_cast<int>(type_bytes(variable.type)), variable.record, form.record_bytes});
  if (slabs && access.buffer.count == 0 && access.buffer.datatype != MPI_DATATYPE_NULL) slabs->clear();
  return slabs;
}

std::int64_t records_of_filetype(MPI_Datatype filetype, const FileForm& form) {
  const std::int64_t end = filetype == MPI_DATATYPE_NULL ? 0 : end_of(filetype);
  return end <= 0 ? 0 : (end - 1) / form.record_bytes + 1;
}

}  // namespace weir::bridge
