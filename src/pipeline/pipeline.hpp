// SPDX-License-Identifier: Apache-2.0
// The path: put, plan, schedule, forward, rearrange, write, joined.
//
//  1. put        The first put of a layout at a place in a file makes a plan (collective); later ones find it.
//  2.            Each round of the plan gets its memory in the open cycle; where that is used up, the cycle is finished
//                and another one begun. All ranks reserve by amounts they have agreed on, so all of them do so at the
//                same put.
//  3. schedule   Who holds the tiles of the cycle: the plan's owners, or whoever the scheduler chooses when the cycle
//                begins (flow/flow.hpp).
//  4. put        The rank copies its elements to their places: into tile memory it reaches, else into messages.
//  5. finish     The rank says in its host's shared status that its pieces are in place, and sends its messages.
//  6. forward    Messages come to holders on other hosts; rearrange puts them in place and fills holes.
//  7. write      Each holder hands its tiles to the file once all pieces are there: at once, when it is early, or by
//                its writer thread. Meanwhile the next cycles fill other places.
//
// No step of a cycle waits for all ranks, but where a sink is collective. Errors are kept and agreed on by all ranks
// where they meet: at new plans, at commits. A rank whose call was refused is out of sync; whoever waits for it goes to
// meet too.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "advice/advice.hpp"
#include "base/config.hpp"
#include "base/lateness.hpp"
#include "base/tally.hpp"
#include "base/trace.hpp"
#include "flow/cycle.hpp"
#include "memory/staging.hpp"
#include "mpi/agree.hpp"
#include "mpi/comm.hpp"
#include "mpi/roll_call.hpp"
#include "plan/planner.hpp"
#include "put/batch.hpp"
#include "put/journal.hpp"
#include "put/stage.hpp"
#include "read/collective_read.hpp"
#include "read/own_read.hpp"
#include "run/progress_thread.hpp"
#include "run/run_flow.hpp"
#include "write/storage_calls.hpp"

namespace weir {

// What a plan is found by. Layouts are numbered alike on all ranks.
struct PlanKey {
  int layout;
  int element_bytes;
  weir_fill_mode cover;
  PlanPlace place;
  bool read = false;  // for ranks that want elements, several the same one
  auto operator<=>(const PlanKey&) const = default;
};

// One put of one rank.
struct Offer {
  OpenFile* file;
  int var;
  std::int64_t record;
  PlanKey key;
  const Layout* layout;
  Buffer buffer;
  ExternalValue fill;
};

class Layouts;
// One get of one rank: records that a plan serves.
struct Want {
  const OpenFile* file;
  std::shared_ptr<TileSource> source;
  int var;
  PlanKey key;
  const Layout* layout;
  Type external_type, memory_type;
  struct Record {
    std::int64_t number;
    void* values;
  };
  std::vector<Record> records;
};

// What has travelled between ranks.
struct Traffic {
  std::int64_t messages = 0, relayed = 0, message_bytes = 0;
};

class Pipeline {
 public:
  // Collective over `comm`, which is the model's and must outlive the pipeline. link: where a rank of its own runs the
  // scheduler, the model's ranks and that one (control/control.hpp); else nullptr. config outlives it; with advice, the
  // pipeline changes it between cycles. layouts: all that puts are by; they are brought into sync after a failure.
  Pipeline(Config& config, const Comm& comm, const Comm* link, Trace& trace, Layouts& layouts);

  const Machine& machine() const noexcept { return machine_; }
  const Strategy& strategy() const noexcept { return *strategy_; }
  const std::vector<int>& writers() const noexcept { return writers_; }
  // Of a variable with this granule. All ranks, host by host, where the strategy goes by group and the variable cannot,
  // and where compressing takes longer than writing and nobody has said how many are to do it.
  const std::vector<int>& writers_of(const Granule& granule) const noexcept {
    const bool all = strategy_->by_group() || (granule.packed && strategy_->all_compress() && config_.writers == 0);
    return granule.any() && all ? all_ranks_ : writers_;
  }
  const Comm& host() const noexcept { return host_comm_; }
  Traffic traffic() const noexcept;
  const Staging& staging() const noexcept { return staging_; }
  bool shared_memory() const noexcept { return reach_.shared(); }
  Tally& tally() noexcept { return tally_; }
  // In Weir's calls, for ranks that computed longer.
  double late_seconds() const noexcept { return lateness_.seconds(); }
  // Whatever this rank does is done under a hold of it; nullptr: nothing runs between the rank's calls.
  ProgressThread* progress_thread() const noexcept { return progress_thread_.get(); }

