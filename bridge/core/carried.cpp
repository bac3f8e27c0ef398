// SPDX-License-Identifier: Apache-2.0
#include "core/carried.hpp"

#include "base/outcome.hpp"

namespace weir::bridge {

Status Carried::guarded(const std::function<void()>& body) try {
  if (running == nullptr) running = &group->running(decision);
  return running->call(body);
} catch (const std::exception&) {
  return caught();
}

void Carried::complain(const std::string& sentence) const {
  if (group->comm().rank() == 0) group->process().say(sentence);
}

bool Carried::try_carry(const Key& key, int layout, const Share* share, Outcome& outcome) {
  const Type external = file->schema().variable(key.var).type;
  try {
    const RangeFailure failure = file->puts().carry(key.var, key.record, layout, share ? share->type : external,
                                                    share ? share->values(room) : nullptr);
    outcome.out_of_range = failure.count;
    if (share != nullptr && layouts().yields(layout))
      outcome.out_of_range = misfits(share->values(room), share->elements(), share->type, external);
    return true;
  } catch (const Error& error) {
    if (error.code() != WEIR_EOVERLAP) throw;
    return false;
  }
}

}  // namespace weir::bridge
