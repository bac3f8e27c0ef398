// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/host.hpp"

namespace weir {
namespace {

TEST(MachineName, IsThatOfTheHostsKind) {
  EXPECT_EQ(machine_of_host("node17.cluster.org"), "node");
  EXPECT_EQ(machine_of_host("nid-00123"), "nid");
  EXPECT_EQ(machine_of_host("r1i2n3"), "r1i2n");
  EXPECT_EQ(machine_of_host("laptop"), "laptop");
  EXPECT_EQ(machine_of_host("42"), "42");
  EXPECT_EQ(machine_of_host("--7"), "--7");
  EXPECT_EQ(machine_of_host("a/b c"), "a-b-c");
  EXPECT_EQ(machine_of_host(""), "unnamed");
  EXPECT_EQ(machine_of_host(".org"), "unnamed");
}

TEST(MachineName, IsTheClustersWhereOneIsNamed) {
  ::unsetenv("SLURM_CLUSTER_NAME");
  ::setenv("LMOD_SYSHOST", "big machine", 1);
  EXPECT_EQ(machine_name(), "big-machine");
  ::setenv("SLURM_CLUSTER_NAME", "earth", 1);
  EXPECT_EQ(machine_name(), "earth");
  ::unsetenv("SLURM_CLUSTER_NAME");
  ::setenv("LMOD_SYSHOST", "", 1);
  EXPECT_FALSE(machine_name().empty());
  EXPECT_NE(machine_name(), "earth");
}

}  // namespace
}  // namespace weir
