// SPDX-License-Identifier: Apache-2.0
// Steps that go on where one of them has failed.
#pragma once

#include "base/error.hpp"

namespace weir {

// Runs `body`, and keeps its error. Who has lost a rank meets nobody any more.
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
