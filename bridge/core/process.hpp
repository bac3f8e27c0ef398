// SPDX-License-Identifier: Apache-2.0
// The bridge's state in its process: the configuration, the files that are closed, and the end of MPI. There is one a
// bridge, made when it is first needed (MPI is then running) and never destroyed: at exit() nothing is written any
// more, so that a program which ends without closing its files leaves what was committed, and a child after fork()
// touches nothing.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "core/counts.hpp"

namespace weir::bridge {

// Who makes files of a bridge: the underlying library, or Weir too, where the configuration asks for another format.
enum class Makes { library, both };

class Process {
 public:
  // `bridge`: its name in reports and messages, for instance "weir_pnetcdf"; `strategy`: where the user names none.
  static Process& start(const char* bridge, Makes makes = Makes::library, StrategyKind strategy = Config().strategy);

  // nullptr where the configuration is wrong. What the user does not say is as in Weir, but for the strategy, and for
  // `durability`: as the underlying library has it, data go to storage only where the program asks. Of files that Weir
  // makes it is Weir's own.
  const Config* config() const noexcept { return config_ ? &*config_ : nullptr; }
  // The same with what a rule of it says; nullptr is no rule.
  const Config* config_of(const FileRule* rule);
  // As config_of(), for a file that Weir makes because the program asks for a format of packed chunks: its `durability`
  // is Weir's own.
  Config packed_config_of(const FileRule* rule);
  // Whether a stream of the configuration takes its records from a file of this name.
  bool feeds_streams(const std::string& path) const;
  // A child of the process that started the bridge: MPI is not its own.
  bool forked() const noexcept;
  const std::string& bridge() const noexcept { return bridge_; }

  // One line on standard error, once: the configuration of these ranks is wrong; "" is all. Rank 0 of the job says so
  // itself, but it may have no bridge, or make no such call.
  void tell_wrong_configuration(const std::string& ranks);
  // One line on standard error: "weir_pnetcdf: ...".
  void say(const std::string& sentence) const;
  // Runs when MPI_Finalize begins, and MPI can still be used; in the order in which they were asked for.
  void at_finalize(std::function<void()> last) { last_.push_back(std::move(last)); }
  // HDF5 may run by now. It has then asked for MPI_Finalize itself, to end what is open: at_finalize() comes before
  // that. Local.
  void end_before_hdf5() { watch_finalize(); }
  // For the report at the end: a file is done with (told by its rank 0); something a user should know (once). Of many
  // files the later ones are told of in one sum, of many sentences the first ones.
  void done(const Counts& counts);
  void note(const std::string& sentence);
  // The note, on rank 0, that the underlying library is of a later series than the bridge was built with, where it is.
  void note_newer(const char* library, const std::string& found, const std::string& built);

 private:
  Process(const char* bridge, Makes makes, StrategyKind strategy);
  void watch_finalize();
  void finalize();
  void report() const;
  void load(Makes makes, StrategyKind strategy);

  std::string bridge_;
  std::optional<Config> config_;
  std::string wrong_;                 // why there is none, until it has been said
  std::vector<std::string> sources_;  // patterns of files from which streams take their records
  bool says_durability_ = false;      // the user does, for all files
  int pid_;
  int finalize_key_;      // of the attribute whose end is MPI_Finalize
  bool watches_ = false;  // that attribute is there to stay
  bool ends_ = false;     // MPI_Finalize has begun
  std::vector<std::function<void()>> last_;
  std::map<const FileRule*, Config> by_rule_;
  std::vector<Counts> done_;
  Counts more_;  // of so many files, after those
  std::int64_t more_files_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace weir::bridge
