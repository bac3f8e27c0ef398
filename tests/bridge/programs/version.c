/* SPDX-License-Identifier: Apache-2.0 */
/* The version of the PnetCDF that programs here run with: "1.12.3". */
#include <pnetcdf.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  const char* const words = ncmpi_inq_libvers();
  printf("%.*s\n", (int)strcspn(words, " "), words);
  return 0;
}
