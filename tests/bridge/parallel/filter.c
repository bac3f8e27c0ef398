/* SPDX-License-Identifier: Apache-2.0 */
/* A filter of HDF5's that no library has: it turns the bits of each byte. HDF5 loads it from HDF5_PLUGIN_PATH. */
#include <H5PLextern.h>

enum { NUMBER = 40123 };

static size_t turn(unsigned flags, size_t values, const unsigned* parameters, size_t bytes, size_t* room,
                   void** chunk) {
  (void)flags, (void)room;
  unsigned char* const at = *chunk;
  for (size_t i = 0; i < bytes; ++i) at[i] ^= (unsigned char)(values > 0 ? parameters[0] : 0xff);
  return bytes;
}

static const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, NUMBER, 1, 1, "turned bits", NULL, NULL, turn};

H5PL_type_t H5PLget_plugin_type(void) {
  return H5PL_TYPE_FILTER;
}

const void* H5PLget_plugin_info(void) {
  return &filter;
}
