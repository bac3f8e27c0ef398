// SPDX-License-Identifier: Apache-2.0
#include "core/reading.hpp"

#include <utility>

#include "base/error.hpp"
#include "core/border.hpp"
#include "mpi/agree.hpp"

namespace weir::bridge {

Reading::Reading(std::shared_ptr<RankGroup> group, std::string given, std::string path)
    : group_(std::move(group)), path_(std::move(path)) {
  counts_.path = std::move(given);
  if (group_->comm().rank() == 0) named_ = std::make_unique<NamedFile>(path_);
}

Reading::~Reading() {
  if (group_->comm().rank() == 0) group_->process().done(counts_);
}

Reason Reading::open() {
  if (left_ != Reason::none || file_ != nullptr) return left_;
  try {
    const bool replaced = named_ && !named_->still_named();
    const RankGroup::Decision decision = group_->decide(counts_.path, replaced ? Reason::header : Reason::none, 0);
    left_ = decision.reason;
    if (left_ == Reason::none) begin(decision);
  } catch (const std::exception&) {
    const Status problem = caught();
    raise_if_diverged(problem);
    leave(problem.message);
  }
  return left_;
}

void Reading::begin(const RankGroup::Decision& decision) {
  running_ = &group_->running(decision);
  const Status status = running_->call([&] {
    file_ = &running_->weir->files().open(path_, WEIR_NOWRITE);
    file_->gets().set_infinities(Infinities::misfit);
  });
  raise_if_diverged(status);
  if (!status.ok()) leave(status.message);
}

void Reading::leave(const std::string& why) {
  left_ = Reason::header;
  group_->note(formatted("{}: read by the underlying library: {}", counts_.path, why));
}

bool Reading::get(const std::function<void(File&)>& body) {
  const Status status = running_->call([&] { body(*file_); });
  raise_if_diverged(status);
  return status.ok();
}

void Reading::end() {
  if (file_ == nullptr) return;
  const Status status = running_->call([&] { running_->weir->files().close(*std::exchange(file_, nullptr)); });
  raise_if_diverged(status);
  if (!status.ok() && group_->comm().rank() == 0) group_->process().say(status.message);
}

}  // namespace weir::bridge
