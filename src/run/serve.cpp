// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "control/remote_control.hpp"
#include "mpi/leaving.hpp"
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
  const Deadline start(2 * timeout_seconds);  // until rank 0 says who is there: the ranks meet about twice before that
  Leaving leaving(link.size() - 1, timeout_seconds);
  std::vector<std::int64_t> words;
  for (Patience patience;;) {
    int source = MPI_ANY_SOURCE;
    if (!receive_if_there(link, source, to_control, words, Deadline(timeout_seconds))) {
      require(!leaving.overdue(), WEIR_ETIMEOUT, [&] {
        return "weir_finalize: rank(s) " + link.listed(leaving.missing()) +
               " did not come to the scheduler's end within " + std::to_string(timeout_seconds) + " s";
      });
      require(control.begun() || !start.passed(), WEIR_ETIMEOUT, "weir_init: the model's ranks have not begun");
      patience.pause();
      continue;
    }
    patience = Patience();
    if (words[0] == abandon_word)
      throw Error(WEIR_ETIMEOUT,
                  "the run was given up by rank " + std::to_string(link.number_of(source)) + ": it says why");
    if (words[0] != finish_word) {
      control.hear(source, words);
      continue;
    }
    leaving.leave(source);
    if (leaving.all()) return control.say_farewell(link.size() - 1);
  }
}

}  // namespace weir
