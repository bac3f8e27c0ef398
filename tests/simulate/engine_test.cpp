// SPDX-License-Identifier: Apache-2.0
// What happens in simulated time happens by time and, at one time, in the order in which it was asked for, however much
// there is of it and whichever of the engine's lists it is kept in.
#include "simulate/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <compare>
#include <deque>
#include <random>
#include <vector>

namespace weir::simulate {
namespace {

struct Happened {
  double time;
  std::uint64_t number;  // in which it was asked for
  auto operator<=>(const Happened&) const = default;
};

// Events that ask for others: some at once, some at times that several have.
class Play {
 public:
  explicit Play(unsigned seed) : chance_(seed) {}

  std::vector<Happened> run(int first) {
    for (int i = 0; i < first; ++i) ask();
    engine_.run();
    return happened_;
  }

 private:
  struct Asked final : Action {
    Asked(Play& of, Happened what) : play(of), planned(what) {}
    void happen() override { play.happen(planned); }
    Play& play;
    Happened planned;
  };

  void ask() {
    const double ahead = std::array{0.0, 0.25, 1.0, 3.5, 40.0}[chance_() % 5] * static_cast<double>(chance_() % 3);
    Asked& asked = asked_.emplace_back(*this, Happened{engine_.now() + ahead, asked_.size()});
    if (chance_() % 3 == 0)
      engine_.at_often(asked.planned.time, asked);
    else
      engine_.at(asked.planned.time, asked);
  }

  void happen(const Happened& planned) {
    EXPECT_EQ(engine_.now(), planned.time);
    happened_.push_back(planned);
    if (asked_.size() > 20000) return;
    for (unsigned more = chance_() % 4; more > 0; --more) ask();
  }

  Engine engine_;
  std::mt19937 chance_;
  std::deque<Asked> asked_;
  std::vector<Happened> happened_;
};

TEST(Engine, KeepsTheOrderOfTimesAndOfWhatWasAskedFor) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Play play(seed);
    const std::vector<Happened> happened = play.run(1 + static_cast<int>(seed * seed) % 500);
    EXPECT_TRUE(std::is_sorted(happened.begin(), happened.end())) << seed;
  }
}

TEST(Engine, ForgetsNothing) {
  Play play(7);
  const std::vector<Happened> happened = play.run(3000);
  std::vector<bool> seen(happened.size());
  for (const Happened& each : happened) {
    ASSERT_LT(each.number, seen.size());
    EXPECT_FALSE(seen[each.number]);
    seen[each.number] = true;
  }
  EXPECT_GT(happened.size(), 10000u);
}

}  // namespace
}  // namespace weir::simulate
