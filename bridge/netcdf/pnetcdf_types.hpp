// SPDX-License-Identifier: Apache-2.0
// X(netCDF's number, PnetCDF's word for it, C type) for each type of the classic formats.
#pragma once

#define WEIR_PNETCDF_NUMBERS(X)        \
  X(NC_BYTE, schar, signed char)       \
  X(NC_SHORT, short, short)            \
  X(NC_INT, int, int)                  \
  X(NC_FLOAT, float, float)            \
  X(NC_DOUBLE, double, double)         \
  X(NC_UBYTE, uchar, unsigned char)    \
  X(NC_USHORT, ushort, unsigned short) \
  X(NC_UINT, uint, unsigned int)       \
  X(NC_INT64, longlong, long long)     \
  X(NC_UINT64, ulonglong, unsigned long long)

#define WEIR_PNETCDF_TYPES(X) X(NC_CHAR, text, char) WEIR_PNETCDF_NUMBERS(X)
