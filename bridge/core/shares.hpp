// SPDX-License-Identifier: Apache-2.0
// Splits the parts of a call into the units that Weir puts: one record of one variable each. Pure, Local.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/layout_book.hpp"
#include "rearrange/copy.hpp"
#include "schema/schema.hpp"

namespace weir::bridge {

// This rank's part of one variable in one call: slabs over all the variable's dimensions (the record dimension
// included), their elements one after another at `values`, which hold `type` in native order.
struct LocalSlabs {
  int var = 0;
  Type type = WEIR_BYTE;
  std::vector<Slab> slabs;
  const void* values = nullptr;
};

// What is put at once. Parts of one variable and record that are of different types in memory are put one after
// another: `turn` counts them.
struct Key {
  std::int64_t record;
  int var;
  int turn;
  auto operator<=>(const Key&) const = default;
};

struct Share {
  Key key;
  Type type;
  std::vector<Slab> slabs;                         // without the record dimension; a scalar's is of one dimension
  std::vector<std::span<const std::byte>> chunks;  // the slabs' elements, one after another
  LayoutBook::SlabWords part;
  int layout = -1;

  std::int64_t elements() const noexcept;
  // The elements as one buffer: where they lie, or copied into `room`.
  const void* values(std::vector<std::byte>& room) const;
};

// By key, without what is empty. All parts lie within their variables.
std::vector<Share> cut_into_shares(const Schema& schema, std::span<const LocalSlabs> parts);

// How many of these values do not fit a type of the file, by the rule of rearrange/copy.hpp.
std::int64_t misfits(const void* values, std::int64_t elements, Type memory, Type external, Infinities infinities);

// The shape of a variable's record; a scalar's is {1}.
Shape shape_of(const Schema& schema, int var);

}  // namespace weir::bridge
