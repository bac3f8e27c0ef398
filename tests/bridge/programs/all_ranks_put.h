/* SPDX-License-Identifier: Apache-2.0 */
/* Whether every rank puts what else rank 0 alone would put into a record, while the others put nothing: ALL_RANKS_PUT
 * in the environment says so, where the library does not take puts of nothing (tests/bridge/run.bash). */
#ifndef WEIR_TESTS_BRIDGE_ALL_RANKS_PUT_H
#define WEIR_TESTS_BRIDGE_ALL_RANKS_PUT_H

#include <stdlib.h>

static inline int all_ranks_put(void) {
  const char* const asked = getenv("ALL_RANKS_PUT");
  return asked != NULL && *asked != 0;
}

#endif
