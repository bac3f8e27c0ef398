// SPDX-License-Identifier: Apache-2.0
// The background writer: what waits is written in its order, nothing before it may be and nothing that was dropped,
// and who hears that a pending write is done hears which is the oldest then.
#include "flow/background_writer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <numeric>

namespace weir {
namespace {

// Ends where nothing waits.
struct Line final : BackgroundWriter {
  using BackgroundWriter::BackgroundWriter;
  void run() {
    while (write_next()) {
    }
  }
  void add(PendingWrite& pending) override { enqueue(pending); }
  void notify() override {}
  void await(const PendingWrite&) override {}
  void drop() override { drop_waiting(); }
  void pause(const std::function<void()>& change) override { change(); }
  bool stopping() const noexcept override { return false; }

  std::uint32_t dropped_at = 0;  // all are, when this one was found ready
  int sleeps = 0;

 private:
  PendingWrite* next() override { return oldest(); }
  void sleep(const PendingWrite&) override { ++sleeps; }
  bool begin(PendingWrite& pending) override {
    if (pending.cycle == dropped_at) drop();
    return take(pending);
  }
  void end(PendingWrite& pending) override { finish(pending); }
};

RC_GTEST_PROP(BackgroundWriter, WritesInOrderWhatMayBe, ()) {
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 20);
  auto early_looks = *rc::gen::container<std::vector<int>>(count, rc::gen::inRange(0, 4));  // before it may be written
  const auto dropped_at = *rc::gen::inRange<std::uint32_t>(0, count + 1);
  const std::uint32_t last = dropped_at > 0 ? dropped_at - 1 : count;  // that is written
  const int sleeps =
      std::accumulate(early_looks.begin(), early_looks.begin() + (dropped_at > 0 ? dropped_at : count), 0);

  std::deque<PendingWrite> pending(count);
  std::vector<std::uint32_t> written, oldest_then;
  const BackgroundWriter::Work work{[&](const PendingWrite& each) { return --early_looks[each.cycle - 1] < 0; },
                                    [&](PendingWrite& each) {
                                      RC_ASSERT(!each.done);
                                      written.push_back(each.cycle);
                                    },
                                    [&](const PendingWrite* next) {
                                      RC_ASSERT(pending[written.back() - 1].done);
                                      oldest_then.push_back(next ? next->cycle : 0);
                                    }};
  Line line(work);
  line.dropped_at = dropped_at;
  for (std::uint32_t i = 0; i < count; ++i) {
    pending[i].cycle = i + 1;
    line.add(pending[i]);
  }
  line.run();
  RC_ASSERT(written.size() == last);
  for (std::uint32_t i = 0; i < last; ++i) {
    RC_ASSERT(written[i] == i + 1);
    RC_ASSERT(oldest_then[i] == (i + 1 < count ? i + 2 : 0));
  }
  RC_ASSERT(line.sleeps == sleeps);
  for (std::uint32_t i = last; i < count; ++i) RC_ASSERT(!pending[i].done);
}

}  // namespace
}  // namespace weir
