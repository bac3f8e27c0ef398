/* SPDX-License-Identifier: Apache-2.0 */
/* The types, codes and constants of Weir's interface: what can be named without MPI. Included by weir.h. */
#ifndef WEIR_TYPES_H
#define WEIR_TYPES_H

#include <stdint.h>

/* So that C++ may look at whatever number a caller passes, and refuse it. */
#ifdef __cplusplus
#define WEIR_ANY_INT : int
#else
#define WEIR_ANY_INT
#endif

/* External and memory types; the numbers are netCDF's nc_type. WEIR_STRING is a type of attributes only: texts of any
 * length, in netCDF-4 and Zarr. */
typedef enum weir_type WEIR_ANY_INT {
  WEIR_BYTE = 1,
  WEIR_CHAR = 2,
  WEIR_SHORT = 3,
  WEIR_INT = 4,
  WEIR_FLOAT = 5,
  WEIR_DOUBLE = 6,
  WEIR_UBYTE = 7,
  WEIR_USHORT = 8,
  WEIR_UINT = 9,
  WEIR_INT64 = 10,
  WEIR_UINT64 = 11,
  WEIR_STRING = 12
} weir_type;

/* What functions return: WEIR_OK or what was wrong. weir_strerror gives each in words. */
typedef enum weir_code WEIR_ANY_INT {
  WEIR_OK = 0,
  WEIR_EARGUMENT = -1001, /* an argument cannot be right */
  WEIR_ESTATE = -1002,    /* the call comes at the wrong time: before enddef, after close, on a freed handle */
  WEIR_ECONFIG = -1003,   /* the configuration has an unknown key or an impossible value */
  WEIR_EOVERLAP = -1004,  /* two ranks hold the same element */
  WEIR_ECOVER = -1005,    /* no rank holds an element, and the file asks for full cover */
  WEIR_EMISMATCH = -1006, /* the ranks do not agree: on a definition, or on what they put */
  WEIR_ERANGE = -1007,    /* a value does not fit the external type; the fill value was written in its place */
  WEIR_EIO = -1008,       /* the file system refused */
  WEIR_EFORMAT = -1009,   /* not a netCDF classic file, or a damaged one, or one of another shape */
  WEIR_ETIMEOUT = -1010,  /* a rank did not come within `timeout` */
  WEIR_EMEMORY = -1011,   /* buffer_limit is too small for this, or the machine has no memory left */
  WEIR_EMPI = -1012,      /* MPI reported an error */
  WEIR_ENOTFOUND = -1013, /* no dimension, variable or attribute of that name */
  WEIR_EINTERNAL = -1014  /* a defect of Weir */
} weir_code;

/* Modes of weir_create and weir_open, to be combined bit by bit (| or ior). Without a format word Weir takes the oldest
 * classic format that can hold the file: CDF-1, else CDF-2, else CDF-5. */
enum {
  WEIR_NOWRITE = 0x0,
  WEIR_WRITE = 0x1,
  WEIR_CLOBBER = 0x0,
  WEIR_NOCLOBBER = 0x4,
  WEIR_CDF1 = 0x10000,
  WEIR_CDF2 = 0x200, /* netCDF's 64-bit offset */
  WEIR_CDF5 = 0x20,  /* netCDF's 64-bit data */
  WEIR_NETCDF4 = 0x1000,
  WEIR_ZARR = 0x100000 /* a folder of version 3 */
};

/* How the values of a netCDF-4 or Zarr variable lie in the file: the one way that Weir writes. */
enum { WEIR_CHUNKED = 0 };

/* How a variable is quantized: weir_def_var_quantize. */
enum { WEIR_NOQUANTIZE = 0, WEIR_QUANTIZE_BITGROOM = 1, WEIR_QUANTIZE_GRANULARBR = 2, WEIR_QUANTIZE_BITROUND = 3 };

/* What elements hold that no rank put. */
typedef enum weir_fill_mode WEIR_ANY_INT {
  WEIR_FILL = 0,   /* they hold the variable's _FillValue, or netCDF's default of its type (the default) */
  WEIR_NOFILL = 1, /* they are left as they are; for a model that puts every element */
  WEIR_COVER = 2   /* a put that leaves one is an error */
} weir_fill_mode;

#define WEIR_GLOBAL (-1)          /* "variable" of the file's own attributes */
#define WEIR_UNLIMITED INT64_C(0) /* length of the record dimension */
#define WEIR_ABSENT INT64_MIN     /* in an offset map: this element of the buffer is not in the file */
#define WEIR_MAX_NAME 257         /* a name has at most 256 bytes, which a zero follows */

#undef WEIR_ANY_INT

#endif
