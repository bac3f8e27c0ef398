// SPDX-License-Identifier: Apache-2.0
#include "file/commits.hpp"

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "flow/steps.hpp"

namespace weir {

// Afterwards a put of the same elements needs no order any more: the earlier ones are in the file.
void Commits::flush_attached(bool durable) {
  state_.require_writing("a flush of the bridge");
  const Span span(context_.trace.main(), Step::commit, context_.pipeline.tally().commit_seconds,
                  {.file = file_.serial});
  const std::string call = formatted("flush of {}", file_.path);
  context_.pipeline.flush(call);
  Status status;
  if (context_.comm.rank() == 0) status = step([this] { return file_.output->check_name(); }, "a flush", true);
  if (status.ok() && durable)
    status = step([this] { return file_.output->make_durable(Durability::storage); }, "a flush");
  status.scope = Scope::of(file_.serial);
  context_.pipeline.agreement().agree_at(
      {AgreementPoint::flush_attached, static_cast<std::uint64_t>(file_.serial), call, nullptr}, status, &file_);
  state_.check_failure();
  state_.history.reached_library();
}

Status Commits::bring_to_storage() {
  const std::vector<MissingRecord> missing =
      state_.fill == WEIR_NOFILL ? std::vector<MissingRecord>{} : state_.history.missing_records();
  Status status;
  if (state_.fill == WEIR_COVER && !missing.empty())
    status = {WEIR_ECOVER,
              formatted("{}: {} {} was never put, but the file requires full cover", file_.path,
                        state_.quoted(missing[0].var), state_.record_in_words(missing[0].record)),
              Scope::of(file_.serial)};
  else
    status = step([this, missing] { return file_.output->fill(missing); }, "filling");
  file_.output->prepare_commit();
  const Durability wanted = context_.config().durability;
  status.merge(step([this, wanted] { return file_.output->make_durable(wanted); }, "syncing"));
  status.scope = Scope::of(file_.serial);
  return status;
}

void Commits::end() {
  state_.visible = true;
  sources_.end();  // what is read later sees this commit, on file systems too that keep what was read
  state_.history.commit();
}

// What commit_in_order asks.
class Commits::OneFile {
 public:
  OneFile(Commits& commits, std::string call)
      : commits_(commits), state_(commits.state_), file_(commits.file_), call_(std::move(call)) {}

  bool agrees_before() const { return file_.output->commits_together(); }
  void bring_to_storage() {
    span_.emplace(state_.context.trace.main(), Step::commit, state_.context.pipeline.tally().commit_seconds,
                  Detail{.file = file_.serial});
    status_ = commits_.bring_to_storage();
    any_range_ = state_.range.ok() ? 0 : 1;
  }
  void publish() {
    status_ = commits_.step([this] { return file_.output->publish(state_.history.records()); }, "a commit", true);
    status_.scope = Scope::of(file_.serial);
    slower_ = state_.context.comm.rank() == 0 && state_.context.pipeline.advice().slower_than_before() ? 1 : 0;
  }
  void agree_at(CommitPoint meeting) {
    const std::uint64_t file = mix(static_cast<std::uint64_t>(file_.serial), call_);  // a commit of which call
    const auto records = static_cast<std::uint64_t>(state_.history.records());
    if (meeting == CommitPoint::together) agree_at({AgreementPoint::fill, file, call_, nullptr}, nullptr);
    if (meeting == CommitPoint::durable)
      agree_at({AgreementPoint::durable, mix(file, records), call_, nullptr}, &any_range_);
    if (meeting == CommitPoint::published) agree_at({AgreementPoint::published, file, call_, nullptr}, &slower_);
  }
  void end() {
    if (slower_ > 0) state_.context.pipeline.advice().reconsider();
    commits_.end();
    if (any_range_ > 0) commits_.report_range(call_);
  }

 private:
  void agree_at(const Point& point, std::int64_t* question) {
    state_.context.pipeline.agreement().agree_at(point, std::exchange(status_, {}), &file_, question);
  }

  Commits& commits_;
  FileState& state_;
  OpenFile& file_;
  std::string call_;
  std::optional<Span> span_;
  Status status_;  // for the next agreement
  std::int64_t any_range_ = 0, slower_ = 0;
};

void Commits::commit(std::string_view verb) {
  state_.require_writing(std::string(verb).c_str());
  const std::string call = formatted("{} of {}", verb, file_.path);
  context_.pipeline.flush(call);
  state_.check_failure();
  OneFile file(*this, call);
  commit_in_order(file);
}

// By a thread, so that this rank answers meanwhile; by itself where the step calls MPI or no storage.
Status Commits::step(StorageCalls::Call step, const char* what, bool alone) {
  const bool by_storage_thread = file_.output->uses_storage() && (alone || !file_.output->collective());
  Status status =
      by_storage_thread ? context_.pipeline.storage().run(std::move(step), what) : outcome_to_agree_on(step);
  if (!status.ok()) status.message = state_.this_rank() + status.message;
  return status;
}

// The file is whole; what did not fit is reported once, alike on all ranks.
void Commits::report_range(std::string_view call) {
  agree(context_.comm, {AgreementPoint::range, 0, call, nullptr}, state_.take_range(), context_.pipeline.deadline())
      .raise();
}

}  // namespace weir
