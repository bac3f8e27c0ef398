// SPDX-License-Identifier: Apache-2.0
// What the streams of an instance take of its layouts: each part once, however many outputs take it.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "file/file_state.hpp"
#include "streams/field.hpp"
#include "streams/held_part.hpp"
#include "streams/stream_plan.hpp"

namespace weir {

// A part of a field's elements, as put by a layout of the instance.
struct SentPart {
  HeldPart held;
  int layout = -1;  // of Layouts; -1: a scalar
};

// Thread: the thread of the rank's calls.
class SentParts {
 public:
  // The references outlive this.
  SentParts(const Context& context, const Fields& fields) : context_(context), fields_(fields) {}

  // Makes what the outputs and fixed fields of the files take.
  // Collective. Errors: as add_layout().
  void make(const std::vector<PlannedFile>& plans);
  // The part of a field's layout (-1: of a scalar) that make() has made. It stays where it is. Local.
  const SentPart& at(int layout, const KeptIndices& kept) const;

 private:
  const Context& context_;
  const Fields& fields_;
  std::map<std::pair<int, KeptIndices>, SentPart> parts_;
};

}  // namespace weir
