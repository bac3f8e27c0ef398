// SPDX-License-Identifier: Apache-2.0
// ranks: 2 4 8
// Who the control process is and when it comes back, what the configuration changes about it, several communicators,
// and the interface in C++.
#include <chrono>
#include <fstream>
#include <thread>

#include "cfio2/fixture.hpp"

namespace cfio2_tests {
namespace {

using ControlTest = ProgramTest;

bool keeps_servers() {
  const char* strategy = std::getenv("WEIR_STRATEGY");
  return strategy != nullptr && std::string(strategy) == "servers";
}

const Variable temperature{"temperature", {"z", "y", "x"}, {3, 14, 5}};

TEST_F(ControlTest, TheControlProcessComesBackWhenTheOthersHaveEnded) {
  const auto begin = std::chrono::steady_clock::now();
  run([&] {
    put_ok(path(), temperature, 1, false);
    if (rank_ == ranks_ - 1) std::this_thread::sleep_for(std::chrono::milliseconds(600));
  });
  EXPECT_GT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(500));
  // At once, and without a barrier: the file is whole when the control process is back.
  expect_ok(cfio2_init(MPI_COMM_WORLD, 2, 2), "cfio2_init");
  if (cfio2_control_process(MPI_COMM_WORLD)) {
    expect_values(path("second.nc"), temperature, 2);
    // What it calls all the same does nothing.
    expect_ok(put(path("second.nc"), temperature, 9, false), "a put of the control process");
    expect_ok(cfio2_put_att_text(MPI_COMM_WORLD, "second.nc", "", "title", "none"), "an attribute");
    expect_ok(cfio2_wait_output(MPI_COMM_WORLD), "cfio2_wait_output");
    expect_values(path("second.nc"), temperature, 2);
  } else {
    put_ok(path("second.nc"), temperature, 2, false);
  }
  expect_ok(cfio2_finalize(MPI_COMM_WORLD), "cfio2_finalize");
}

// As the C++ programs of CFIO2 do: the control process never comes to cfio2_finalize.
TEST_F(ControlTest, TheControlProcessMayLeaveOutTheEnd) {
  for (int run = 0; run < 2; ++run) {
    expect_ok(cfio2_init(MPI_COMM_WORLD, 10, 2), "cfio2_init");
    if (rank_ > 0) {
      put_ok(path(), temperature, run, false);
      expect_ok(cfio2_finalize(MPI_COMM_WORLD), "cfio2_finalize");
    }
    expect_values(path(), temperature, run);
  }
}

TEST_F(ControlTest, HostedControlKeepsNobody) {
  if (keeps_servers()) GTEST_SKIP() << "servers are kept whatever the control";
  const Setting control("WEIR_CONTROL", "hosted");
  hosted_ = true;
  run([&] {
    put_ok(path(), temperature, 1, false);
    put_ok(path(), temperature, 2, true);
  });
  expect_values(path(), temperature, 2);
}

TEST_F(ControlTest, AConfigurationFileCounts) {
  if (keeps_servers()) GTEST_SKIP() << "servers are kept whatever the control";
  if (rank_ == 0) std::ofstream(path("weir.yaml")) << "# a comment\ncontrol: hosted\nbuffer_limit: 1MiB\n";
  MPI_Barrier(MPI_COMM_WORLD);
  const Setting config("WEIR_CONFIG", path("weir.yaml").c_str());
  hosted_ = true;
  run([&] { put_ok(path(), temperature, 1, false); });
  expect_values(path(), temperature, 1);
}

// Part files are put whole or not at all: a variable that comes late is refused.
TEST_F(ControlTest, PartFiles) {
  const Setting strategy("WEIR_STRATEGY", "file_per_rank");
  const Variable salt{"salt", {"z", "y", "x"}, {3, 14, 5}}, late{"late", {"x"}, {5}};
  const Variable flow{"flow", {"time", "x"}, {0, 5}};
  run([&] {
    put_ok(path(), flow, 1, false, 0);
    put_ok(path("other.nc"), temperature, 1, false);
    put_ok(path(), salt, 2, true);
    expect_ok(cfio2_wait_output(MPI_COMM_WORLD), "cfio2_wait_output");
    put_ok(path(), flow, 2, true, 1);
    put_ok(path(), late, 3, true);
    EXPECT_EQ(cfio2_wait_output(MPI_COMM_WORLD), WEIR_ESTATE);
    EXPECT_NE(std::string(cfio2_error()).find("part files"), std::string::npos) << cfio2_error();
    put_ok(path(), flow, 2, true, 1);
    EXPECT_EQ(cfio2_wait_output(MPI_COMM_WORLD), WEIR_ESTATE);
    EXPECT_NE(std::string(cfio2_error()).find("merge them first"), std::string::npos) << cfio2_error();
  });
  EXPECT_TRUE(std::filesystem::exists(path("file.nc.0000")) && std::filesystem::exists(path("other.nc.0000")));
}

// Two programs beside each other, with the same names.
TEST_F(ControlTest, ACommunicatorEach) {
  if (ranks_ < 4) GTEST_SKIP() << "needs 2 ranks on each of two communicators";
  MPI_Comm half = MPI_COMM_NULL;
  const int color = rank_ % 2;
  MPI_Comm_split(MPI_COMM_WORLD, color, rank_, &half);
  int part = 0, parts = 0;
  MPI_Comm_rank(half, &part);
  MPI_Comm_size(half, &parts);
  const std::string file = path("half" + std::to_string(color) + ".nc");
  expect_ok(cfio2_init(half, 1, 1), "cfio2_init");
  EXPECT_EQ(cfio2_control_process(half), part == 0);
  if (part > 0) {
    EXPECT_EQ(cfio2_wait_output(MPI_COMM_WORLD), WEIR_ESTATE);
    const int global[] = {parts - 1}, start[] = {part - 1}, count[] = {1};
    const char* const dims[] = {"part"};
    const int value = element(part - 1, color);
    expect_ok(cfio2_put_vara(half, file, "v", cfio2_data_type_int, dims, global, start, count, &value, 0), "a put");
  }
  expect_ok(cfio2_finalize(half), "cfio2_finalize");
  MPI_Barrier(MPI_COMM_WORLD);
  for (int c = 0; c < 2; ++c)
    expect_values(path("half" + std::to_string(c) + ".nc"), {"v", {"part"}, {ranks_ / 2 - 1}}, c);
  MPI_Comm_free(&half);
}

// Texts are std::string, and behind pointers three entries count, or fewer where the names end.
void put_of_pointers(const std::string* names, int* global, int* start, int* count, const std::string& file, int seed) {
  const std::vector<double> values(4, element(0, seed));
  EXPECT_EQ(cfio2_put_vara(MPI_COMM_WORLD, file, "p" + std::to_string(seed), cfio2_data_type_double, names, global,
                           start, count, values.data(), 1),
            WEIR_OK)
      << cfio2_error();
}

TEST_F(ControlTest, TheInterfaceInCpp) {
  run([&] {
    int global[3] = {1, 1, 4}, start[3] = {0, 0, 0}, count[3] = {1, 1, 4};
    std::string three[3] = {"a", "b", "c"}, two[3] = {"a", "b", ""};
    put_of_pointers(three, global, start, count, path(), 3);
    int global_2[] = {1, 4}, start_2[] = {0, 0}, count_2[] = {1, 4};
    std::string names[] = {"a", "c"}, one[] = {"c"};
    const char* four[] = {"a", "b", "c", "e"};
    int global_4[] = {1, 1, 4, 1}, start_4[] = {0, 0, 0, 0}, count_4[] = {1, 1, 4, 1}, four_long[] = {4};
    const std::vector<double> values(4, element(0, 1));
    const auto expect = [&](int code) { EXPECT_EQ(code, WEIR_OK) << cfio2_error(); };
    expect(cfio2_put_vara(MPI_COMM_WORLD, path(), "two", cfio2_data_type_double, names, global_2, start_2, count_2,
                          values.data(), 1));
    expect(cfio2_put_vara(MPI_COMM_WORLD, path().c_str(), "four", cfio2_data_type_double, four, global_4, start_4,
                          count_4, values.data(), 1));
    expect(cfio2_put_vara(MPI_COMM_WORLD, path(), std::string("one"), cfio2_data_type_double, one, four_long, start_2,
                          four_long, values.data(), true));
    int global_0[] = {1, 1};
    put_of_pointers(two, global_0, start_2, global_0, path(), 2);
  });
  if (rank_ != 0) return;
  int file = -1;
  ASSERT_EQ(ncmpi_open(MPI_COMM_SELF, path().c_str(), NC_NOWRITE, MPI_INFO_NULL, &file), NC_NOERR);
  const std::pair<const char*, int> wanted[] = {{"p3", 3}, {"two", 2}, {"four", 4}, {"one", 1}, {"p2", 2}};
  for (const auto& [name, ndims] : wanted) {
    int var = -1, found = -1;
    ASSERT_EQ(ncmpi_inq_varid(file, name, &var), NC_NOERR) << name;
    ncmpi_inq_varndims(file, var, &found);
    EXPECT_EQ(found, ndims) << name;
  }
  ncmpi_close(file);
}

}  // namespace
}  // namespace cfio2_tests
