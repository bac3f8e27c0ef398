// SPDX-License-Identifier: Apache-2.0
// Interprets an MPI datatype that describes a region of the file (put_vard) as PnetCDF does: bytes counted from the
// first byte of the variable, which are elements of the variable's own type; for a record variable, bytes of the whole
// record section, so that the next record begins one record of all variables later. One datatype, taken once. Local.
#pragma once

#include "pnetcdf/access.hpp"

namespace weir::bridge {

// nullopt where the library may refuse it, or it means more than this variable: the library takes whatever lies there.
std::optional<std::vector<Slab>> slabs_of_filetype(const Access& access, const Variable& variable,
                                                   const FileForm& form);
// What the record count becomes of a datatype that has slabs: it counts where nothing is put, too.
std::int64_t records_of_filetype(MPI_Datatype filetype, const FileForm& form);

}  // namespace weir::bridge
