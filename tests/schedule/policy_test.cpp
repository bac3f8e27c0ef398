// SPDX-License-Identifier: Apache-2.0
// A policy decides as its numbers say, and what is no policy is refused with a sentence.
#include "schedule/policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace weir {
namespace {

// Two inputs, a layer of one, four actions: writers 1 or all, rounds 0, flush or not.
const char* const toy = R"({"weir_policy": 1,
  "inputs": [{"name": "cached", "mean": 2, "scale": 4}, {"name": "log_ranks", "mean": 0, "scale": 1}],
  "writer_exponents": [0, 1], "wait_rounds": [0],
  "layers": [{"weights": [[1, -0.5]], "bias": [0.25]}, {"weights": [[1], [-1], [2], [0]], "bias": [0, 0.1, -1, -0.2]}]})";

std::string with(const std::string& from, const std::string& to) {
  std::string text = toy;
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

std::string words_of(const std::string& text) {
  try {
    static_cast<void>(Policy::parse(text, "policy.json"));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_ECONFIG);
    return error.what();
  }
  return "";
}

// The largest of x, 0.1 - x, 2 x - 1, -0.2 with x = tanh((cached - 2) / 4 - log_ranks / 2 + 0.25).
std::size_t by_hand(double cached, double log_ranks) {
  const double x = std::tanh((cached - 2) / 4 - 0.5 * log_ranks + 0.25);
  const double outputs[] = {x, 0.1 - x, 2 * x - 1, -0.2};
  return static_cast<std::size_t>(std::max_element(outputs, outputs + 4) - outputs);
}

TEST(Policy, ChoosesTheLargestOutput) {
  const Policy policy = Policy::parse(toy, "policy.json");
  EXPECT_EQ(policy.actions(), 4U);
  EXPECT_EQ(policy.inputs(), (std::vector<std::string>{"cached", "log_ranks"}));
  std::size_t seen = 0;
  for (double cached = -20; cached < 20; cached += 0.7)
    for (double log_ranks = 0; log_ranks < 12; ++log_ranks) {
      const std::size_t action = policy.choose(std::vector{cached, log_ranks});
      EXPECT_EQ(action, by_hand(cached, log_ranks)) << cached << ' ' << log_ranks;
      seen |= std::size_t{1} << action;
    }
  EXPECT_EQ(seen, 0b011U) << "the grid does not tell the outputs apart";
}

TEST(Policy, ActionsAreFlushThenWritersThenRounds) {
  const Policy policy = Policy::parse(toy, "policy.json");
  EXPECT_FALSE(policy.action(0, 64).flush);
  EXPECT_EQ(policy.action(0, 64).writers, 1);
  EXPECT_EQ(policy.action(1, 64).writers, 64);
  EXPECT_TRUE(policy.action(2, 64).flush);
  EXPECT_EQ(policy.action(3, 1).writers, 1);
  EXPECT_THROW(policy.action(4, 64), Error);
}

TEST(Policy, RefusesWhatIsNone) {
  EXPECT_EQ(words_of(toy), "");
  EXPECT_NE(words_of("{").find("is not a policy"), std::string::npos);
  EXPECT_NE(words_of("[]").find("weir_policy is missing"), std::string::npos);
  EXPECT_NE(words_of(with("\"weir_policy\": 1", "\"weir_policy\": 7")).find("version 7"), std::string::npos);
  EXPECT_NE(words_of(with("[[1, -0.5]]", "[[1]]")).find("do not fit together"), std::string::npos);
  EXPECT_NE(words_of(with("[0, 1]", "[0, 0.5, 1]")).find("as many outputs as actions"), std::string::npos);
  EXPECT_NE(words_of(with("\"scale\": 4", "\"scale\": 0")).find("\"cached\" has a scale"), std::string::npos);
  EXPECT_NE(words_of(with("0.25", "\"much\"")).find("is not a policy"), std::string::npos);
  EXPECT_THROW(Policy::read("/nowhere/policy.json"), Error);
  EXPECT_THROW(static_cast<void>(Policy::parse(toy, "x").choose(std::vector{1.0})), Error);
}

}  // namespace
}  // namespace weir
