// SPDX-License-Identifier: Apache-2.0
#include "core/writer_state.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "plan/box.hpp"

namespace weir::bridge {

Status WriterState::guarded(const std::function<void()>& body) try {
  if (running == nullptr) running = &group->running(decision);
  return running->call(body);
} catch (const std::exception&) {
  return caught();
}

void WriterState::complain(const std::string& sentence) const {
  if (group->comm().rank() == 0) group->process().say(sentence);
}

bool WriterState::try_carry(const Key& key, int layout, const Share* share, Outcome& outcome) {
  const Type external = file->schema().variable(key.var).type;
  try {
    const RangeFailure failure = file->puts().carry(key.var, key.record, layout, share ? share->type : external,
                                                    share ? share->values(room) : nullptr);
    outcome.out_of_range = failure.count;
    if (share != nullptr && layouts().yields(layout))
      outcome.out_of_range = misfits(share->values(room), share->elements(), share->type, external, name.infinities);
    return true;
  } catch (const Error& error) {
    if (error.code() != WEIR_EOVERLAP) throw;
    overlap = error.what();
    return false;
  }
}

// A slab with strides is said by its corners.
void WriterState::note_overlap(const Key& key, const Share* share) {
  const auto ndims = shape_of(file->schema(), key.var).size();
  std::vector<std::int64_t> mine(2 * ndims, 0);  // nothing
  if (share != nullptr && share->slabs.size() == 1)
    for (std::size_t d = 0; d < ndims; ++d) {
      const Slab& slab = share->slabs[0];
      mine[d] = slab.start[d];
      mine[ndims + d] = slab.start[d] + (slab.count[d] - 1) * (slab.stride.empty() ? 1 : slab.stride[d]) + 1;
    }
  const std::vector<std::int64_t> all = allgather(comm(), std::span(std::as_const(mine)), deadline(), put_words());
  const auto box = [&](int rank) {
    const auto words = std::span(all).subspan(static_cast<std::size_t>(rank) * 2 * ndims, 2 * ndims);
    return Box{words.first(ndims), words.last(ndims)};
  };
  const auto overlap_as_others = [&](const Box& one, const Box& other) {
    bool differ = false;
    for (std::size_t d = 0; d < ndims; ++d) {
      if (std::max(one.lo[d], other.lo[d]) >= std::min(one.hi[d], other.hi[d])) return false;
      differ = differ || one.lo[d] != other.lo[d] || one.hi[d] != other.hi[d];
    }
    return differ;
  };
  overlap.clear();
  for (int a = 0; a < comm().size(); ++a)
    for (int b = a + 1; b < comm().size() && overlap.empty(); ++b)
      if (overlap_as_others(box(a), box(b)))
        overlap = formatted("rank {} puts {} and rank {} puts {}", comm().number_of(a), to_string(box(a)),
                            comm().number_of(b), to_string(box(b)));
}

std::string WriterState::overlap_in_words() const {
  const std::string rule = "ranks put overlapping boxes: boxes that share an element must be identical";
  return overlap.empty() ? rule : rule + " (" + overlap + ")";
}

}  // namespace weir::bridge
