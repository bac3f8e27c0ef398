// SPDX-License-Identifier: Apache-2.0
// Runs all of several steps, even if one of them fails.
#pragma once

#include "base/error.hpp"

namespace weir {

// Runs `body`, and keeps its error. After the loss of a rank there is no further agreement.
template <class Body>
void attempt(Status& status, Body body) {
  try {
    body();
  } catch (const Error& error) {
    status.merge({error.code(), error.what(), -1});
    if (ends_instance(error.code())) throw;
  }
}

}  // namespace weir
