// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "control/remote_control.hpp"
#include "mpi/finalize_tracker.hpp"
#include "mpi/outbox.hpp"
#include "run/controls.hpp"

namespace weir {

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
      require(!tracker.overdue(), WEIR_ETIMEOUT, [&] {
        return "weir_finalize: rank(s) " + link.listed(tracker.missing()) +
               " did not reach the end of the scheduler within " + std::to_string(timeout_seconds) + " s";
      });
      require(control.begun() || !start.passed(), WEIR_ETIMEOUT, "weir_init: timed out: the ranks of the model have not started");
      backoff.pause();
      continue;
    }
    backoff = Backoff();
    if (words[0] == abandon_word)
      throw Error(WEIR_ETIMEOUT,
                  "the run was given up by rank " + std::to_string(link.number_of(source)) + ": its own message says why");
    if (words[0] != finish_word) {
      control.hear(source, words);
      continue;
    }
    tracker.leave(source);
    if (tracker.all()) return control.say_farewell(link.size() - 1);
  }
}

}  // namespace weir
