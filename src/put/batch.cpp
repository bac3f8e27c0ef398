// SPDX-License-Identifier: Apache-2.0
#include "put/batch.hpp"

namespace weir {

void Batch::drop_failed() {
  std::erase_if(entries_, [](const Entry& entry) { return !entry.file->failure.ok(); });
}

}  // namespace weir
