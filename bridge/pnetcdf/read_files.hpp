// SPDX-License-Identifier: Apache-2.0
// Files that a program opens for reading. PnetCDF has them open and answers all inquiries; Weir makes large collective
// gets (Gets::get_box_all): each part of the file leaves storage once, through its owner, and goes to the ranks that
// need it. If Weir does not or cannot make a get, PnetCDF makes it on all ranks, with its own codes and values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/border.hpp"
#include "core/numbered_files.hpp"
#include "core/reading.hpp"
#include "pnetcdf/access.hpp"

namespace weir::bridge {

class ReadFile final : public Border {
 public:
  // The library has it open to read. Local.
  ReadFile(std::shared_ptr<RankGroup> group, int ncid, std::string given, std::string path);

  // A get of all ranks, in whatever form. Collective, as the library's.
  int get(const Access& access, LibraryCall original) noexcept {
    return call([&] { return get_together(access, original); });
  }
  // Between begin_indep_data and end_indep_data. Local.
  void enter_independent(bool independent) noexcept { independent_ = independent; }
  // Weir is done with it, and then the library, whose call is `original`. Collective where all ranks have made the same
  // gets.
  int close(LibraryCall original) { return reading_.end(), original(); }

 private:
  int get_together(const Access& access, LibraryCall original);
  struct Wanted {
    int var;
    Type type;
    std::vector<Slab> slabs;
    std::byte* values;
    std::int64_t bytes;
  };
  std::optional<Wanted> wanted(const Access& access);
  void survey();
  bool get_slabs(const Wanted& mine, std::int64_t slabs);

  Reading reading_;
  int ncid_;
  bool surveyed_ = false, independent_ = false;
  std::vector<Variable> variables_;
  FileForm form_;
};

}  // namespace weir::bridge
