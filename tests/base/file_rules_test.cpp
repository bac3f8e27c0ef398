// SPDX-License-Identifier: Apache-2.0
// The configuration's rules for files, which the bridges follow.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "base/config_keys.hpp"

namespace weir {
namespace {

std::string wrong_rules(const char* text) {
  try {
    load_config(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_ECONFIG);
    return error.what();
  }
  return "";
}

void expect_error(const char* text, const std::string& part) {
  EXPECT_NE(wrong_rules(text).find(part), std::string::npos) << wrong_rules(text);
}

constexpr const char* rules = R"(
strategy: rows
files:
  "*.hist.nc": {strategy: dynamic, writers_per_variable: 4, hints: {cb_nodes: 2}}
  "*.rst.nc": off
  "/scratch/*.nc": {strategy: serial}
  "*": on
)";

TEST(FileRules, CountByTheFirstPatternThatMatches) {
  const Config config = load_config(rules);
  ASSERT_NE(rule_for(config, "out/ocean.hist.nc"), nullptr);
  const Config history = with_rule(config, *rule_for(config, "out/ocean.hist.nc"));
  EXPECT_EQ(history.strategy, StrategyKind::dynamic);
  EXPECT_EQ(history.writers_per_variable, 4);
  EXPECT_EQ(history.hints.at("cb_nodes"), "2");
  EXPECT_TRUE(rule_for(config, "ocean.rst.nc")->off);
  EXPECT_EQ(rule_for(config, "/scratch/x.nc")->pattern, "/scratch/*.nc") << "a pattern with / is of the whole path";
  EXPECT_EQ(rule_for(config, "x.nc")->pattern, "*");
  EXPECT_EQ(with_rule(config, *rule_for(config, "x.nc")).strategy, StrategyKind::rows);
}

TEST(FileRules, AreOfNoFileWhereThereAreNone) {
  EXPECT_EQ(rule_for(load_config(nullptr), "x.nc"), nullptr);
  EXPECT_EQ(rule_for(load_config("files: {\"*.rst.nc\": off}"), "x.nc"), nullptr);
}

TEST(FileRules, GiveWayToTheEnvironment) {
  ::setenv("WEIR_STRATEGY", "serial", 1);
  const Config config = load_config(rules);
  EXPECT_EQ(with_rule(config, *rule_for(config, "a.hist.nc")).strategy, StrategyKind::serial);
  ::unsetenv("WEIR_STRATEGY");
}

TEST(FileRules, ComeFromTheEnvironmentToo) {
  ::setenv("WEIR_FILES", "{\"*.rst.nc\": off}", 1);
  EXPECT_TRUE(rule_for(load_config(nullptr), "a.rst.nc")->off);
  ::setenv("WEIR_FILES", "*.rst.nc=off", 1);
  expect_error(nullptr, "is not a map; give {pattern: off, pattern: {key: value}}");
  ::unsetenv("WEIR_FILES");
}

TEST(FileRules, AreRefusedWhereTheyCannotBe) {
  expect_error("files: {\"*.nc\": maybe}", "\"*.nc\": \"maybe\" is not a rule; give off, on, or {key: value, ...}");
  expect_error("files: {\"*.nc\": {strategie: rows}}", "did you mean \"strategy\"?");
  expect_error("files: {\"*.nc\": {strategy: fast}}", "\"*.nc\": strategy: \"fast\" is not one of");
  expect_error("files: {\"*.nc\": {files: {}}}", "a rule has no rules of its own");
  expect_error("files: {\"\": off}", "a rule has no pattern");
  expect_error("files: off", "is not a map");
}

TEST(FileRules, AreShownWhole) {
  const auto show = [](const char* text) { return config_key("files").show(load_config(text)); };
  EXPECT_EQ(show("files: {\"*.nc\": {writers: 2, hints: {a: b}}, \"x\": off}"),
            "{\"*.nc\": {writers: 2, hints: {a: b}}, \"x\": off}");
  EXPECT_EQ(show("files: {}"), "");
}

TEST(Report, IsOnStandardErrorWhereItIsOne) {
  EXPECT_EQ(load_config("report: 1").report, "-");
}

}  // namespace
}  // namespace weir
