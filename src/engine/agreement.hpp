// SPDX-License-Identifier: Apache-2.0
// Agreement of all ranks: they learn of any rank's failure, and that all are at the same point after the same puts. The
// reduction is mpi/agree.hpp; every point has its name in mpi/agreement_point.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/tally.hpp"
#include "engine/rank_context.hpp"
#include "formats/open_file.hpp"
#include "mpi/agree.hpp"

namespace weir {

// A log of this rank's puts since the last agreement, to report a difference between ranks. Local.
class PutLog {
 public:
  struct Line {
    const OpenFile* file;
    int var;
    std::int64_t record;
    int layout;
  };
  void add(const Line& line);
  void clear() noexcept;
  // Keeps the file's puts as text, before the file is freed.
  void leave(const OpenFile& file);
  // The signature of the puts; equal on two ranks that made the same puts.
  std::uint64_t signature() const noexcept { return signature_; }
  enum class Detail { plain, with_layouts };
  // Returns the puts as text, in order; the first 100,000 of them.
  std::vector<std::string> describe(Detail detail) const;

 private:
  std::vector<Line> lines_;
  std::map<std::size_t, std::string> lines_of_gone_files_;  // by line number, of files that are closed
  std::uint64_t signature_ = 0;
};

// The agreements of one instance. Between two agreements a rank notes its failures, or falls out of sync if it cannot
// make a call that the others make (contract 4).
//
// Which method to call: note() for a failure that the next agreement reports; fall_out_of_sync() for a refused put;
// agree_at() at a point of a step; agree_to_read() for gets; try_agree_at() where the caller handles the common status.
//
// Thread: the thread of the rank's calls. All agreements call MPI.
class Agreement {
 public:
  // The work that goes on between agreements; the pipeline implements it.
  class OngoingWork {
   public:
    virtual ~OngoingWork() = default;
    virtual std::uint32_t cycle() const noexcept = 0;
    // Runs `change` while no thread writes.
    virtual void pause(const std::function<void()>& change) = 0;
    // Tells the other ranks that this rank puts and writes nothing before the next agreement.
    virtual void say_out_of_sync() = 0;
    // Drops all work and brings all ranks into sync, after all files have failed on all ranks. Collective.
    virtual void recover() = 0;
  };

  // Both outlive this.
  Agreement(RankContext& rank, OngoingWork& work);

  // Add and remove a file to which failures apply. The file is not owned. Local.
  void enter(OpenFile& file) { files_.push_back(&file); }
  void leave(const OpenFile& file);
  // Logs a put. Local.
  void add(const PutLog::Line& put) { put_log_.add(put); }
  // Notes a failure of this rank; the next agreement reports one such failure to all ranks. Local.
  void note(Status status);
  // The failures noted so far; the flow adds those of writing.
  std::vector<Status>& noted() noexcept { return noted_; }
  // Notes a failure, and tells the other ranks that this rank cannot follow, so that none waits for it. Local.
  void fall_out_of_sync(Status status);

  // Agrees at a point, with this rank's status and what it noted.
  // Ensures: all ranks are at this point after the same puts. `question` becomes its largest value on any rank.
  // Collective; a barrier.
  // Errors: all ranks throw the same error: of a call, of all files, or of `file`. A failure of another file is kept in
  // that file, and the ranks agree again. WEIR_EMISMATCH if ranks are at different points or made different puts. After
  // a failure of all files, the ranks have recovered and are in sync.
  void agree_at(const Point& point, Status mine, const OpenFile* file = nullptr, std::int64_t* question = nullptr);
  // Agrees at a point of a get, as agree_at(). This rank's failure, and a difference between ranks that all read,
  // concern this call alone: no file fails.
  // Collective; a barrier.
  void agree_to_read(const Point& point, Status mine, std::int64_t* question = nullptr);
  // Agrees as agree_at(), but returns the common status: no file fails by it.
  // Collective; a barrier.
  // Errors: throws as agree_at() if two conditions hold: ranks are at points of different kinds, and the failure is not
  // one file's.
  Status try_agree_at(const Point& point, Status mine);
  // Agrees because another rank is out of sync; this rank puts and writes nothing before.
  // Collective.
  // Errors: throws the failure of the rank that is out of sync.
  void join_out_of_sync();
  // Waits until all ranks have come. Reports no failures.
  // Collective; a barrier.
  void wait_for_all(std::string_view call);
  // Agrees at the end of the instance, repeatedly, until all ranks are here, whatever calls they have left out.
  // Collective.
  // Errors: throws the first failure, after all ranks have come.
  void final_agreement(std::string_view call);

  // Makes one agreement, with what this rank noted, and returns the common status. The log of puts names the first
  // difference.
  // Collective; a barrier.
  Status agree_on(Point point, Question* question);
  // Applies a common status to the files that it concerns; recovers if it concerns all of them.
  // Requires: all ranks call it with the same status.
  // Collective if the status concerns all files, else Local.
  void fail(const Status& status);
  // Throws a timeout again with more text: the call, the missing ranks, this rank's last put. Adds the text once.
  // Returns for any other error. Local.
  void explain(const Error& error, const std::string& call);
  // Forgets failures, puts, and that this rank is out of sync, in a recovery. Local.
  void forget() noexcept;

  // Seconds spent in Weir's calls waiting for ranks that computed longer (load imbalance).
  double late_seconds() const noexcept { return load_imbalance_.seconds(); }

 private:
  void agree_at(const Point& point, Status mine, const OpenFile* file, std::int64_t* question, bool to_read);
  LoadImbalance::Times times_at_agreement(double came) const;
  Status take_noted();

  RankContext& rank_;
  OngoingWork& work_;
  bool computes_;  // a rank of the model, not a server
  LoadImbalance load_imbalance_;
  std::vector<Status> noted_;
  bool out_of_sync_ = false;  // this rank could not make a put that others make
  bool explained_ = false;
  std::uint32_t count_ = 0;  // agreements of all ranks that this rank has come to
  PutLog put_log_;
  std::vector<OpenFile*> files_;
};

}  // namespace weir
