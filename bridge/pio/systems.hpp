// SPDX-License-Identifier: Apache-2.0
// PIO's I/O systems and decompositions, by PIO's own numbers. The bridge ignores a number that is not here: an
// asynchronous I/O system, whose I/O ranks do nothing else, or one that began before MPI or with an invalid
// configuration.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/file_writer.hpp"
#include "pio/interface.h"

namespace weir::bridge {

inline constexpr const char* bridge_name = "weir_pio";

struct System {
  std::shared_ptr<RankGroup> group;  // all its ranks compute
  int io_root = 0;                   // the rank of them that is PIO's first I/O task, which writes headers
  int error_method = PIO_INTERNAL_ERROR;
  std::set<int> freed;  // decompositions, the last ones
  bool told_of_freed = false;
};

// What this rank holds of arrays of a shape. PIO makes it once, and so does each Weir that needs it, as a layout. Once
// it is freed, arrays that were written by it are in their files, or on the way there, and its number is PIO's alone.
struct Decomposition {
  std::shared_ptr<System> system;
  Type type = WEIR_BYTE;  // of arrays in memory
  Shape shape;
  std::vector<std::int64_t> map;  // of each element of the buffer, its number in the array, or WEIR_ABSENT

  // The place in the buffer of its first element that is none of a hole; -1: there is none. Local.
  std::int64_t mark() const noexcept;
  // As a layout of Weir. Throws Error(WEIR_EARGUMENT) where an element is repeated, or lies outside. Local.
  Layout make_layout() const;
  // Its number in this Weir, which may have to make it. Throws Error, the same on all ranks, where some rank's part can
  // be no layout. Collective where it is new.
  int layout_in(Running& running);
  // Makes zeros of an array's elements that are in no file. Local.
  void clear_holes(std::byte* array) const noexcept;

  // What follows is then known. Collective over the system.
  void survey();

  bool surveyed = false;
  int holder = 0;             // the first rank that holds an element
  bool complete = false;      // there are no holes, where ranks hold no element twice
  bool overlaps = false;      // ranks hold the same elements, or none: PIO decides what is written
  bool clears_holes = false;  // PIO sorts what it reads, and leaves zeros in holes; else they stay as they are
  std::vector<std::pair<Running*, int>> layouts;  // in the order in which all ranks made them
};

// Whose calls these are. SCORPIO has PIO's names, and fills holes otherwise.
enum class Library { other, pio, scorpio };
Library library() noexcept;

// The bridge's process; nullptr where the underlying library is no PIO that it knows, or in a fork's child.
Process* process() noexcept;

// Types that both PIO and netCDF's classic formats convert into each other.
constexpr bool is_classic_number(int type) noexcept {
  return type == WEIR_BYTE || (type >= WEIR_SHORT && type <= WEIR_DOUBLE);
}

System* system_of(int number) noexcept;
std::shared_ptr<System> shared_system(int number) noexcept;
Decomposition* decomposition_of(int number) noexcept;

// PIO has made one of this number. Collective over it.
void add_system(int number, MPI_Comm comm);
void remove_system(int number);
void add_decomposition(int number, Decomposition decomposition);
// Collective over its system.
void remove_decomposition(int number);
// Says so, once a system, where a call on `file` names a decomposition that has been freed: PIO has a code for it
// alone, or ends the program. Local.
void warn_of_freed(System& system, int decomposition, const std::string& file);

}  // namespace weir::bridge
