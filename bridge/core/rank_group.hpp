// SPDX-License-Identifier: Apache-2.0
// The ranks of a communicator on which files are written, and the instances that run there: one a configuration (files
// of different rules have different ones), started when a file first puts data. A communicator keeps its group (an
// attribute), and communicators of the same ranks in the same order share one, since some programs make a communicator
// for each file. A group lives until MPI_Finalize.
//
// An instance that starts in the middle of a program cannot reserve ranks: `servers` becomes `remap`, and control: rank
// becomes hosted. The report says so.
#pragma once

#include <mpi.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/counts.hpp"
#include "core/layout_book.hpp"
#include "core/process.hpp"
#include "instance/instance.hpp"

namespace weir::bridge {

// A running instance.
struct Running {
  explicit Running(Instance::Owner started) : weir(std::move(started)), layouts(*weir) {}
  // Runs `body` as one call of this instance. Ranks that did not come cannot be waited for again: it is then over.
  Status call(const std::function<void()>& body);
  void abandon(const Status& why) noexcept;

  Instance::Owner weir;
  LayoutBook layouts;
  Status broken;  // after a timeout or an error of MPI: what every later call answers
};

class RankGroup {
 public:
  // The group of a communicator; Collective over it (a duplicate is made, and configurations are compared) where it has
  // none yet. Throws Error where there can be none, and gives nullptr from then on: no rank waits for that again.
  static std::shared_ptr<RankGroup> of(Process& process, MPI_Comm comm);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  const Comm& comm() const noexcept { return comm_; }
  Process& process() noexcept { return process_; }
  // As the process's, by rank 0 alone. Local.
  void note(const std::string& sentence);
  // How the configurations of the ranks differ, in words; "" where they do not. Alike on all ranks.
  const std::string& difference() const noexcept { return difference_; }
  // The configuration for this file, if all ranks have the same one; else nullptr.
  const Config* config_for(const std::string& path);
  // Why the configuration leaves this file to the underlying library, if it does. Local; alike on all ranks.
  Reason reason_for(const std::string& path);

  // Whether Weir makes a file that the program creates in a classic format: the configuration asks for another format,
  // or a stream takes its records. Local; alike on all ranks.
  bool makes(const std::string& path);

  // What is to be done with a file: its configuration, or a reason why it is the library's alone; `obstacle`: one that
  // this rank knows; `signature`: of how the library has defined the file, not negative; where it
  // differs, the reason is Reason::differing. All ranks get the same answer,
  // and where their reasons differ, the largest. Collective.
  struct Decision {
    Reason reason = Reason::none;
    Config config;
    std::string rule;  // its pattern, "" where none matches
  };
  Decision decide(const std::string& path, Reason obstacle, std::int64_t signature);
  // As decide(), for a file that Weir makes because the program asks for a format of packed chunks. An instance of its
  // own writes it, with Weir's `durability`. Collective.
  Decision decide_packed(const std::string& path, Reason obstacle, std::int64_t signature);

  // Takes a file back to fewer records where its rule says so, before a library opens it to write: at the first opening
  // of a run, and not if the run has created it (created()). Collective; throws Error, the same on all ranks.
  void go_back(const std::string& path);
  void created(const std::string& path);

  // No rank goes on before all have come. Throws Error where `timeout` is over before. Collective.
  void wait_for_all(const std::string& what) const;

  // The instance of this decision, started where it is not running yet. Collective; throws Error, the same on all
  // ranks.
  Running& running(const Decision& decision);

  // Of a wait of all ranks for each other, from now: `timeout` of the configuration. Local.
  Deadline deadline() const;
  // Some rank has not come where all meet: its instances end, and nothing collective is done any more. Local.
  void abandon(const Status& why) noexcept;
  // Why it was abandoned: what decide() and running() throw from then on.
  const Status& broken() const noexcept { return broken_; }

  // Ends all instances and writes their reports. Collective. Local errors are said and not thrown.
  void finish() noexcept;

 private:
  // A new one, or that of another communicator of the same ranks. Where ranks did not come, the error names them.
  static std::shared_ptr<RankGroup> begun(Process& process, MPI_Comm comm);
  RankGroup(Process& process, MPI_Comm comm);
  // Whether all ranks say so. Collective.
  bool all_have(bool mine) const;
  std::string compare_configurations() const;
  void tell_wrong_configurations() const;
  bool is_to_go_back(const std::string& path);
  void finish(Running& running);

  Process& process_;
  Comm comm_;
  std::string difference_;                                   // of the ranks' configurations, in words
  std::map<std::string, std::unique_ptr<Running>> running_;  // by rule
  std::set<std::string> own_;  // files with a rule to go back, whose records are this run's
  Status broken_;
};

}  // namespace weir::bridge
