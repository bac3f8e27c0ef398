// SPDX-License-Identifier: Apache-2.0
// A file's commits.
#include <algorithm>
#include <utility>

#include "base/spelling.hpp"
#include "file/file.hpp"

namespace weir {

namespace {

constexpr std::int64_t commit_point = 302;
constexpr std::int64_t published_point = 303;
constexpr std::int64_t filling_point = 304;
constexpr std::int64_t landing_point = 305;

}  // namespace

// Afterwards a put of the same elements needs no order any more: the earlier ones are in the file.
void File::land(bool durable) {
  require_writing("a flush of the bridge");
  const Span span(context_.trace.main(), Step::commit, context_.pipeline.tally().commit_seconds,
                  {.file = file_.serial});
  const std::string call = "flush of " + file_.path;
  context_.pipeline.flush(call);
  Status status;
  if (context_.comm.rank() == 0) status = commit_step([this] { return file_.output->check_name(); }, "a flush", true);
  if (status.ok() && durable)
    status = commit_step([this] { return file_.output->make_durable(Durability::storage); }, "a flush");
  status.subject = file_.serial;
  context_.pipeline.meet({landing_point, static_cast<std::uint64_t>(file_.serial), call, nullptr}, status, &file_);
  check_failure();
  for (auto& put : put_) put.clear();
  rewritten_.clear();
}

std::vector<Unput> File::unput() const {
  std::vector<Unput> missing;
  if (fill_ == WEIR_NOFILL) return missing;
  for (std::size_t v = 0; v < put_.size(); ++v) {
    const int var = static_cast<int>(v);
    if (!file_.schema.is_record(var)) {
      if (!fixed_complete_[v]) missing.push_back({var, 0});
      continue;
    }
    for (std::int64_t r = first_open_record_; r < records_; ++r) {
      const auto at = static_cast<std::size_t>(r - first_open_record_);
      if (at >= put_[v].size() || !put_[v][at]) missing.push_back({var, r});
    }
  }
  return missing;
}

Status File::bring_to_storage() {
  const std::vector<Unput> missing = unput();
  Status status;
  if (fill_ == WEIR_COVER && !missing.empty())
    status = {WEIR_ECOVER,
              file_.path + ": " + in_quotes(file_.schema.variable(missing[0].var).name) + " " +
                  record_in_words(missing[0].record) + " was never put, and the file asks for full cover",
              file_.serial};
  else
    status = commit_step([this, missing] { return file_.output->fill(missing); }, "filling");
  file_.output->prepare_commit();
  const Durability wanted = context_.config.durability;
  status.merge(commit_step([this, wanted] { return file_.output->make_durable(wanted); }, "syncing"));
  status.subject = file_.serial;
  return status;
}

void File::end_commit() {
  commits_ = true;
  end_source();  // what is read later sees this commit, on file systems too that keep what was read
  first_open_record_ = records_;
  for (auto& put : put_) put.clear();
  rewritten_.clear();
  std::fill(fixed_complete_.begin(), fixed_complete_.end(), true);
}

void File::commit(std::string_view verb) {
  const std::string call = std::string(verb) + " of " + file_.path;
  context_.pipeline.flush(call);
  check_failure();
  // All ranks bring such a file to storage together, so one that is out of sync, or does something else, is heard
  // first.
  if (file_.output->commits_together())
    context_.pipeline.meet({filling_point, static_cast<std::uint64_t>(file_.serial), call, nullptr}, {}, &file_);
  const Span span(context_.trace.main(), Step::commit, context_.pipeline.tally().commit_seconds,
                  {.file = file_.serial});
  Status status = bring_to_storage();
  std::int64_t any_range = range_.ok() ? 0 : 1;
  context_.pipeline.meet(
      {commit_point, mix(static_cast<std::uint64_t>(file_.serial), static_cast<std::uint64_t>(records_)), call,
       nullptr},
      status, &file_, &any_range);
  status = commit_step([this] { return file_.output->publish(records_); }, "a commit", true);
  status.subject = file_.serial;
  std::int64_t slower = context_.comm.rank() == 0 && context_.pipeline.advice_worn_out() ? 1 : 0;
  context_.pipeline.meet({published_point, static_cast<std::uint64_t>(file_.serial), call, nullptr}, status, &file_,
                         &slower);
  if (slower > 0) context_.pipeline.reconsider();
  end_commit();
  if (any_range > 0) report_range(call);
}

// By a thread, so that this rank answers meanwhile; by itself where the step calls MPI or no storage.
Status File::commit_step(StorageCalls::Call step, const char* what, bool alone) {
  const bool beside = file_.output->stores() && (alone || !file_.output->collective());
  Status status = beside ? context_.pipeline.storage().run(std::move(step), what) : step();
  if (!status.ok()) status.message = "rank " + std::to_string(context_.comm.number()) + ": " + status.message;
  return status;
}

// The file is whole; what did not fit is told once, alike on all ranks.
void File::report_range(std::string_view call) {
  agree(context_.comm, {commit_point, 1, call, nullptr}, take_range(), context_.pipeline.deadline()).raise();
}

}  // namespace weir
