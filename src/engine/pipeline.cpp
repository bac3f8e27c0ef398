// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline.hpp"

#include <utility>

#include "base/text.hpp"

namespace weir {

// Plans are made before the cycles that use them, so that they go after those.
Pipeline::Pipeline(std::shared_ptr<const Config> config, const Comm& comm, const Comm* link, Trace& trace,
                   Layouts& layouts)
    : rank_(std::move(config), comm, trace, layouts),
      agreement_(rank_, *this),
      roles_(*rank_.config, rank_.machine),
      plans_(rank_, agreement_, roles_, cycles_),
      cycles_(rank_, agreement_, roles_, link),
      reading_(rank_, agreement_, plans_, cycles_),
      own_reading_(rank_, reading_),
      advice_(rank_, agreement_, roles_, plans_, cycles_) {
  rank_.host_status.restart(0);
  std::int64_t here = 0;
  allreduce_max(comm, std::span(&here, 1), deadline(), "start");
  progress_thread_ = make_progress_thread();
}

// For a flow that writes in the background; another one expects nothing.
std::unique_ptr<ProgressThread> Pipeline::make_progress_thread() {
  if (!listens_in_background(*rank_.config, rank_.reach.everybody(), any_thread_may_call())) return nullptr;
  return std::make_unique<ProgressThread>(
      ProgressThread::Work{[this] { cycles_.flow().listen(); }, [this] { return cycles_.expects(); }});
}

RangeFailure Pipeline::put(const PutRequest& request) {
  const Plan& steps = plans_.to_write(request.key, *request.layout, *request.file, request.var);
  agreement_.add({request.file, request.var, request.record, request.key.layout});
  try {
    return cycles_.put(request, steps);
  } catch (const Error& error) {
    agreement_.explain(
        error, formatted("put of {}: ", in_words({{request.file, request.var, request.record, &steps, 0, {}, {}}})));
    throw;
  }
}

void Pipeline::end_record(const OpenFile& file) {
  cycles_.end_record();
  advice_.end_record(file);
}

void Pipeline::recover() {
  cycles_.drop();
  agreement_.forget();
  plans_.forget_uses();
  // Where one of these fails, agree() throws on all ranks that can be reached, and the instance ends.
  const auto agree_again = [&](std::uint64_t step, Question* question) {
    agree(rank_.comm, {AgreementPoint::recovery, step, "recovery", nullptr}, {}, rank_.deadline(), question).raise();
  };
  Question cycle{cycles_.number(), true};
  agree_again(1, &cycle);
  cycles_.end(static_cast<std::uint32_t>(cycle.value));
  Question numbers{rank_.layouts.next(), true};
  agree_again(2, &numbers);
  rank_.layouts.restart(static_cast<int>(numbers.value));
  cycles_.restart();
  agree_again(3, nullptr);
}

void Pipeline::leave(const OpenFile& file) {
  agreement_.leave(file);
  advice_.leave(file);
}

bool Pipeline::abandon() noexcept {
  if (progress_thread_) progress_thread_->stop();
  const bool flow_ended = cycles_.abandon();
  const bool calls_ended = rank_.storage.abandon();
  rank_.staging.abandon(), rank_.host.abandon(), rank_.liveness_check.abandon();
  return flow_ended && calls_ended;
}

}  // namespace weir
