// SPDX-License-Identifier: Apache-2.0
#include "base/trace.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace weir {
namespace {

constexpr auto step_of(const TraceEvent& event) {
  return static_cast<Step>(event.kind);
}

void work(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

TEST(Trace, KeepsNothingUntilItIsStarted) {
  Trace trace;
  double seconds = 0;
  {
    const Span span(trace.main(), Step::write, seconds);
    trace.main().mark(Mark::assigned);
    work(2);
  }
  EXPECT_FALSE(trace.on());
  EXPECT_TRUE(trace.main().events().empty());
  EXPECT_EQ(trace.main().dropped(), 0);
  EXPECT_GE(seconds, 0.002);
}

TEST(Trace, SpanAddsTheSameSecondsToSumAndTrace) {
  Trace trace;
  trace.start(8);
  double seconds = 1;
  {
    Span span(trace.main(), Step::put, seconds, {.number = 3, .bytes = 400, .file = 1, .var = 2});
    span.detail().peer = 5;
    work(2);
  }
  ASSERT_EQ(trace.main().events().size(), 1U);
  const TraceEvent& event = trace.main().events()[0];
  EXPECT_EQ(step_of(event), Step::put);
  EXPECT_EQ(event.is_mark, 0);
  EXPECT_NEAR(seconds - 1, event.end - event.begin, 1e-12);
  EXPECT_EQ(event.detail.number, 3);
  EXPECT_EQ(event.detail.bytes, 400);
  EXPECT_EQ(event.detail.file, 1);
  EXPECT_EQ(event.detail.var, 2);
  EXPECT_EQ(event.detail.peer, 5);
  EXPECT_TRUE(trace.writer().events().empty());
}

TEST(Trace, SpanForTheTraceAloneAddsToNoSum) {
  Trace trace;
  { const Span span(trace.main(), Step::put, {.number = 1}); }
  trace.start(8);
  { const Span span(trace.main(), Step::put, {.number = 2}); }
  ASSERT_EQ(trace.main().events().size(), 1U);
  EXPECT_EQ(trace.main().events()[0].detail.number, 2);
  EXPECT_GT(trace.main().events()[0].begin, 0.0);
}

// Spans opened and closed as calls are: those within come first, and lie within those around them.
RC_GTEST_PROP(Trace, NestedSpansLieWithinEachOther, ()) {
  Trace trace;
  trace.start(1000);
  double seconds[step_count] = {};
  const auto shape = *rc::gen::container<std::vector<bool>>(rc::gen::arbitrary<bool>());
  std::vector<std::size_t> depths;
  std::size_t at = 0;
  const std::function<void(std::size_t)> open = [&](std::size_t depth) {
    while (at < shape.size()) {
      if (!shape[at++]) return;
      const Span span(trace.main(), static_cast<Step>(depth % step_count), seconds[depth % step_count],
                      {.number = static_cast<std::int64_t>(depth)});
      open(depth + 1);
      depths.push_back(depth);
    }
  };
  open(0);
  const auto events = trace.main().events();
  RC_ASSERT(events.size() == depths.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    RC_ASSERT(events[i].detail.number == static_cast<std::int64_t>(depths[i]));
    RC_ASSERT(events[i].begin <= events[i].end);
    if (i > 0) RC_ASSERT(events[i].end >= events[i - 1].end);
    for (std::size_t j = 0; j < i; ++j)
      RC_ASSERT(events[j].end <= events[i].begin || events[j].begin >= events[i].begin);
  }
}

TEST(Trace, AFullLaneCountsWhatItDropsAndKeepsTheBeginning) {
  Trace trace;
  trace.start(3);
  for (int i = 0; i < 10; ++i) trace.main().mark(Mark::offered, {.number = i});
  trace.writer().mark(Mark::written, {.number = 99});
  ASSERT_EQ(trace.main().events().size(), 3U);
  EXPECT_EQ(trace.main().dropped(), 7);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(trace.main().events()[i].detail.number, static_cast<std::int64_t>(i));
  ASSERT_EQ(trace.writer().events().size(), 1U);
  EXPECT_EQ(trace.writer().events()[0].is_mark, 1);
  EXPECT_EQ(trace.writer().dropped(), 0);
}

TEST(Trace, TwoThreadsRecordAtOnceAndAThirdReads) {
  constexpr int count = 20000;
  Trace trace;
  trace.start(count);
  double main_seconds = 0, writer_seconds = 0, hidden_seconds = 0;
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < count; ++i)
      const HiddenSpan span(trace, Step::write, writer_seconds, hidden_seconds, {.number = i});
  });
  std::thread reader([&] {
    while (!done) {
      const auto events = trace.writer().events();
      const auto last = static_cast<std::int64_t>(events.size()) - 1;
      EXPECT_EQ(events.empty() ? -1 : events.back().detail.number, last);
    }
  });
  for (int i = 0; i < count; ++i) const Call call(trace, main_seconds);
  writer.join();
  done = true;
  reader.join();
  EXPECT_EQ(trace.main().events().size(), static_cast<std::size_t>(count));
  EXPECT_EQ(trace.writer().events().size(), static_cast<std::size_t>(count));
  EXPECT_LE(hidden_seconds, writer_seconds);
  EXPECT_GE(hidden_seconds, 0.0);
}

