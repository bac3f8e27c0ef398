// SPDX-License-Identifier: Apache-2.0
#include "flow/background_writer.hpp"

namespace weir {

bool BackgroundWriter::write_next() {
  PendingWrite* const pending = next();
  if (!pending) return false;
  if (!work_.ready(*pending)) {
    sleep(*pending);
  } else if (begin(*pending)) {
    work_.write(*pending);
    end(*pending);
  }
  return true;
}

bool BackgroundWriter::take(const PendingWrite& pending) noexcept {
  if (oldest() != &pending) return false;
  waiting_.erase(waiting_.begin());
  return true;
}

void BackgroundWriter::finish(PendingWrite& pending) const {
  pending.done = true;
  work_.done(oldest());
}

}  // namespace weir
