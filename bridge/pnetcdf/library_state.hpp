// SPDX-License-Identifier: Apache-2.0
// The state of a file in the underlying library: its mode, its definitions, and how many records it knows of. The
// definitions are read again whenever they may have changed. Local.
//
// Besides define mode PnetCDF has two data modes: all ranks put together (collective mode) or each rank puts for itself
// (independent mode). The collective calls begin_indep_data and end_indep_data switch between them.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/definition.hpp"
#include "pnetcdf/access.hpp"

namespace weir::bridge {

class LibraryState {
 public:
  // made: it is the definition shadow of a file that Weir makes, and tells of all its attributes.
  LibraryState(int ncid, bool made) noexcept : ncid_(ncid), made_(made) {}

  int number() const noexcept { return ncid_; }

  enum class Mode { define, collective, independent };
  Mode mode() const noexcept { return mode_; }
  void enter(Mode mode) noexcept;

  // Whether what it has defined is known, as it is now.
  bool known() const noexcept { return known_; }
  void forget() noexcept { known_ = false; }
  // Asks it. Throws Error where it refuses to tell, or where Weir cannot have such a file.
  DefinedFile ask() const;
  // That is what it has.
  void learn(const DefinedFile& defined);

  // As it last reported.
  const std::vector<Variable>& variables() const noexcept { return variables_; }
  int record_dimension() const noexcept { return record_dimension_; }
  // Some variable that has records; -1: none.
  int record_variable() const noexcept { return record_variable_; }
  // records: of the file by now.
  FileForm form(std::int64_t records) const;

  // Records that it knows of. All variables are known where it does not know of all.
  std::int64_t records() const noexcept { return records_; }
  // Asks how many; false where it does not tell.
  bool count_records();

 private:
  bool is_relaxed(int var) const;

  int ncid_;
  bool made_;
  Mode mode_ = Mode::define;
  bool known_ = false;
  std::vector<Variable> variables_;
  int format_ = 1;
  bool relaxed_ = false;
  std::int64_t record_bytes_ = 0;
  int record_dimension_ = -1, record_variable_ = -1;
  std::int64_t records_ = 0;
};

}  // namespace weir::bridge
