// SPDX-License-Identifier: Apache-2.0
// The memory of a job, as systems with control groups of both versions describe it.
#include "base/host_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace weir {
namespace {

namespace fs = std::filesystem;

class HostMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "host_memory.XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  const std::int64_t all_ = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  fs::path root_;
};

TEST_F(HostMemoryTest, IsTheHostsWhereNothingLimitsIt) {
  EXPECT_EQ(usable_memory_bytes(root_), all_) << "no control groups";
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.max", "max\n");
  EXPECT_EQ(usable_memory_bytes(root_), all_) << "a group without a limit";
  write("proc/self/cgroup", "4:memory:/job\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(usable_memory_bytes(root_), all_) << "as version 1 says it";
}

TEST_F(HostMemoryTest, IsTheLeastLimitOfAllGroups) {
  write("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  write("sys/fs/cgroup/slurm/job_7/memory.max", "1048576\n");
  write("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
  EXPECT_EQ(usable_memory_bytes(root_), 1048576) << "of the job, which the step is part of";
  write("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "4096\n");
  EXPECT_EQ(usable_memory_bytes(root_), 4096);
}

TEST_F(HostMemoryTest, KnowsBothVersions) {
  write("proc/self/cgroup", "9:cpu,cpuacct:/a\n4:hugetlb,memory:/job\n0::/\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "8192\n");
  EXPECT_EQ(usable_memory_bytes(root_), 8192);
}

// The path is the host's, and the container's root of groups has its limit.
TEST_F(HostMemoryTest, KnowsAContainersLimit) {
  write("proc/self/cgroup", "0::/machine/container_3\n");
  write("sys/fs/cgroup/memory.max", "65536\n");
  EXPECT_EQ(usable_memory_bytes(root_), 65536);
}

}  // namespace
}  // namespace weir
