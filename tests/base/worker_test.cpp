// SPDX-License-Identifier: Apache-2.0
#include "base/worker.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <thread>

namespace weir {
namespace {

using namespace std::chrono_literals;

TEST(Worker, DoesWhatIsWantedAndTells) {
  int wanted = 0, done = 0;
  Worker worker;
  EXPECT_FALSE(worker.begun());
  EXPECT_TRUE(worker.abandon());  // nothing has begun
  worker.begin([&](Worker::Lock& lock) {
    while (worker.sleep(lock, [&] { return done < wanted; })) {
      ++done;
      worker.wake_waiters();
    }
  });
  for (int i = 0; i < 100; ++i) {
    worker.change([&] { ++wanted; });
    auto lock = worker.lock();
    EXPECT_TRUE(worker.await(lock, 1min, [&] { return done == wanted; }));
    EXPECT_FALSE(worker.await(lock, 0ms, [&] { return done > wanted; }));
  }
  worker.stop();
  EXPECT_FALSE(worker.begun());
  EXPECT_EQ(done, 100);
}

TEST(Worker, SleepsForATimeAtTheMost) {
  int turns = 0;
  Worker worker([&](Worker::Lock& lock) {
    while (worker.sleep(lock, 1ms, [] { return false; })) {
      ++turns;
      worker.wake_waiters();
    }
  });
  {
    auto lock = worker.lock();
    EXPECT_TRUE(worker.await(lock, 1min, [&] { return turns > 3; }));
  }
  EXPECT_TRUE(worker.abandon());
}

TEST(Worker, EndsBeforeWhatItKnows) {
  bool ended = false;
  {
    const Worker worker([&](Worker::Lock& lock) {
      lock.unlock();
      std::this_thread::sleep_for(10ms);
      lock.lock();
      ended = true;
    });
  }
  EXPECT_TRUE(ended);
}

// As in a system call that does not return: it keeps what it knows.
TEST(Worker, IsAbandonedWhereItDoesNotEnd) {
  struct Kept {
    Worker worker;
  };
  std::promise<void> call;
  std::weak_ptr<Kept> there;
  {
    const auto kept = std::make_shared<Kept>();
    there = kept;
    kept->worker.begin([kept, returned = call.get_future().share()](Worker::Lock& lock) {
      lock.unlock();
      returned.wait();
      lock.lock();
    });
    EXPECT_FALSE(kept->worker.abandon());
    EXPECT_FALSE(kept->worker.begun());
    EXPECT_TRUE(kept->worker.abandon());
  }
  EXPECT_FALSE(there.expired());
  call.set_value();
  for (int looks = 0; looks < 6000 && !there.expired(); ++looks) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(there.expired());
}

}  // namespace
}  // namespace weir
