// SPDX-License-Identifier: Apache-2.0
// The agreement of all ranks: on what failed, and that all of them are at the same point after the same puts.
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

// A log of this rank's puts since the last agreement, so that a difference between ranks can be reported. Local.
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
  // The file goes: what was put into it is kept in words.
  void leave(const OpenFile& file);
  // Equal on two ranks if they put the same.
  std::uint64_t signature() const noexcept { return signature_; }
  // The puts in words, in order; of very many only the first.
  enum class Detail { plain, with_layouts };
  std::vector<std::string> describe(Detail detail) const;

 private:
  std::vector<Line> lines_;
  std::map<std::size_t, std::string> lines_of_gone_files_;  // lines by number whose file is gone
  std::uint64_t signature_ = 0;
};

// Between agreements a rank records its failures, or falls out of sync if it cannot make a call that others make.
class Agreement {
 public:
  // What goes on between agreements.
  class OngoingWork {
   public:
    virtual ~OngoingWork() = default;
    virtual std::uint32_t cycle() const noexcept = 0;
    // `change` is made while nothing is written.
    virtual void pause(const std::function<void()>& change) = 0;
    // Tells the host that this rank does not put or write before the next agreement.
    virtual void say_out_of_sync() = 0;
    // All files have failed, on all ranks: nothing is left to write. Collective.
    virtual void recover() = 0;
  };

  // Both outlive this.
  Agreement(RankContext& rank, OngoingWork& work);

  // Files that take part; not owned.
  void enter(OpenFile& file) { files_.push_back(&file); }
  void leave(const OpenFile& file);
  // A put, for ranks to compare and sentences to name.
  void add(const PutLog::Line& put) { put_log_.add(put); }
  // A failure of this rank alone, for the next agreement to tell all ranks.
  void note(Status status);
  // All that were noted. The background writer records its failures here too.
  std::vector<Status>& noted() noexcept { return noted_; }
  // As note(), of a call that this rank can therefore not make while others do.
  void fall_out_of_sync(Status status);

  // All ranks agree at a point, with this rank's status and what it noted. Failures of other files than `file` are kept
  // by those; the rest is thrown, alike on all ranks. `question` becomes the largest value over all ranks. Collective.
  void agree_at(const Point& point, Status mine, const OpenFile* file = nullptr, std::int64_t* question = nullptr);
  // All ranks agree at a point of reading, as in agree_at(); where they are at one of a kind and differ in what they
  // read, that is this call's error alone.
  void agree_to_read(const Point& point, Status mine, std::int64_t* question = nullptr);
  // As agree_at(), but where all ranks are at points of this kind the common status is the caller's to deal with: no
  // file fails by it.
  Status try_agree_at(const Point& point, Status mine);
  // This rank joins the next agreement, since a neighbour is out of sync, and does not put or write before.
  void join_out_of_sync();
  // Until all ranks have come. Collective.
  void wait_for_all(std::string_view call);
  // The last agreement: until all ranks are there, whatever they have called or left out. Then throws what was wrong.
  void final_agreement(std::string_view call);

  // One agreement, with what this rank noted, and the log of puts, which names the first difference.
  Status agree_on(Point point, Question* question);
  // Its failure becomes that of the files it is about.
  void fail(const Status& status);
  // Throws a wait's end in words that say more: in which call, and who is not there. Once: the instance is over.
  // Returns where the error is another one.
  void explain(const Error& error, const std::string& call);
  // After a failure of all ranks: all are in sync again.
  void forget() noexcept;

  // In Weir's calls, for ranks that computed longer.
  double late_seconds() const noexcept { return load_imbalance_.seconds(); }

 private:
  void agree_at(const Point& point, Status mine, const OpenFile* file, std::int64_t* question, bool to_read);
  LoadImbalance::Times times_at_agreement(double came) const;
  Status take_noted();

  RankContext& rank_;
  OngoingWork& work_;
  bool computes_;  // a rank of the model, and no server
  LoadImbalance load_imbalance_;
  std::vector<Status> noted_;
  bool out_of_sync_ = false;  // this rank could not make a put that others make
  bool explained_ = false;
  std::uint32_t count_ = 0;  // of all ranks' agreements that this one came to
  PutLog put_log_;
  std::vector<OpenFile*> files_;
};

}  // namespace weir
