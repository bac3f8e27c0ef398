// SPDX-License-Identifier: Apache-2.0
// Reads an existing netCDF-4 file: definitions by netCDF-C, and the offsets of chunks from HDF5's tables. Reads no
// data, except those of variables that are stored in the tables. Local.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "formats/stored_array.hpp"
#include "schema/types.hpp"

namespace weir {

// Returns HDF5's types for a type of netCDF's: little-endian, then big-endian.
inline std::pair<hid_t, hid_t> stored_types(Type type) {
  switch (type) {
    case WEIR_BYTE:
      return {H5T_STD_I8LE, H5T_STD_I8BE};
    case WEIR_UBYTE:
      return {H5T_STD_U8LE, H5T_STD_U8BE};
    case WEIR_SHORT:
      return {H5T_STD_I16LE, H5T_STD_I16BE};
    case WEIR_USHORT:
      return {H5T_STD_U16LE, H5T_STD_U16BE};
    case WEIR_INT:
      return {H5T_STD_I32LE, H5T_STD_I32BE};
    case WEIR_UINT:
      return {H5T_STD_U32LE, H5T_STD_U32BE};
    case WEIR_INT64:
      return {H5T_STD_I64LE, H5T_STD_I64BE};
    case WEIR_UINT64:
      return {H5T_STD_U64LE, H5T_STD_U64BE};
    case WEIR_FLOAT:
      return {H5T_IEEE_F32LE, H5T_IEEE_F32BE};
    case WEIR_DOUBLE:
      return {H5T_IEEE_F64LE, H5T_IEEE_F64BE};
    case WEIR_CHAR:
    case WEIR_STRING:
      break;
  }
  return {H5I_INVALID_HID, H5I_INVALID_HID};
}

// Returns the definitions of all groups, and the contents of string variables that became text.
// Errors: WEIR_EFORMAT, WEIR_EMEMORY.
StoredTables definitions_by_netcdf(const std::string& path, StringVariables strings);
// Finds the array of each other variable.
// Errors: WEIR_EFORMAT.
void find_arrays(const std::string& path, StoredTables& tables);
// Returns why HDF5 does not open the file, in brackets; "" if it does.
std::string open_problem(const std::string& path);

}  // namespace weir
