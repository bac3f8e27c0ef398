// SPDX-License-Identifier: Apache-2.0
// Preloaded, it makes netCDF's puts of boxes return at once and write nothing: what a program's output still takes is
// not the library's (research/xios-bridged).
#include <stddef.h>

#define PUT(name, type)                                                                            \
  int name(int file, int variable, const size_t* start, const size_t* count, const type* values) { \
    (void)file, (void)variable, (void)start, (void)count, (void)values;                            \
    return 0;                                                                                      \
  }
PUT(nc_put_vara, void)
PUT(nc_put_vara_int, int)
PUT(nc_put_vara_float, float)
PUT(nc_put_vara_double, double)
