// SPDX-License-Identifier: Apache-2.0
// Fibers go on where they have left, in the order in which what they wait for happens; an exception of one ends the
// run, and what the others have on their stacks is destroyed.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "simulate/engine.hpp"

namespace weir::simulate {
namespace {

int sum_up(Engine& engine, int depth) {
  engine.pause(0.5);
  return depth == 0 ? 0 : depth + sum_up(engine, depth - 1);
}

TEST(Fiber, WaitsAnywhereInItsText) {
  Engine engine;
  int sum = 0;
  engine.start([&] { sum = sum_up(engine, 9); });
  EXPECT_EQ(sum, 0);
  engine.run();
  EXPECT_EQ(sum, 45);
  EXPECT_EQ(engine.now(), 5.0);
}

TEST(Fiber, GoesOnInTheOrderOfTimesAndSignals) {
  Engine engine;
  Signal signal(engine);
  std::string order;
  for (const char name : {'a', 'b', 'c'})
    engine.start([&, name] {
      signal.wait();
      order += name;
      engine.pause(name == 'a' ? 2 : 1);
      order += name;
    });
  engine.start([&] {
    engine.until(3);
    order += '!';
    signal.tell();
    order += '.';
  });
  engine.run();
  EXPECT_EQ(order, "!.abcbca");
}

TEST(Fiber, BeginsAnotherAndComesBackToItself) {
  Engine engine;
  std::string order;
  engine.start([&] {
    order += '1';
    engine.start([&] {
      order += '2';
      engine.pause(1);
      order += '4';
    });
    order += '3';
    engine.pause(2);
    order += '5';
  });
  engine.run();
  EXPECT_EQ(order, "12345");
}

// As many as ranks of a large machine, twice: stacks are used again.
TEST(Fiber, ThereMayBeTensOfThousands) {
  Engine engine;
  std::vector<int> seen(40000);
  for (int turn = 0; turn < 2; ++turn) {
    for (int& each : seen)
      engine.start([&] {
        engine.pause(1);
        ++each;
      });
    engine.run();
  }
  EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), 80000);
}

TEST(Fiber, AnExceptionEndsTheRunAndIsThrownThere) {
  Engine engine;
  bool went_on = false;
  engine.start([&] {
    engine.pause(2);
    went_on = true;
  });
  engine.start([&] {
    engine.pause(1);
    throw Error(WEIR_EARGUMENT, "of a fiber");
  });
  EXPECT_THROW(engine.run(), Error);
  EXPECT_FALSE(went_on);
}

TEST(Fiber, WhatItHasOnItsStackIsDestroyedAtItsEnd) {
  const auto held = std::make_shared<int>(0);
  Engine engine;
  Signal never(engine);
  for (int i = 0; i < 20; ++i)
    engine.start([&, held] {
      const std::vector<std::shared_ptr<int>> mine(3, held);
      never.wait();
    });
  engine.run();
  EXPECT_EQ(held.use_count(), 1 + 20 + 60 + 0);
  engine.end_fibers();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Fiber, OnlyItMayWait) {
  Engine engine;
  EXPECT_THROW(engine.pause(1), Error);
  EXPECT_THROW(Signal(engine).wait(), Error);
}

}  // namespace
}  // namespace weir::simulate