TEST(CallClock, CountsTheCallThatGoesOn) {
  CallClock clock;
  EXPECT_EQ(clock.seconds(50), 0);
  EXPECT_TRUE(clock.enter(100));
  EXPECT_DOUBLE_EQ(clock.seconds(103), 3);
  EXPECT_DOUBLE_EQ(clock.began(), 100);
  clock.leave(104);
  EXPECT_DOUBLE_EQ(clock.seconds(200), 4);
  EXPECT_EQ(clock.began(), 0);
  EXPECT_TRUE(clock.enter(300));
  EXPECT_DOUBLE_EQ(clock.seconds(301), 5);
  clock.leave(310);
  EXPECT_DOUBLE_EQ(clock.seconds(1000), 14);
}

TEST(CallClock, ACallWithinACallIsPartOfIt) {
  Trace trace;
  trace.start(8);
  double seconds = 0;
  {
    const Call outer(trace, seconds);
    { const Call inner(trace, seconds); }
    work(2);
  }
  ASSERT_EQ(trace.main().events().size(), 1U);
  EXPECT_NEAR(seconds, trace.calls().seconds(now_seconds()), 1e-9);
  EXPECT_GE(seconds, 0.002);
}

TEST(HiddenSpan, WorkIsHiddenOnlyWhileTheModelIsOutsideCalls) {
  Trace trace;
  trace.start(8);
  double call_seconds = 0, busy = 0, hidden = 0;
  {
    const HiddenSpan span(trace, Step::write, busy, hidden);
    work(20);
    {
      const Call call(trace, call_seconds);
      work(30);
    }
    work(10);
  }
  EXPECT_GE(call_seconds, 0.03);
  EXPECT_GE(hidden, 0.03);
  EXPECT_NEAR(hidden + call_seconds, busy, 0.005);
  EXPECT_EQ(trace.writer().events().size(), 1U);
}

TEST(HiddenSpan, NothingIsHiddenWithinACall) {
  Trace trace;
  double call_seconds = 0, busy = 0, hidden = 0;
  {
    const Call call(trace, call_seconds);
    const HiddenSpan span(trace, Step::write, busy, hidden);
    work(5);
  }
  EXPECT_GE(busy, 0.005);
  EXPECT_NEAR(hidden, 0, 1e-9);
}

TEST(Trace, EveryStepAndMarkHasANameOfItsOwn) {
  std::vector<std::string> names;
  for (int i = 0; i < step_count; ++i) names.emplace_back(name(static_cast<Step>(i)));
  for (int i = 0; i <= static_cast<int>(Mark::full); ++i) names.emplace_back(name(static_cast<Mark>(i)));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& each : names) EXPECT_FALSE(each.empty());
}

}  // namespace
}  // namespace weir