  // Collective where the plan is new or memory runs out, else Local. What does not fit its type is counted.
  RangeFailure put(const Offer& offer);
  // All of a file's record is put, so the model is likely to compute now: where tiles are written beside it, those that
  // are worth it are not kept back for more puts.
  // With advice it is collective where a way to write has been tried for long enough.
  void end_record(const OpenFile& file);
  // Writes what was put, for a call of this name. Collective. A file's error is kept in its OpenFile, alike on all
  // ranks; other files go on.
  void flush(std::string_view call = "");
  // Reads what all ranks want. What was put before is written first. Throws where any of them fails, alike on all; else
  // they have met afterwards. Collective.
  RangeFailure get(const Want& want);
  // Whether ranks may read each for itself: all of them share a page cache, and it is used.
  bool may_read_own() const noexcept {
    return machine_.hosts() == 1 && config_.readers == ReadersKind::automatic &&
           config_.page_cache != PageCacheKind::past;
  }
  // This rank's plan of that, of a layout of this number (or -1: of none that is known), kept; nullptr where owners are
  // to read. Local.
  std::shared_ptr<const OwnPlan> own_plan(int number, const Layout& layout, int element_bytes);
  // As get(), by each rank for itself, which all of them have agreed on, as they have that the file is what it was.
  // What was put before may still be on its way: it is not of what can be read. Collective at its end.
  RangeFailure get_own(const Want& want, const std::shared_ptr<const OwnPlan>& plan);
  // The owners of what get() would read ask the system for it, and go on: no buffer of a record is touched, and tile
  // memory stays free. Collective where the plan is new.
  void prefetch(const Want& want);
  // All ranks meet at a point of reading, as in meet(); where they are at one of a kind and differ in what they read,
  // that is this call's error alone.
  void meet_to_read(const Point& point, Status mine, std::int64_t* question = nullptr);
  // By which tiles are read: the strategy that writes, where it cuts a variable by range, else remap.
  const Strategy& reading_strategy() const noexcept { return strategy_->by_group() ? *by_range_ : *strategy_; }
  // Of a variable with this granule: all ranks where unpacking takes longer than reading, and neither the strategy nor
  // the configuration says who is to do it.
  const std::vector<int>& readers_of(const Granule& granule) const noexcept {
    const bool dynamic = strategy_->kind() == StrategyKind::dynamic;
    const bool open = dynamic ? config_.writers_per_variable == 0
                              : (strategy_->all_compress() || strategy_->by_group()) && config_.writers == 0;
    if (granule.packed && open) return all_ranks_;
    return strategy_->by_group() ? readers_ : writers_;
  }
  // The plan of a put of `file`'s variable. Collective where it is new.
  const Plan& plan(const PlanKey& key, const Layout& layout, const OpenFile& file, int var);
  // Forgets the plans of a layout. Nothing of it may be waiting: settle first. Collective.
  void forget(int layout);
  // What plans take on this rank, those of others that it places pieces by included.
  std::int64_t plan_bytes() const noexcept;

  // `strategy: auto`: the way to write is advised, with `asked` for all that the advice does not name.
  void ask_for_advice(const Config& asked);
  // A file with records is about to be written: the first one brings the advice. Collective.
  void take_advice(const OpenFile& file);
  // At a commit, on rank 0: whether what was advised has become slower; then all ranks call reconsider().
  bool advice_worn_out();
  void reconsider();
  // Keeps what was found for the next run. Seconds since the start, and of them in Weir's calls. Local.
  void remember_advice(double elapsed_seconds, double call_seconds);
  // The last changes of mind, a line each; empty without advice.
  const std::vector<std::string>& advice_lines() const noexcept { return advice_lines_; }
  bool advised() const noexcept { return advice_ != nullptr; }

  // Files that take part; the pipeline does not own them.
  void enter(OpenFile& file) { files_.push_back(&file); }
  void leave(const OpenFile& file);
  // A failure of this rank alone, for the next meeting to tell all ranks.
  void note(Status status);
  // As note(), of a call that this rank can therefore not make while others do.
  void fall_out_of_sync(Status status);
  // Flushes, and waits until all ranks have: what is put later is written later.
  void settle();
  // All ranks meet at a point, with this rank's status and what it noted. Failures of other files than `file` are kept
  // by those; the rest is thrown, alike on all ranks. `question` becomes the largest value over all ranks. Collective.
  void meet(const Point& point, Status mine, const OpenFile* file = nullptr, std::int64_t* question = nullptr);
  // Until all ranks have come. Collective.
  void wait_for_all(std::string_view call);
  // The last meeting: until all ranks are there, whatever they have called or left out. Then throws what was wrong.
  void come_to_the_end(std::string_view call);
  // As meet(), but the common status is the caller's to deal with: no file fails by it.
  Status ask(const Point& point, Status mine);
  // After a timeout: nothing collective any more, not even freeing. False where a thread is still writing: then nothing
  // may be freed.
  [[nodiscard]] bool abandon() noexcept;
  // Of a wait in a call; by the thread of the rank's calls.
  Deadline deadline() const noexcept { return Deadline(config_.timeout_seconds, &roll_call_); }
  RollCall& roll_call() noexcept { return roll_call_; }
  // Ranks of this host that are not where this one is. Any thread.
  std::string behind() const { return host_status_.behind(); }
  // Makes the calls to storage that the rank waits for.
  StorageCalls& storage() noexcept { return storage_; }

