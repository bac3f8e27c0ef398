// SPDX-License-Identifier: Apache-2.0
// The agreement of all ranks on a call that puts, in one reduction: whether some rank refuses, whether they put alike,
// and by which layouts. All of it is Collective, and alike on all ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/writer_state.hpp"

namespace weir::bridge {

// This rank's part of the question.
struct PutQuestion {
  std::int64_t records;   // that the file has after the call, at least
  Reason refusal;         // why this rank cannot put
  bool* question;         // nullptr, or what becomes whether it is so on any rank
  bool outdated = false;  // it has new definitions for the file, and cannot say what it puts
};

struct PutAgreement {
  Reason refusal = Reason::none;
  bool nothing = false;   // no rank puts anything
  bool outdated = false;  // some rank has new definitions for the file, and could not say what it puts
  bool alike = false;     // all that put something put the same keys, with layouts that all know by the same numbers
  bool small = false;     // some of it was never put before, and it is little
  int var = -1;           // where these are records [first, last) of one variable, with one layout
  std::int64_t first = 0, last = 0;
  int layout = -1;
  std::int64_t records = 0;
  std::int64_t end = 0;  // of all that is put, in a file that the library keeps
};

PutAgreement agree_on_put(const WriterState& writer_state, std::span<const Share> shares, const PutQuestion& mine);

// Of all ranks' shares, ascending.
std::vector<Key> keys_of_all(const WriterState& writer_state, std::span<const Share> shares);
// Of each key the number that all ranks with something know its layout by; -1 where there is none.
std::vector<std::int64_t> layouts_of_all(const WriterState& writer_state, std::span<const Key> keys,
                                         std::span<Share> shares);

}  // namespace weir::bridge
