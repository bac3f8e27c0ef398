// SPDX-License-Identifier: Apache-2.0
// The definition shadow of a netCDF-4 file that Weir makes or opens: a netCDF-4 file in this rank's memory that has all
// definitions and no data. Local.
#pragma once

#include <string>

#include "netcdf/packed_definition.hpp"

namespace weir::bridge {

// New, and to be defined; `path` is the file's. netCDF's code.
int make_shadow(const std::string& path, bool classic_model, int* ncid);

struct CopiedShadow {
  int ncid;
  PackedOptions options;
};
// Copies all definitions of `file`, which netCDF has open and out of define mode. Throws Error if Weir cannot write
// such a file: it has groups, user-defined types, variables of strings, several unlimited dimensions, or filters that
// are not installed.
CopiedShadow copy_shadow(const std::string& path, int file);
// What `to`, a file of netCDF's, lacks of the definitions of `from`, which begin with those of `to`: of variables with
// lower numbers than `end` the chunks that the program gave. Throws Error as copy_shadow().
void add_definitions(int from, int to, const PackedOptions& options, int end);

// One, as the calls on its file see it: whether its definitions are open, and what they are.
class DefinitionShadow {
 public:
  // mode: with which the program created or opened the file.
  DefinitionShadow(int ncid, int mode) noexcept : ncid_(ncid), mode_(mode) {}

  int number() const noexcept { return ncid_; }
  bool classic_model() const noexcept;
  PackedOptions& options() noexcept { return options_; }

  // The program has begun or ended its definitions by itself.
  void enter_define(bool defining) noexcept;
  // Before a call that changes them: netCDF-4 begins by itself.
  void begin_change() noexcept;
  // As netCDF does where data come: it ends them by itself; not so in the classic model, unless a call has ended them.
  int end_for_data();
  // In any case.
  int end_definitions();
  // Whether they have ever ended.
  bool was_defined() const noexcept { return defined_; }
  // Whether they are open, and how many variables there were when they ended last.
  bool is_defining() const noexcept { return defining_; }
  int ended_variables() const noexcept { return ended_variables_; }
  // All of them. Throws Error where Weir cannot have such a file.
  DefinedFile definition() const { return packed_definition_of(ncid_, options_); }

  // netCDF lets go of it; `keep`: as of a file that is closed, and else as of one that is aborted.
  void release(bool keep) noexcept;

 private:
  int ncid_;
  int mode_;
  PackedOptions options_;
  bool defining_ = true, defined_ = false;
  int ended_variables_ = 0;
};

}  // namespace weir::bridge