 private:
  struct KeptPlan {
    Plan plan;
    std::optional<ReadPlan> backwards;  // once it was read by
    std::int64_t bytes;
    std::uint64_t used;  // larger where it was used later; all ranks use plans in the same order
  };
  RangeFailure put(const Offer& offer, const Plan& plan);
  PlanRequest request(const PlanKey& key, const Layout& layout, const OpenFile& file) const;
  Plan make_plan(PlanRequest request, const Layout& layout, const OpenFile& file, int var);
  void make_room_for_plans(std::int64_t most_bytes);
  void forget_older_plans();
  KeptPlan& add_plan(const PlanKey& key, const Layout& layout, const OpenFile& file, int var);
  const ReadPlan& read_plan(const Want& want);
  const ReadPlan* known_read_plan(PlanKey key);
  using AskFor = std::function<void(TileSource&)>;
  void end_get(const Want& want, const std::string& call, const RangeFailure& failure, Status status);
  void ask_ahead(const std::shared_ptr<TileSource>& source, const std::string& call, AskFor ask);
  Plan plan_once(const PlanRequest& request, const Layout& layout, const OpenFile& file, int var);
  void open_slots(Plan& plan) const;
  MemoryShares shares() const;
  Staging share_memory();
  std::unique_ptr<RunFlow> make_flow(const Comm* link);
  std::unique_ptr<ProgressThread> make_progress_thread();
  struct Cycles;
  Reservation reserve(const Need& need);
  void begin_cycle();
  // call: in which this is, for the sentence where ranks differ.
  void finish_cycle(std::string_view call = cycle_call);
  void agree_to_write(std::string_view call);
  Status agree_on(Point point, Question* question);
  Lateness::Times times_of_meeting(double came) const;
  void explain(const Error& error, const std::string& call);
  void meet_out_of_sync();
  void consult(const OpenFile& file);
  void say_advice(std::string line);
  void change_to(const Way& way);
  std::vector<Way> ways_for(const OpenFile& file, TunedEntry& known);
  void recover();
  Status take_noted();
  void fail(const Status& status);
  void meet(const Point& point, Status mine, const OpenFile* file, std::int64_t* question, bool to_read);

  static constexpr std::string_view cycle_call = "flush";

  Config& config_;
  const Comm& comm_;
  Trace& trace_;
  Layouts& layouts_;
  mutable RollCall roll_call_;
  StorageCalls storage_;
  Comm host_comm_;
  Machine machine_;
  Reach reach_;
  Staging staging_;
  HostStatus host_status_;
  Tally tally_;
  Lateness lateness_;
  bool computes_;  // a rank of the model, and no server
  std::vector<Status> noted_;
  bool out_of_sync_ = false;  // this rank could not make a put that others make
  bool explained_ = false;
  std::uint32_t meetings_ = 0;  // of all ranks, that this one came to
  std::unique_ptr<Strategy> strategy_;
  std::vector<int> writers_;
  std::vector<int> all_ranks_;
  std::unique_ptr<Strategy> by_range_;  // reads where the strategy that writes cuts nothing by range
  std::vector<int> readers_;            // then
  std::map<PlanKey, KeptPlan> plans_;
  std::uint64_t uses_ = 0;
  std::map<std::pair<int, int>, std::shared_ptr<const OwnPlan>> own_plans_;  // by layout and bytes of an element
  std::int64_t own_plan_bytes_ = 0;
  bool at_rest_ = true;  // nothing was put since all ranks settled; alike on all
  Cycle cycle_;          // the open one; none is open while its batch is empty
  Batch batch_;
  Journal journal_;
  std::vector<OpenFile*> files_;
  int exchange_tag_ = 0;
  std::unique_ptr<RunFlow> flow_;
  Traffic past_;  // of flows that another way to write has replaced
  std::unique_ptr<Advice> advice_;
  std::vector<std::string> advice_lines_;
  std::unique_ptr<ProgressThread> progress_thread_;
};

}  // namespace weir
