// SPDX-License-Identifier: Apache-2.0
// What an MPI datatype that says where in the file (put_vard) means to PnetCDF: bytes from the variable's first one on,
// which are elements of the variable's own type; of a variable with records, bytes of the whole file's records, so that
// the next record begins as many bytes later as a record of all variables has. One datatype, taken once. Local.
#pragma once

#include "pnetcdf/access.hpp"

namespace weir::bridge {

// nullopt where the library may refuse it, or it means more than this variable: the library takes whatever lies there.
std::optional<std::vector<Slab>> slabs_of_filetype(const Access& access, const Variable& variable,
                                                   const FileForm& form);
// What the record count becomes of a datatype that has slabs: it counts where nothing is put, too.
std::int64_t records_of_filetype(MPI_Datatype filetype, const FileForm& form);

}  // namespace weir::bridge
