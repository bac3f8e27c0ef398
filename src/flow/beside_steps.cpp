// SPDX-License-Identifier: Apache-2.0
#include "flow/beside_steps.hpp"

namespace weir {

Task<bool> write_next(BesideSteps& steps, const Beside::Work& work) {
  PendingWrite* const oldest = co_await steps.next();
  if (!oldest) co_return false;
  if (!work.ready(*oldest)) {
    co_await steps.sleep(*oldest);
  } else if (steps.begin(*oldest)) {
    co_await work.write(*oldest);
    steps.end(*oldest);
  }
  co_return true;
}

}  // namespace weir
