// SPDX-License-Identifier: Apache-2.0
#include "control.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "c/start.hpp"
#include "mpi/outbox.hpp"

namespace weir::cfio2 {

namespace {

constexpr int left_tag = 1;

// `auto` does so too: dynamic is one of the ways it tries.
bool keeps_ranks(const Config& config) {
  return config.strategy == StrategyKind::dynamic || config.strategy == StrategyKind::servers ||
         config.strategy == StrategyKind::automatic;
}

}  // namespace

// Weir keeps the last ranks, CFIO2 the first.
Control::Control(MPI_Comm comm, const Config& config) : timeout_seconds_(config.timeout_seconds) {
  const Deadline deadline(timeout_seconds_);
  Comm ranks = Comm::duplicate(comm, deadline);
  const bool sets_aside = config.control == ControlKind::rank;
  if (sets_aside) {
    ranks_ = ranks.split(0, deadline, ranks.rank() == 0 ? ranks.size() : ranks.rank());
    ranks_.call_ranks({1, ranks_.size()});
  } else {
    ranks_ = std::move(ranks);
  }
  require(!sets_aside || ranks_.size() > 1, WEIR_EARGUMENT,
          "cfio2_init on 1 rank: it needs a control process and at least one rank that puts; start 2 or more ranks, or "
          "set control: hosted");
  waits_here_ = sets_aside && !keeps_ranks(config);
}

Started Control::start(const std::string& configuration) {
  if (!waits_here_) return start_weir(configuration);
  const bool is_control = ranks_.rank() == ranks_.size() - 1;
  const Comm part = ranks_.split(is_control ? 0 : 1, Deadline(timeout_seconds_));
  if (is_control) {
    wait_for_all();
    return {};
  }
  MPI_Comm model = MPI_COMM_NULL;
  weir_t* weir = nullptr;
  const int code = weir::start(part.raw(), configuration.c_str(), {{}, numbers()}, &model, &weir);
  if (code != WEIR_OK) {
    const Status status{static_cast<Code>(code), weir_init_error()};
    tell(status);
    status.raise();
  }
  return {weir, model};
}

Started Control::start_weir(const std::string& configuration) {
  Started started;
  const int code = weir::start(ranks_.raw(), configuration.c_str(), {{}, numbers()}, &started.model, &started.weir);
  if (code != WEIR_OK) throw Error(static_cast<Code>(code), weir_init_error());
  return started;
}

void Control::leave(bool broken) noexcept {
  if (waits_here_)
    tell({broken ? WEIR_ETIMEOUT : WEIR_OK, "timed out waiting for a rank; the messages of other ranks say more"});
  if (broken) ranks_.abandon();
}

// The first word is the code, the rest its sentence.
void Control::tell(const Status& status) noexcept {
  std::vector<char> message(sizeof(int));
  const int code = status.code;
  std::copy_n(reinterpret_cast<const char*>(&code), sizeof code, message.data());
  message.insert(message.end(), status.message.begin(), status.message.end());
  MPI_Send(message.data(), static_cast<int>(message.size()), MPI_CHAR, ranks_.size() - 1, left_tag, ranks_.raw());
}

// After a rank that did not come nothing more is waited for.
void Control::wait_for_all() {
  Backoff backoff;
  Status status;
  FinalizeTracker tracker(ranks_.size() - 1, timeout_seconds_);
  while (!tracker.all()) {
    int here = 0, length = 0, code = WEIR_OK;
    MPI_Status envelope;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, left_tag, ranks_.raw(), &here, &envelope), "MPI_Iprobe");
    if (!here) {
      if (tracker.overdue()) {
        status.merge({WEIR_ETIMEOUT, formatted("cfio2_finalize: rank(s) {} did not reach this call within {:f} s",
                                               ranks_.listed(tracker.missing()), timeout_seconds_)});
        ranks_.abandon();
        break;
      }
      backoff.pause();
      continue;
    }
    MPI_Get_count(&envelope, MPI_CHAR, &length);
    std::string message(static_cast<std::size_t>(length), '\0');
    check_mpi(
        MPI_Recv(message.data(), length, MPI_CHAR, envelope.MPI_SOURCE, left_tag, ranks_.raw(), MPI_STATUS_IGNORE),
        "MPI_Recv");
    std::copy_n(message.data(), sizeof code, reinterpret_cast<char*>(&code));
    tracker.leave(envelope.MPI_SOURCE);
    if (code != WEIR_OK) status.merge({static_cast<Code>(code), message.substr(sizeof code)});
    if (code != WEIR_ETIMEOUT) continue;
    ranks_.abandon();
    break;
  }
  status.raise();
}

}  // namespace weir::cfio2
