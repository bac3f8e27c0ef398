// SPDX-License-Identifier: Apache-2.0
// One instance of Weir: its configuration, communicator, pipeline, layouts and files. Several can exist in one program;
// there is no state outside an instance.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/config.hpp"
#include "base/trace.hpp"
#include "engine/pipeline.hpp"
#include "instance/file_table.hpp"
#include "instance/run_status.hpp"
#include "mpi/comm.hpp"
#include "plan/layout.hpp"

namespace weir {

class Instance {
 public:
  // An instance whose writer thread is in a write that a deadline has left behind is never freed.
  struct Delete {
    void operator()(Instance* instance) const noexcept;
  };
  using Owner = std::unique_ptr<Instance, Delete>;

  // Collective over `world`. All ranks get the same error where one rank's configuration is wrong or the ranks'
  // configurations differ. Rank 0 says what is to be known of it.
  Instance(MPI_Comm world, const char* config, const Caller& caller = {});
  // With a configuration that the caller has made, who says what is to be known of it.
  Instance(MPI_Comm world, const Config& config);

  // The rank is in a call of Weir's while this lives: the model waits, and nothing runs in the background but writer
  // threads.
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

  // This rank is not the model's: it serves, until the model has finished, and has nothing else to do.
  bool reserved() const noexcept { return reserved_; }
  void serve();

  // The ranks that the model computes on.
  MPI_Comm model() const noexcept { return model_.raw(); }
  // A communicator of them for the caller. Collective over them.
  MPI_Comm duplicate_model();
  // The ranks of the pipeline: the model's, and servers.
  const Comm& comm() const noexcept { return comm_; }
  Tally& tally() noexcept { return pipeline_->tally(); }
  Trace& trace() noexcept { return trace_; }
  const Config& config() const noexcept { return *config_; }
  const Layouts& layouts() const noexcept { return layouts_; }
  Pipeline& pipeline() noexcept { return *pipeline_; }
  FileTable& files() noexcept { return *files_; }

  // Adds this rank's layout, or tells all ranks why it could not be made. `make` builds it and may throw. Collective.
  template <class Make>
  int define_layout(IndexView shape, Make make);
  void free_layout(int layout);
  // Closes every file, then writes the trace and the report where the configuration asks for them. Collective.
  void finish();
  // The report as JSON, alike on all ranks. Collective.
  std::string report();
  // After a timeout nothing collective may be called any more, not even to free.
  void abandon() noexcept;

 private:
  Instance(MPI_Comm world, const std::function<Config()>& load, const Caller& caller);
  // controlled: by a rank of its own, which serves already.
  void begin(bool controlled);
  void agree_to_start(const Status& mine);
  int add_layout(IndexView shape, Layout layout, Status status);
  std::string report_now();
  void start_status();
  void tell_status() noexcept;
  std::string last_warning() const;
  void write_trace_of_files();
  void write_report_of_all(const std::string& json);

  double began_ = now_seconds();
  Config asked_;                          // the user's
  std::shared_ptr<const Config> config_;  // settled at the start
  Comm all_;                              // the model's ranks, then the reserved ones
  Comm model_;                            // the model's, or the reserved ones
  Comm comm_;
  bool reserved_ = false;
  bool leaked_after_timeout_ = false;  // after a deadline, in a write
  CallBroadcast call_broadcast_;
  Trace trace_;
  std::unique_ptr<Pipeline> pipeline_;
  Layouts layouts_;
  std::unique_ptr<FileTable> files_;
  std::unique_ptr<RunStatus> status_;  // on rank 0, where the report goes to a file
  struct Milestones {
    std::int64_t records = -1, failures = 0;
    double commit_seconds = 0;
    bool operator==(const Milestones&) const = default;
  };
  Milestones told_;  // when the status was told last
};

template <class Make>
int Instance::define_layout(IndexView shape, Make make) {
  Status status;
  Layout layout;
  try {
    layout = make();
  } catch (const Error& error) {
    status = {error.code(), "rank " + std::to_string(comm_.number()) + ": " + error.what(), {Scope::this_call}};
  }
  return add_layout(shape, std::move(layout), std::move(status));
}

}  // namespace weir
