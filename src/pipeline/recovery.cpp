// SPDX-License-Identifier: Apache-2.0
#include "pipeline/recovery.hpp"

namespace weir {

void Recovery::recover() {
  cycles_.drop();
  agreement_.forget();
  plans_.forget_uses();
  // Where one of these fails, agree() throws on all ranks that can be reached, and the instance ends.
  const auto agree_again = [&](std::uint64_t step, Question* question) {
    agree(rank_.comm, {AgreementPoint::recovery, step, "recovery", nullptr}, {}, rank_.deadline(), question).raise();
  };
  Question cycle{cycles_.number(), true};
  agree_again(1, &cycle);
  cycles_.end(static_cast<std::uint32_t>(cycle.value));
  Question numbers{rank_.layouts.next(), true};
  agree_again(2, &numbers);
  rank_.layouts.restart(static_cast<int>(numbers.value));
  cycles_.restart();
  agree_again(3, nullptr);
}

}  // namespace weir
