// SPDX-License-Identifier: Apache-2.0
#include "formats/classic/extents.hpp"

#include <algorithm>

#include "rearrange/copy.hpp"

namespace weir {

namespace {

constexpr std::int64_t most_fill_bytes = 1 << 20;  // of memory, seen by as many extents as it takes

}  // namespace

void Extents::pad(const Schema& schema) {
  const int vars = static_cast<int>(schema.variables().size());
  int records = 0;
  for (int var = 0; var < vars; ++var) records += schema.is_record(var) ? 1 : 0;
  for (int var = 0; var < vars; ++var) {
    Padding padding{schema.elements(var), type_bytes(schema.variable(var).type), 0, {}};
    const std::int64_t bytes = padding.elements * padding.element_bytes;
    if (records != 1 || !schema.is_record(var)) padding.bytes = padded_bytes(bytes) - bytes;
    fill_elements(padding.values.data(), padding.bytes / padding.element_bytes, schema.fill_value(var),
                  static_cast<int>(padding.element_bytes));
    padding_.push_back(padding);
  }
}

void Extents::add_padding(int var, std::int64_t begin) {
  if (padding_.empty()) return;
  const Padding& padding = padding_[static_cast<std::size_t>(var)];
  if (padding.bytes > 0)
    extents_.push_back({begin + padding.elements * padding.element_bytes, padding.bytes, padding.values.data()});
}

void Extents::add(const ReadyTile& tile, std::int64_t begin) {
  const std::int64_t size = tile.plan->element_bytes;
  for (const Stretch& stretch : tile.tile->stretches)
    extents_.push_back({begin + stretch.element * size, stretch.count * size, tile.memory + stretch.at * size});
  if (padding_.empty()) return;
  const auto& stretches = tile.tile->stretches;
  const std::int64_t elements = padding_[static_cast<std::size_t>(tile.var)].elements;
  const bool holds_the_last = std::any_of(stretches.begin(), stretches.end(),
                                          [&](const Stretch& s) { return s.element + s.count == elements; });
  if (holds_the_last) add_padding(tile.var, begin);
}

void Extents::set_fill(const ExternalValue& value, int element_bytes, std::int64_t count) {
  const std::int64_t held = std::min(count, most_fill_bytes / element_bytes);
  fill_.resize(static_cast<std::size_t>(held * element_bytes));
  fill_elements(fill_.data(), held, value, element_bytes);
}

void Extents::add_fill(std::int64_t begin, std::int64_t bytes) {
  const std::int64_t held = std::ssize(fill_);
  for (std::int64_t at = 0; at < bytes; at += held)
    extents_.push_back({begin + at, std::min(held, bytes - at), fill_.data()});
}

Status Extents::write(Sink& sink) {
  std::sort(extents_.begin(), extents_.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
  for (const Extent& extent : extents_) bytes_written_ += extent.bytes;
  Status status = sink.write(extents_);
  extents_.clear();
  return status;
}

}  // namespace weir
