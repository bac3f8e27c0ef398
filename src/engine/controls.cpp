// SPDX-License-Identifier: Apache-2.0
#include "engine/controls.hpp"

#include <exception>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "mpi/event_list.hpp"
#include "mpi/outbox.hpp"
#include "schedule/local_control.hpp"
#include "schedule/remote_control.hpp"

namespace weir {

namespace {

// In memory that the ranks of the host share.
class SharedEvents final : public ControlEvents {
 public:
  SharedEvents(const Comm& host, std::int64_t capacity, const Deadline& deadline) : list_(host, capacity, deadline) {}

  void append(const ControlEvent& event) override {
    list_.append({event.kind, event.rank, event.unit, event.value, event.series});
  }
  bool read(ControlEvent& event) override {
    EventList::Event next;
    if (!list_.read(next)) return false;
    event = {static_cast<ControlEvent::Kind>(next.kind), next.rank, next.unit, next.value, next.series};
    return true;
  }
  void clear() override { list_.clear(); }
  void rewind() override { list_.rewind(); }

 private:
  EventList list_;
};

class MessageLink : public ControlLink {
 public:
  MessageLink(const Comm& link, double timeout_seconds)
      : link_(link), outbox_(link, to_control), timeout_seconds_(timeout_seconds) {}

  void say(std::span<const std::int64_t> words) override { outbox_.send(words, link_.size() - 1); }
  std::span<const std::int64_t> hear() override {
    int control = link_.size() - 1;
    if (!receive_if_there(link_, control, to_rank, heard_, Deadline(timeout_seconds_))) return {};
    return heard_;
  }

 private:
  const Comm& link_;
  Outbox outbox_;
  double timeout_seconds_;
  std::vector<std::int64_t> heard_;
};

class LinkedControl final : private MessageLink, public RemoteControl {
 public:
  LinkedControl(const Comm& link, const Machine& machine, double timeout_seconds)
      : MessageLink(link, timeout_seconds),
        RemoteControl(static_cast<MessageLink&>(*this), machine, link.rank()),
        timeout_seconds_(timeout_seconds) {}

  // Nothing may be under way when the communicator goes: every message either way is followed by a last one. But after
  // an error of a beginning no rank comes to that.
  ~LinkedControl() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0 || abandoned_) return;
    if (std::uncaught_exceptions() > 0) {
      abandon();
      return;
    }
    const Deadline deadline(timeout_seconds_);
    try {
      RemoteControl::say(finish_word, 0);
      for (Backoff backoff; !deadline.passed(); backoff.pause())
        if (listen()) return;
    } catch (const Error&) {
      return;  // MPI is in pieces: there is no rank to tell
    }
  }

  void abandon() noexcept override {
    abandoned_ = true;
    try {
      RemoteControl::say(abandon_word, 0);
    } catch (const Error&) {  // it then waits until the program ends it
    }
  }

 private:
  double timeout_seconds_;
  bool abandoned_ = false;
};

}  // namespace

std::unique_ptr<Control> make_hosted_control(const Comm& host, const Machine& machine, const ScheduleParameters& how,
                                             int window, const Deadline& deadline) {
  auto events = std::make_unique<SharedEvents>(host, control_events_kept(machine.ranks(), window), deadline);
  return make_hosted_control(host.rank(), std::make_shared<HostedSchedule>(std::move(events), machine, how));
}

std::unique_ptr<Control> make_implied_control(const Machine& machine, const ScheduleParameters& how, int window) {
  return make_implied_control(std::make_shared<ImpliedSchedule>(machine, how, window, window + 1));
}

std::unique_ptr<Control> make_remote_control(const Comm& link, const Machine& machine, double timeout_seconds) {
  return std::make_unique<LinkedControl>(link, machine, timeout_seconds);
}

void abandon_control(const Comm& link) noexcept {
  try {
    const std::int64_t words[] = {abandon_word, 0};
    Outbox(link, to_control).send(words, link.size() - 1);
  } catch (const Error&) {  // it then waits until the program ends it
  }
}

namespace {

class MessageAnswers final : public ControlAnswers {
 public:
  explicit MessageAnswers(const Comm& link) : outbox_(link, to_rank) {}
  void say(std::span<const std::int64_t> words, int rank) override { outbox_.send(words, rank); }

 private:
  Outbox outbox_;
};

}  // namespace

void serve_control(const Comm& link, const ScheduleParameters& how, double timeout_seconds) {
  MessageAnswers answers(link);
  ControlRank control(how, answers);
  const Deadline start(2 * timeout_seconds);  // until rank 0 says who is there: the ranks agree about twice before that
  FinalizeTracker tracker(link.size() - 1, timeout_seconds);
  std::vector<std::int64_t> words;
  for (Backoff backoff;;) {
    int source = MPI_ANY_SOURCE;
    if (!receive_if_there(link, source, to_control, words, Deadline(timeout_seconds))) {
      if (tracker.overdue())
        throw Error(WEIR_ETIMEOUT, "weir_finalize: rank(s) {} did not reach the end of the scheduler within {:f} s",
                    link.listed(tracker.missing()), timeout_seconds);
      require(control.begun() || !start.passed(), WEIR_ETIMEOUT,
              "weir_init: timed out: the ranks of the model have not started");
      backoff.pause();
      continue;
    }
    backoff = Backoff();
    if (words[0] == abandon_word)
      throw Error(WEIR_ETIMEOUT, "the run was given up by rank {}: its own message says why", link.number_of(source));
    if (words[0] != finish_word) {
      control.hear(source, words);
      continue;
    }
    tracker.leave(source);
    if (tracker.all()) return control.say_farewell(link.size() - 1);
  }
}

}  // namespace weir
