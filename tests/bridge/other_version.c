/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded behind a bridge, it makes PnetCDF say that it is of the version that OTHER_VERSION names. */
#include <stdlib.h>

const char* ncmpi_inq_libvers(void);
const char* ncmpi_inq_libvers(void) {
  const char* version = getenv("OTHER_VERSION");
  return version != NULL ? version : "";
}
