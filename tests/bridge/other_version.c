/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded behind a bridge, it makes PnetCDF say that it is of another series than the bridge was built for. */
const char* ncmpi_inq_libvers(void);
const char* ncmpi_inq_libvers(void) {
  return "9.8.7 of 1 Jan 2099";
}
