// SPDX-License-Identifier: Apache-2.0
// Orders of an agent are carried out by the simulated control rank, and change nothing but times.
#include "simulate/orders.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "machines.hpp"
#include "simulate/simulation.hpp"

namespace weir::simulate {
namespace {

using tests::plain;
using tests::weak;
using tests::with;

Workload work() {
  Workload made = weak(12, 0.05, 2);
  made.variables.resize(4);
  made.compute = {0.01, 0.3, true, 1, Halo::neighbours};
  return made;
}

Result run(const Orders& orders, const std::string& more = "") {
  RunRequest request;
  request.ranks_per_node = 4;
  request.orders = orders;
  return simulate(plain(), work(), with("strategy: dynamic\ndebug.choose: arrival\ncontrol: rank" + more), request);
}

TEST(Orders, AreCarriedOutWhateverTheySay) {
  for (const int writers : {1, 2, 5, 12})
    for (int flushes = 0; flushes < 16; ++flushes) {
      Orders orders;
      for (int put = 0; put < 8; ++put) orders.push_back({(flushes >> put % 4 & 1) == 1, writers});
      const Result result = run(orders);
      EXPECT_EQ(result.bytes_written, work().bytes()) << writers << ' ' << flushes;
      EXPECT_EQ(result.cycles, 8);
    }
}

TEST(Orders, MayDifferFromPutToPut) {
  Orders orders;
  for (int put = 0; put < 8; ++put) orders.push_back({put % 3 == 0, 1 + put});
  const Result result = run(orders);
  EXPECT_EQ(result.bytes_written, work().bytes());
  EXPECT_EQ(run(orders).seconds, result.seconds);
}

TEST(Orders, MayCutMoreSlotsThanThereAreWriters) {
  const Result joined = run(Orders(8, {true, 12}), "\nsink: pnetcdf\nhints: {romio_cb_write: enable}");
  EXPECT_EQ(joined.bytes_written, work().bytes());
}

TEST(Orders, ChangeWhatARunTakes) {
  const Result one = run(Orders(8, {true, 1})), many = run(Orders(8, {true, 12}));
  EXPECT_NE(one.seconds, many.seconds);
  const Result together = run(Orders(8, {false, 1}));
  EXPECT_NE(together.seconds, one.seconds);
}

TEST(Orders, AreOneForEachPutOfDynamic) {
  EXPECT_THROW(run(Orders(7, {true, 1})), Error);
  EXPECT_THROW(run(Orders(8, {true, 0})), Error);
  EXPECT_THROW(run(Orders(8, {true, 13})), Error);
  RunRequest request;
  request.orders = Orders(8, {true, 1});
  EXPECT_THROW(simulate(plain(), work(), with("strategy: remap"), request), Error);
  EXPECT_THROW(simulate(plain(), work(), with("strategy: dynamic"), request), Error);
}

}  // namespace
}  // namespace weir::simulate
