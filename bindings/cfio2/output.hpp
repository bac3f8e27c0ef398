// SPDX-License-Identifier: Apache-2.0
// One file of a program that reveals its variables one put at a time, over a Weir that wants all definitions first.
//
//  1. A put of a variable that is new to the file is held: its definition is kept, its data are copied.
//  2. `define` ends that: at cfio2_wait_output, where a held variable is put again, where the program goes on to
//     another file, or where much is held. All ranks agree, the file is created (or opened, or, where variables come to
//     ones that it has, written anew from what it held), and what was held is put, in the order in which it came.
//  3. The first put of a variable into a defined file is a meeting: the ranks learn whether each holds a part, or all
//     of them the whole. Further records of the same parts then need no agreement. (What is put a second time is a
//     agreement again: it is one in Weir.)
//  4. cfio2_wait_output commits. A file without records is closed then, one with records once it is put no more.
//
// All methods are collective unless they say otherwise, and give all ranks the same error.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "deferred_definitions.hpp"
#include "put_patterns.hpp"
#include "request.hpp"
#include "shared.hpp"

namespace weir::cfio2 {

class Output {
 public:
  // `append`: what is in the file under this name, if there is one, stays.
  Output(Shared& shared, std::string path, bool append)
      : shared_(shared), path_(std::move(path)), append_(append), deferred_(shared.comm()), patterns_(shared) {}

  const std::string& path() const noexcept { return path_; }
  // `refused`: what this rank alone finds wrong with its call. Throws where this rank's put cannot be; the others hear
  // of it at their next agreement.
  void put(const Put& put, const Status& refused);
  // var "": of the file.
  void put_attribute(std::string var, Attribute attribute, const Status& refused);
  // Puts what is held. `call`: in which the ranks do that, for the sentence where one of them does something else.
  void define(const std::string& call);
  // Brings everything to stable storage. Returns whether the file stays open.
  bool commit(const std::string& call);
  // The same, and closes it in any case.
  void close(const std::string& call);
  // Ends a file that cannot be completed; what it had committed stays.
  void discard() noexcept;

  // What all ranks must agree on, for a agreement over all files: "2 changes of h.nc". Local.
  std::string summary() const;
  // Since the last define. Local.
  std::int64_t changes() const noexcept { return deferred_.changes(); }
  // A rank's even share of what is held, the same number on all ranks. Local.
  std::int64_t held_bytes() const noexcept { return deferred_.bytes(); }
  // Local.
  bool defined() const noexcept { return file_ != nullptr; }

 private:
  void define_agreed();
  void begin();
  void create();
  void open_existing();
  bool exists(const std::string& path);
  void put_held();
  void put_defined(int var, const Put& put, Status status);
  void put_by_agreement(int var, const Put& put, const Status& status);
  void put_by_pattern(int var, const Put& put, Status status);
  void write(int var, const Put& put, const PutPatterns::Records& records);
  void check_file(int code) const;
  void close_file();

  Shared& shared_;
  std::string path_;
  bool append_;
  weir_file* file_ = nullptr;
  Schema schema_;  // the file's
  Schema wanted_;  // and what was revealed since
  DeferredDefinitions deferred_;
  PutPatterns patterns_;  // of each variable of schema_
  Status problem_;        // what this rank ran into while all of them define, told to all at the end of that
  Status failed_;         // what all ranks know of
  bool touched_ = false;  // since the last commit
};

}  // namespace weir::cfio2
