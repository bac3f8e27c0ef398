// SPDX-License-Identifier: Apache-2.0
// Tasks: results and errors come to who awaits them, what does not suspend is a call, and its frames are used again.
#include "base/task.hpp"

#include <gtest/gtest.h>

#include "counted_new.hpp"

namespace weir {
namespace {

struct Later {  // what somebody else resumes
  std::coroutine_handle<> who;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { who = waiter; }
  void await_resume() const noexcept {}
};

Task<bool> is_even(int number) {
  if (number < 0) throw Error(WEIR_EARGUMENT, "below zero");
  co_return number % 2 == 0;
}

Task<> count_even(int most, int& count) {
  for (int number = 0; number < most; ++number) {
    const bool even = co_await is_even(number);
    if (even) ++count;
  }
}

TEST(Task, ResultsComeToWhoAwaitsThem) {
  int count = 0;
  count_even(9, count).run_through();
  EXPECT_EQ(count, 5);
  EXPECT_FALSE(is_even(3).run_through());
  EXPECT_TRUE(Task<bool>::of(true).run_through());
  Task<>::nothing().run_through();
}

Task<> pass_on() {
  static_cast<void>(co_await is_even(-1));
}

TEST(Task, ErrorsComeToWhoAwaitsThem) {
  EXPECT_THROW(pass_on().run_through(), Error);
}

Task<bool> wait_twice(Later& later) {
  co_await later;
  co_await later;
  co_return true;
}

TEST(Task, SuspendsAndGoesOn) {
  struct Nobody final : TaskFailures {
    void fail(std::exception_ptr) noexcept override { FAIL(); }
  } nobody;
  Later later;
  Task<bool> task = wait_twice(later);
  task.start(nobody);
  EXPECT_FALSE(task.done());
  later.who.resume();
  EXPECT_FALSE(task.done());
  later.who.resume();
  EXPECT_TRUE(task.done());
  EXPECT_TRUE(task.await_resume());
}

TEST(Task, IsNoCallWhereItSuspends) {
  Later later;
  EXPECT_THROW(wait_twice(later).run_through(), Error);
}

TEST(Task, AllocatesNothingInItsStride) {
  int count = 0;
  count_even(10, count).run_through();
  const long before = allocations;
  count_even(10000, count).run_through();
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace weir
