// SPDX-License-Identifier: Apache-2.0
#include "pio/written_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "pio/original_calls.hpp"

namespace weir::bridge {

WrittenFile* called_file(int number) noexcept {
  return calls_inside == 0 ? numbered<WrittenFile>().find(number) : nullptr;
}

WrittenFile::~WrittenFile() {
  if (file_writer_ == nullptr && comm().rank() == 0) system_->group->process().done(own_counts_);
}

int WrittenFile::frame(int var) const {
  const auto found = frames_.find(var);
  return found == frames_.end() ? no_frame : found->second;
}

// PIO knows of no records that only arrays made.
std::int64_t WrittenFile::length_of(int dim, std::int64_t length) const {
  const bool grows = file_writer_ && dim == file_writer_->schema().record_dimension();
  return grows ? std::max(length, file_writer_->records()) : length;
}

// To PIO variables have records where the first one's frame was set, and those of the call where their own was, too.
int WrittenFile::frame_of(const Arrays& arrays, std::size_t i) const {
  const int set = frame(arrays.vars[i]);
  if (arrays.frames == nullptr) return set;
  const bool told = frame(arrays.vars[0]) >= 0 && (set >= 0 || arrays.frames[i] == arrays.frames[0]);
  return told ? arrays.frames[i] : no_frame;
}

// Other ranks, which go on, find it missing where all agree.
bool WrittenFile::is_refused(const Arrays& arrays, const Decomposition& held) {
  const std::int64_t wanted = std::ssize(held.map);
  if (arrays.elements >= wanted && (arrays.values != nullptr || wanted == 0)) return false;
  if (!std::exchange(refused_, true))
    system_->group->process().say(
        formatted("rank {}: {}: an array of {} elements is written with a decomposition of {}: give what the "
                  "decomposition was made for, or make another one",
                  comm().rank(), name_.given, arrays.elements, wanted));
  return true;
}

bool WrittenFile::is_own_fill(const Schema& schema, int var, const std::byte* value) {
  const auto bytes = static_cast<std::size_t>(type_bytes(schema.variable(var).type));
  ExternalValue own = schema.fill_value(var);
  if constexpr (std::endian::native == std::endian::little) std::reverse(own.data(), own.data() + bytes);
  return std::memcmp(value, own.data(), bytes) == 0;
}

bool WrittenFile::fills_missing(int var) {
  const auto known = filled_.find(var);
  if (known != filled_.end()) return known->second;
  int no_fill = 1;
  if (WEIR_PIO(PIOc_inq_var_fill)(number_, var, &no_fill, nullptr) != 0) return true;
  return filled_[var] = no_fill == 0;
}

Reason WrittenFile::layout_of(Decomposition& held, int& layout, int& code) {
  const Status made = file_writer_->running()->call([&] { layout = held.layout_in(*file_writer_->running()); });
  if (made.ok()) return Reason::none;
  held.overlaps = true;
  if (made.code == WEIR_EARGUMENT) return Reason::overlap;
  code = fail(made);
  return Reason::failed;
}

Reason WrittenFile::survey(Decomposition& held, int& code) {
  const Status known = file_writer_->running()->call([&] { held.survey(); });
  if (known.ok()) return Reason::none;
  code = fail(known);
  return Reason::failed;
}

}  // namespace weir::bridge
