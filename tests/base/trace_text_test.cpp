// SPDX-License-Identifier: Apache-2.0
// The text of a trace is JSON whatever names are in it, and says what was added, of the lane it was gone to.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/trace.hpp"

namespace weir {
namespace {

using Json = nlohmann::json;

Json event(Step step, std::int64_t number, std::int64_t bytes) {
  TraceText text({"a \"program\"", "remap:hints.cb=\"x\\y\"", 8, 2});
  text.go_to({1, 5, 1});
  text.add({0.5, 0.75, {.number = number, .bytes = bytes}, static_cast<std::uint8_t>(step), 0});
  text.end();
  return Json::parse(text.take())["traceEvents"][0];
}

TEST(TraceText, SaysWhoseRunItWasThoughNamesHaveQuotes) {
  TraceText text({"a \"program\"", "remap:hints.cb=\"x\\y\"", 8, 2});
  text.go_to({1, 4, 0});
  text.name_host("node \"1\"");
  text.name_lane(3, 0.25);
  text.end();
  const Json trace = Json::parse(text.take());
  EXPECT_EQ(trace["otherData"],
            Json({{"producer", "a \"program\""}, {"strategy", "remap:hints.cb=\"x\\y\""}, {"ranks", 8}, {"hosts", 2}}));
  ASSERT_EQ(trace["traceEvents"].size(), 3);
  EXPECT_EQ(trace["traceEvents"][0]["args"]["name"], "node \"1\"");
  EXPECT_EQ(trace["traceEvents"][1]["args"], Json({{"name", "rank 4"}, {"dropped", 3}, {"clock_ahead_seconds", 0.25}}));
}

TEST(TraceText, GivesEachLaneNumbersFromOne) {
  const Json writer = event(Step::write, 7, -1);
  EXPECT_EQ(writer["pid"], 2);
  EXPECT_EQ(writer["tid"], 12);
  EXPECT_EQ(writer["ts"], 500000.0);
  EXPECT_EQ(writer["dur"], 250000.0);
}

TEST(TraceText, CountsRecordsInPutsAndUnitsElsewhere) {
  EXPECT_EQ(event(Step::put, 7, 80)["args"], Json({{"record", 7}, {"bytes", 80}}));
  EXPECT_EQ(event(Step::write, 7, -1)["args"], Json({{"unit", 7}}));
  EXPECT_FALSE(event(Step::commit, -1, -1).contains("args"));
}

TEST(TraceText, IsGivenOutOnce) {
  TraceText text({"weir", "remap", 1, 1});
  text.go_to({0, 0, 0});
  const std::string head = text.take();
  text.name_lane(0, 0);
  text.add({0, 0, {.peer = 3}, static_cast<std::uint8_t>(Mark::assigned), 1}, {"\"temp\"", "\"a.nc\""});
  text.end();
  const Json trace = Json::parse(head + text.take());
  EXPECT_EQ(trace["traceEvents"][2]["ph"], "i");
  EXPECT_EQ(trace["traceEvents"][2]["args"], Json({{"variable", "temp"}, {"file", "a.nc"}, {"peer", 3}}));
}

}  // namespace
}  // namespace weir
