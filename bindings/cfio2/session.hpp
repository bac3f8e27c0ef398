// SPDX-License-Identifier: Apache-2.0
// What a program of CFIO2 has under way on one communicator: its Weir, and the files it puts into. Found by the
// communicator, since the interface has no handle: the only state of Weir that is the process's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "control.hpp"
#include "output.hpp"
#include "request.hpp"
#include "shared.hpp"

namespace weir::cfio2 {

class Session {
 public:
  // Starts on all ranks of `comm`. On the control process it returns when the others have ended. Collective; the same
  // Error on all ranks.
  static void begin(MPI_Comm comm, int io_process_per_node, int io_process_per_var);
  // Of a communicator on which cfio2_init has begun; Error(WEIR_ESTATE) where it has not. Local.
  static Session& of(MPI_Comm comm);
  // nullptr where there is none. Local.
  static Session* find(MPI_Comm comm) noexcept;
  // Ends it and forgets it, also where that fails. Collective.
  static void end(MPI_Comm comm);

  // The control process, or another rank that Weir has kept: it has served, and nothing is left for it to do. Local.
  bool served() const noexcept { return shared_ == nullptr; }
  // `refused`: what this rank finds wrong with its call; it takes part in what the others do all the same.
  void put(const Put& put, const Status& refused);
  void put_attribute(const std::string& path, std::string var, Attribute attribute, const Status& refused);
  void wait();

 private:
  Session() = default;
  void start(MPI_Comm comm, const Config& config, const std::string& text);
  void finish();
  Output* output(const std::string& path) noexcept;
  Output& output_for(const Put& put);
  void leave_last(const std::string& path);
  void watch_memory(const Put& put);
  void define(Output& output, const std::string& call);
  void keep(const Error& error);
  void drop(const std::string& path) noexcept;
  void commit_all(const std::string& call, bool closing);

  Control control_;
  MPI_Comm model_ = MPI_COMM_NULL;
  std::unique_ptr<Shared> shared_;  // nullptr on a rank that has served
  std::int64_t hold_limit_bytes_ = 0;
  std::vector<std::unique_ptr<Output>> outputs_;  // in the order of their first puts
  std::string last_path_;                         // of the last put
  std::vector<std::string> left_;                 // files that were defined because the program went on to another
  bool defines_early_ = true;                     // until it comes back to one of these with a new variable
  Status late_;  // all ranks' errors of files that they were not asked about, told at the next wait
  Status lost_;  // this rank's, of calls that name no file
};

}  // namespace weir::cfio2
