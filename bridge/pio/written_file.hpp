// SPDX-License-Identifier: Apache-2.0
// A file that a program writes through PIO and Weir, by PIO's own number, as the intercepted calls see it. Either PIO
// keeps the bytes and Weir writes arrays among them (files.hpp), or Weir makes the whole file and PIO keeps its
// definitions (packed_file.hpp).
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "core/file_writer.hpp"
#include "core/numbered_files.hpp"
#include "pio/border.hpp"

namespace weir::bridge {

// Arrays of variables with one decomposition, one after another in memory, as PIO's calls name them. `frames`: a record
// each; nullptr: what was set. `fill_values`: one each, or nullptr; PIO only compares them with the variables' own (in
// PIOc_write_darray), or gives holes the values that are given here.
struct Arrays {
  std::span<const int> vars;
  int decomposition = 0;
  std::int64_t elements = 0;  // of each, in memory
  const void* values = nullptr;
  const int* frames = nullptr;
  const void* fill_values = nullptr;
  enum class Fills { compared, given } fills = Fills::compared;
};

// Values of a variable that all ranks put, the same on each; PIO takes its first I/O task's. Where in the variable: all
// of it, one element at `start`, or a box, strided or not.
struct Values {
  int var = 0;
  enum class Form { whole, one, box } form = Form::whole;
  const MPI_Offset* start = nullptr;
  const MPI_Offset* count = nullptr;
  const MPI_Offset* stride = nullptr;
  int type = 0;  // in memory; 0: the variable's own
  const void* values = nullptr;
};

class WrittenFile : public PioBorder {
 public:
  WrittenFile(int number, std::shared_ptr<System> system, FileName name)
      : PioBorder(std::move(system)), number_(number), name_(std::move(name)) {
    own_counts_.path = name_.given;
  }
  ~WrittenFile() override;

  // Local, all three.
  void set_frame(int var, int frame) { frames_[var] = frame; }
  int frame(int var) const;
  // The length of a dimension, which PIO says to be `length`.
  std::int64_t length_of(int dim, std::int64_t length) const;

  // PIO has begun definitions, ended them, or changed one. Local.
  virtual void enter_definitions() noexcept = 0;
  virtual void end_definitions() noexcept = 0;
  virtual void note_definition() noexcept = 0;

  // The calls of all ranks; each returns what the program gets. `library_call` is PIO's call.
  virtual int put(const Arrays& arrays, LibraryCall library_call) = 0;
  virtual int put_values(const Values& values, LibraryCall library_call) = 0;
  // An array of a record by PIOc_put_vard; `type` is that in memory, 0: the variable's own.
  virtual int put_record(const Arrays& array, int type, LibraryCall library_call) = 0;
  // Before PIO gets data: all that was put is in the file. `number`: of the file to get them from.
  virtual int look(int& number) = 0;
  virtual int redefine() = 0;  // before PIOc_redef
  virtual int sync() = 0;
  // Makes PIO's call, `original`, too.
  virtual int close(LibraryCall original) = 0;
  // It syncs by itself what `flush` of a call wants in the file.
  virtual bool written_by_weir() const noexcept = 0;

 protected:
  static constexpr int no_frame = -1;

  int frame_of(const Arrays& arrays, std::size_t i) const;
  // What is wrong on this rank only PIO says; a sentence about that has been said. Local.
  bool is_refused(const Arrays& arrays, const Decomposition& held);
  // Whether a value, in the type of a variable, is the variable's own fill value. Local.
  static bool is_own_fill(const Schema& schema, int var, const std::byte* value);
  // Whether PIO fills what is not put of a variable: it then wants the variable's own fill value. Collective.
  bool fills_missing(int var);
  // The decomposition as a layout of the instance that writes this file; Reason::overlap where it can be none.
  // Collective where it is new.
  Reason layout_of(Decomposition& held, int& layout, int& code);
  // What all ranks hold of a decomposition is known then; Reason::failed where they did not come. Collective.
  Reason survey(Decomposition& held, int& code);
  Counts& counts() noexcept { return file_writer_ ? file_writer_->counts() : own_counts_; }
  const Comm& comm() const noexcept { return system_->group->comm(); }

  int number_;
  FileName name_;
  std::unique_ptr<FileWriter> file_writer_;
  std::map<int, int> frames_;
  Counts own_counts_;  // until there is a carrier

 private:
  bool refused_ = false;
  std::map<int, bool> filled_;  // by variable, as far as it was asked
};

// nullptr where the number is none of the bridge's, or where PIO calls, within a call of its own. Local.
WrittenFile* called_file(int number) noexcept;

}  // namespace weir::bridge
