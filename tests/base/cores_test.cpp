// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "base/host.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

// A system's own account of itself, in a folder of this test.
class Told : public ::testing::Test {
 protected:
  void SetUp() override { folder = fs::temp_directory_path() / "cores"; }
  void TearDown() override { fs::remove_all(folder); }
  static void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void thread(int process, int number, const std::string& name, const std::string& cores, bool has_memory = true) {
    write(folder / std::to_string(process) / "task" / std::to_string(number) / "status",
          "Name:\t" + name + "\nState:\tR (running)\n" + (has_memory ? "VmSize:\t 1000 kB\n" : "") +
              "Cpus_allowed:\tff\nCpus_allowed_list:\t" + cores + "\n");
  }
  fs::path folder;
};

RC_GTEST_PROP(CoreSet, IsReadAsItIsShown, (const std::vector<std::uint16_t>& numbers)) {
  CoreSet cores;
  for (const std::uint16_t number : numbers) cores.add(number % CoreSet::most);
  RC_PRE(!cores.empty());
  RC_ASSERT(CoreSet::parse(cores.text()) == cores);
  for (const std::uint16_t number : numbers) RC_ASSERT(cores.has(number % CoreSet::most));
}

TEST(CoreSet, ListsAreReadAndRefusedInWords) {
  EXPECT_EQ(CoreSet::parse("0-3,8,9").text(), "0-3,8-9");
  EXPECT_EQ((CoreSet::parse("0-3") - CoreSet::parse("1,2")).text(), "0,3");
  for (const char* wrong : {"", "x", "1-", "-1", "1,,2", "4096", "3-1", "1 2", "99999999999"})
    EXPECT_THROW(CoreSet::parse(wrong), Error) << wrong;
}

TEST(CoreSet, AThreadGoesWhereItIsBoundAndComesBack) {
  const CoreSet before = CoreSet::of_this_thread();
  ASSERT_FALSE(before.empty());
  EXPECT_TRUE(CoreSet::of_the_job().contains(before));
  EXPECT_EQ(CoreSet::of_this_thread(), before) << "asking for the job's cores moves nobody";
  CoreSet first;
  for (int core = 0; first.empty(); ++core)
    if (before.has(core)) first.add(core);
  std::thread([&] {
    EXPECT_TRUE(first.bind_this_thread());
    EXPECT_EQ(CoreSet::of_this_thread(), first);
  }).join();
  EXPECT_EQ(CoreSet::of_this_thread(), before);
}

TEST_F(Told, CoresThatSomebodyIsBoundToAreFound) {
  thread(10, 10, "model", "0-1");
  thread(10, 11, "model", "2");
  thread(20, 20, "bash", "0-7");              // anywhere
  thread(30, 30, "elsewhere", "6-9");         // in part outside this job
  thread(40, 40, "kworker/5:0", "5", false);  // the system's own
  thread(10, 12, writer_thread_name, "4");    // of a rank that has found its place before
  write(folder / "self" / "task" / "1" / "status", "Cpus_allowed_list:\t7\n");
  write(folder / "50" / "task" / "50" / "status", "Name:\tx\nVmSize:\t1 kB\nCpus_allowed_list:\t!\n");
  EXPECT_EQ(bound_cores(CoreSet::parse("0-7"), folder).text(), "0-2,6-7");
  EXPECT_TRUE(bound_cores(CoreSet::parse("0-7"), folder / "absent").empty());
}

TEST_F(Told, CoresOfTheSameSocketComeFirst) {
  for (int core = 0; core < 8; ++core)
    write(folder / ("cpu" + std::to_string(core)) / "topology" / "physical_package_id", core < 4 ? "0\n" : "1\n");
  EXPECT_EQ(near_cores(CoreSet::parse("2-6"), CoreSet::parse("0"), folder).text(), "2-3");
  EXPECT_EQ(near_cores(CoreSet::parse("4-6"), CoreSet::parse("0"), folder).text(), "4-6");
  EXPECT_EQ(near_cores(CoreSet::parse("2-6"), CoreSet::parse("0"), folder / "absent").text(), "2-6");
}

TEST(SpareCores, AreNoneWhereThisRankIsNotBoundOrOpenMpBinds) {
  const CoreSet job = CoreSet::of_the_job();
  std::thread([&] {
    ASSERT_TRUE(job.bind_this_thread());
    EXPECT_TRUE(spare_cores().empty());
    ::setenv("OMP_PROC_BIND", "close", 1);
    CoreSet first;
    for (int core = 0; first.empty(); ++core)
      if (job.has(core)) first.add(core);
    ASSERT_TRUE(first.bind_this_thread());
    EXPECT_TRUE(spare_cores().empty());
    ::unsetenv("OMP_PROC_BIND");
    EXPECT_FALSE(spare_cores().has(std::stoi(first.text())));
  }).join();
}

}  // namespace
}  // namespace weir
