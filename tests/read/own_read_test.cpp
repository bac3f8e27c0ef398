// SPDX-License-Identifier: Apache-2.0
// Reading without tiles by range: each rank for itself, and a host's ranks by one of them. Random boxes that overlap as
// they like, in any order of axes: every rank gets each of its elements once, from no more memory than it may have.
#include "engine/own_read.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "../plan/messages.hpp"
#include "../rearrange/reference.hpp"
#include "plan/plan.hpp"
#include "plan/planner.hpp"
#include "plan/strategies.hpp"

namespace weir {
namespace {

using Memory = std::vector<std::int64_t>;

Layout random_wish(const Shape& shape, reference::Random& random) {
  Shape lo, hi;
  const bool nothing = reference::draw(random, 0, 10) == 0;
  for (const std::int64_t length : shape) {
    lo.push_back(reference::draw(random, 0, length));
    hi.push_back(nothing ? lo.back() : reference::draw(random, lo.back() + 1, length + 1));
  }
  BoxList boxes(static_cast<int>(shape.size()));
  if (Box{lo, hi}.volume() > 0) boxes.add(lo, hi);
  return reference::draw(random, 0, 3) == 0 ? reference::map_layout(shape, boxes, random)
                                            : reference::box_layout(shape, boxes, random);
}

// Not smaller in the first tests than in the last ones.
Shape large_shape(std::int64_t most) {
  const auto shape = rc::gen::exec([most] { return reference::random_shape(*rc::gen::inRange(1, 4), most); });
  return *rc::gen::resize(rc::kNominalSize, shape);
}

// What stretches of a file, whose elements are their numbers, leave in memory.
Memory read_stretches(const std::vector<Stretch>& stretches, std::int64_t elements) {
  Memory memory(static_cast<std::size_t>(elements), -1);
  for (const Stretch& stretch : stretches)
    for (std::int64_t i = 0; i < stretch.count; ++i)
      memory.at(static_cast<std::size_t>(stretch.at + i)) = stretch.element + i;
  return memory;
}

void take(const CopyProgram& program, const Memory& from, Memory& buffer) {
  reference::for_each(program, [&](std::int64_t source, std::int64_t target) {
    RC_ASSERT(buffer.at(static_cast<std::size_t>(target)) == -1);
    buffer[static_cast<std::size_t>(target)] = from.at(static_cast<std::size_t>(source));
  });
}

RC_GTEST_PROP(OwnRead, GetsEachElementOnceInBlocks, ()) {
  reference::Random random = reference::random_source();
  Shape shape = large_shape(20000);
  shape[0] *= reference::draw(random, 1, 16);  // gaps that are jumped, and not read over
  const Layout layout = random_wish(shape, random);
  const std::int64_t most = reference::draw(random, 1, 4000);
  const OwnPlan plan = plan_own(layout, 8, most * 8);
  Memory buffer(static_cast<std::size_t>(layout.buffer_length()), -1);
  std::int64_t read = 0;
  for (const OwnPlan::Block& block : plan.blocks) {
    RC_ASSERT(block.elements <= most);
    take(block.program, read_stretches(block.stretches, block.elements), buffer);
    for (const Stretch& stretch : block.stretches) read += stretch.count;
  }
  RC_ASSERT(buffer == reference::filled_buffer(layout));
  RC_ASSERT(read == plan.elements_read);
  RC_ASSERT(plan.elements_wanted == layout.elements_held());
  RC_ASSERT(read <= elements(shape));
}

TEST(OwnRead, LeavesShortRunsToOwners) {
  const Shape shape{4, 1000, 1000};
  const auto columns = [&](std::int64_t count) {
    return Layout::boxes(shape, Shape{0, 0, 7}, Shape{4, 1000, count}, {});
  };
  EXPECT_TRUE(has_long_runs(columns(16), 8));
  EXPECT_FALSE(has_long_runs(columns(15), 8));
  EXPECT_TRUE(reads_little_more(plan_own(columns(125), 8, 1 << 19), 8));  // rows of 8,000 bytes are read whole
  EXPECT_FALSE(reads_little_more(plan_own(columns(100), 8, 1 << 19), 8));
  EXPECT_TRUE(has_long_runs(Layout::boxes(shape, Shape{0, 0, 7}, Shape{4, 1000, 1}, {}), 8));  // few bytes in all
}

// One of a host's ranks reads for all of them, what they have in common once; nothing goes by message.
RC_GTEST_PROP(OwnRead, HostsReadWhatTheirRanksWant, ()) {
  reference::Random random = reference::random_source();
  const auto hosts = static_cast<int>(reference::draw(random, 1, 4)),
             each = static_cast<int>(reference::draw(random, 1, 5)), ranks = hosts * each;
  std::vector<int> leaders;
  for (int rank = 0; rank < ranks; ++rank) leaders.push_back(rank / each * each);
  const Machine machine = Machine::from_leaders(leaders);
  PlanRequest request;
  request.shape = large_shape(4000);
  request.cover = WEIR_NOFILL;
  request.read = true;
  request.rounds = static_cast<int>(reference::draw(random, 1, 4));
  request.writers = {0};
  std::vector<Layout> layouts;
  for (int rank = 0; rank < ranks; ++rank) layouts.push_back(random_wish(request.shape, random));
  request.flat = std::any_of(layouts.begin(), layouts.end(), [](const Layout& layout) { return layout.flat(); });
  if (request.flat)
    for (Layout& layout : layouts) layout = layout.flattened();
  const std::unique_ptr<Strategy> by_host = make_hosts();
  std::vector<ReadPlan> plans;
  for (const Plan& plan : reference::plan_all(machine, *by_host, request, layouts, true))
    plans.push_back(backwards(plan, static_cast<int>(plans.size()), {}));
  std::vector<Memory> buffers;
  for (const Layout& layout : layouts) buffers.emplace_back(static_cast<std::size_t>(layout.buffer_length()), -1);
  for (std::size_t round = 0; round < plans[0].rounds.size(); ++round)
    for (std::size_t rank = 0; rank < plans.size(); ++rank)
      for (const ReceiveFromOwner& taken : plans[rank].rounds[round].receives) {
        RC_ASSERT(!taken.by_message);
        RC_ASSERT(machine.same_host(taken.owner, static_cast<int>(rank)));
        const ReadRound& owned = plans[static_cast<std::size_t>(taken.owner)].rounds[round];
        take(taken.program, read_stretches(owned.stretches, owned.tile_elements), buffers[rank]);
      }
  for (std::size_t rank = 0; rank < plans.size(); ++rank)
    RC_ASSERT(buffers[rank] == reference::filled_buffer(layouts[rank]));
}

}  // namespace
}  // namespace weir
