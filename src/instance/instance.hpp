// SPDX-License-Identifier: Apache-2.0
// One instance of Weir: its configuration, communicator, pipeline, layouts and files. A program may have several; there
// is no state outside an instance (contract 6). bindings/ call it; file/file_table.hpp has the files.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/config.hpp"
#include "base/text.hpp"
#include "base/trace.hpp"
#include "engine/pipeline.hpp"
#include "file/file_table.hpp"
#include "file/layout_calls.hpp"
#include "instance/run_status.hpp"
#include "mpi/comm.hpp"
#include "plan/layout.hpp"
#include "streams/feeds.hpp"
#include "streams/streams.hpp"

namespace weir {

class Instance {
 public:
  // Frees an instance, unless a timeout has left a thread in a storage call.
  struct Delete {
    void operator()(Instance* instance) const noexcept;
  };
  using Owner = std::unique_ptr<Instance, Delete>;

  // Starts an instance with a configuration in words (load_config()), or a complete one. With words, rank 0 prints what
  // the user should know of it, if the configuration has such notes.
  // Collective over `world`.
  // Errors: WEIR_ECONFIG if a rank's configuration is wrong or the ranks' configurations differ, WEIR_EMEMORY, WEIR_EIO
  // if report or trace cannot be written; alike on all ranks. WEIR_EMPI if two MPI libraries are mixed.
  Instance(MPI_Comm world, const char* config, const Caller& caller = {});
  Instance(MPI_Comm world, const Config& config);

  // A call of the rank, from its begin to its end. As long as one lives, the progress thread stands still; writer
  // threads go on.
  class Visit {
   public:
    explicit Visit(Instance& instance)
        : instance_(instance),
          hold_(instance.pipeline_->progress_thread()),
          timed_(instance.trace_, instance.tally().visible_seconds, came_) {}
    ~Visit() {
      if (instance_.status_) instance_.tell_status();
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    Instance& instance_;
    double came_ = now_seconds();
    ProgressThread::Hold hold_;
    Call timed_;  // its end is recorded under the hold
  };

  // Whether this rank is reserved: a server or the control rank. serve() then runs until the model has finished.
  // Errors: serve() throws what ends the instance; the instance is then abandoned.
  bool reserved() const noexcept { return reserved_; }
  void serve();

  // The ranks on which the model computes.
  MPI_Comm model() const noexcept { return model_.raw(); }
  // Returns a duplicate of model(), which the caller frees. Collective over model().
  MPI_Comm duplicate_model();
  // The ranks of the pipeline: the model's, and the servers.
  const Comm& comm() const noexcept { return comm_; }
  Tally& tally() noexcept { return pipeline_->tally(); }
  Trace& trace() noexcept { return trace_; }
  const Config& config() const noexcept { return *config_; }
  const Layouts& layouts() const noexcept { return layouts_; }
  Pipeline& pipeline() noexcept { return *pipeline_; }
  FileTable& files() noexcept { return *files_; }
  Streams& streams() noexcept { return *streams_; }

  // Adds this rank's layout, which `make` returns, and returns its number, the same on all ranks.
  // Requires: `shape` is the same on all ranks.
  // Collective.
  // Errors: what `make` has thrown on any rank; WEIR_EMISMATCH if shapes differ. Alike on all ranks; no file fails.
  template <class Make>
  int define_layout(IndexView shape, Make make);
  // As file/layout_calls.hpp's.
  void free_layout(int layout) { weir::free_layout(context(), layout); }
  // Commits all files that are being written, as one. Collective. Errors: as FileTable::sync_all().
  void sync_all() { streams_->sync_all(); }
  // Ends the streams, closes all files, then writes the trace and the report that the configuration asks for.
  // Collective. Errors: the first error, after all of it was tried.
  void finish();
  // Returns the report as JSON, the same on all ranks. Collective.
  std::string report();
  // Gives the instance up after a timeout: no collective call follows, not even to free. Local.
  void abandon() noexcept;

 private:
  Instance(MPI_Comm world, const std::function<Config()>& load, const Caller& caller);
  // `controlled`: a control rank runs the scheduler, and serves already.
  void begin(bool controlled);
  void say_memory_warning() const;
  void agree_to_start(const Status& mine);
  Context context() noexcept { return {comm_, *pipeline_, layouts_, trace_, call_broadcast_}; }
  std::string report_now();
  StreamsCounts all_streams() const;
  void start_status();
  void tell_status() noexcept;
  std::string last_warning() const;
  void write_trace_of_files();
  void write_report_of_all(const std::string& json);

  double began_ = now_seconds();
  Config asked_;                          // the user's
  std::shared_ptr<const Config> config_;  // as it was at the start
  Comm all_;                              // the model's ranks, then the reserved ones
  Comm model_;                            // the model's ranks; on a reserved rank, the reserved ones
  Comm comm_;
  bool reserved_ = false;
  bool leaked_after_timeout_ = false;  // a thread is in a storage call that has timed out
  CallBroadcast call_broadcast_;
  Trace trace_;
  std::unique_ptr<Pipeline> pipeline_;
  Layouts layouts_;
  std::unique_ptr<FileTable> files_;
  std::unique_ptr<Streams> streams_;   // of fields that are sent
  std::unique_ptr<Feeds> feeds_;       // streams that a program's files feed
  std::unique_ptr<RunStatus> status_;  // on rank 0, if the report goes to a file
  struct Milestones {
    std::int64_t records = -1, failures = 0;
    double commit_seconds = 0;
    bool operator==(const Milestones&) const = default;
  };
  Milestones shown_;  // at the last update of the status
};

template <class Make>
int Instance::define_layout(IndexView shape, Make make) {
  Status status;
  Layout layout;
  try {
    layout = make();
  } catch (const Error& error) {
    status = {error.code(), formatted("rank {}: {}", comm_.number(), error.what()), {Scope::this_call}};
  }
  return add_layout(context(), shape, std::move(layout), std::move(status));
}

}  // namespace weir
