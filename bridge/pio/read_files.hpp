// SPDX-License-Identifier: Apache-2.0
// Files that a program opens for reading through PIO, by PIO's own numbers. PIO has them open and answers all
// inquiries; Weir reads the arrays of PIOc_read_darray, by the layout of the decomposition, whichever library PIO reads
// them with: each part of the file leaves storage once, and goes to the ranks that need it. If Weir does not or cannot
// read an array, PIO reads it on all ranks, with its own codes and values.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/numbered_files.hpp"
#include "core/reading.hpp"
#include "pio/border.hpp"

namespace weir::bridge {

class PioReadFile final : public PioBorder {
 public:
  // PIO has just opened it to read. Local.
  PioReadFile(std::shared_ptr<System> system, std::string given, std::string path)
      : PioBorder(std::move(system)), reading_(system_->group, std::move(given), std::move(path)) {}

  // All ranks read a variable, or its record by set_frame(); `library_call` is PIO's call. Collective.
  int read(int var, int decomposition, void* array, LibraryCall library_call);
  void set_frame(int var, int frame) { frames_[var] = frame; }
  int frame(int var) const;
  // Weir is done with it, and then PIO, whose call is `original`. Collective.
  int close(LibraryCall original) { return reading_.end(), original(); }

 private:
  Reason try_to_read(int var, Decomposition& held, void* array);
  bool takes(const Schema& schema, int var, const Decomposition& held) const;

  Reading reading_;
  std::map<int, int> frames_;
};

// nullptr where the number is none of a file that is read, or where PIO calls, within a call of its own. Local.
PioReadFile* called_read_file(int number) noexcept;

}  // namespace weir::bridge
