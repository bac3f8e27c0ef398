// SPDX-License-Identifier: Apache-2.0
// HDF5's types for the elements of netCDF's variables.
#pragma once

#include <hdf5.h>

#include <utility>

#include "schema/types.hpp"

namespace weir {

// HDF5's types for one of ours: little-endian, then big-endian.
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

}  // namespace weir
