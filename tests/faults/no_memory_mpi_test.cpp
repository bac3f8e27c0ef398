// ranks: 1 4
// alone: its own operator new
// SPDX-License-Identifier: Apache-2.0
// The machine has no memory left while a file is made or opened, while tiles are packed, or while HDF5's tables are
// entered: whoever writes, and in whatever thread, all ranks are told the same, and the file stays at its last commit.
#include <dlfcn.h>

#include <atomic>
#include <string_view>

#include "faults/strategies.hpp"
#include "own_new.hpp"

namespace {

// What the program asks for is refused from this size on, by any thread; 0: nothing is.
std::atomic<std::size_t> refused_from{0};
// What HDF5's module asks for is refused once, after so many more; below 0: it is not.
std::atomic<long> given_to_module{-1};
// Of requests for `much` and more, by any thread, one is refused, after so many more; below 0: none is.
constexpr std::size_t much = 1 << 12;
std::atomic<long> much_given{-1};
std::atomic<int> refusals{0};
// As refused_from, of this thread alone.
thread_local std::size_t refused_to_thread_from = 0;

bool of_module(const void* caller) {
  Dl_info library{};
  return ::dladdr(caller, &library) != 0 && library.dli_fname &&
         std::string_view(library.dli_fname).find("libweir_netcdf4_") != std::string_view::npos;
}

bool refused(std::size_t bytes, const void* caller) {
  const std::size_t least = refused_from;
  if (least > 0 && bytes >= least) return ++refusals, true;
  if (refused_to_thread_from > 0 && bytes >= refused_to_thread_from) return ++refusals, true;
  if (bytes >= much && much_given >= 0 && much_given-- == 0) return ++refusals, true;
  if (given_to_module < 0 || !of_module(caller) || --given_to_module >= 0) return false;
  return ++refusals, true;
}

}  // namespace

// HDF5's module is asked of, too.
bool own_new::granted(std::size_t bytes, const void* caller) noexcept {
  return !refused(bytes, caller);
}

namespace faults {
namespace {

constexpr std::int64_t columns = 1 << 16;  // of float: a rank's two rows have half a MiB, which one chunk may hold
constexpr std::size_t large_text = 1 << 18;
constexpr std::size_t packing_wants = 1 << 17;  // and nothing else of so small a model

struct Way {
  std::string name, config;
  int mode;
};

// An attribute that takes more than all else of the definitions.
int put_large_text(weir_file* file) {
  const std::string text(large_text, 't');
  return weir_put_att(file, WEIR_GLOBAL, "history", WEIR_CHAR, std::ssize(text), text.data());
}

int refusals_of(MPI_Comm ranks) {
  int count = refusals;
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, ranks);
  return count;
}

class NoMemory : public FaultTest {
 protected:
  void TearDown() override {
    refused_from = 0;
    given_to_module = -1;
    FaultTest::TearDown();
  }
  // As define(), and a field that is larger than all others, and compressed.
  weir_file* begin_with_field(int mode) {
    weir_file* file = create("file.nc", mode);
    define(file);
    int dims[3];
    EXPECT_EQ(weir_inq_dimid(file, "time", &dims[0]), WEIR_OK);
    EXPECT_EQ(weir_inq_dimid(file, "y", &dims[1]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file, "columns", columns, &dims[2]), WEIR_OK);
    EXPECT_EQ(weir_def_var(file, "field", WEIR_FLOAT, 3, dims, &field_), WEIR_OK);
    EXPECT_EQ(weir_def_var_deflate(file, field_, 1, 1, 1), WEIR_OK);
    EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
    rows_ = layout_of(2 * rank_, 2);
    const std::int64_t shape[] = {2 * ranks_, columns}, at[] = {2 * rank_, 0}, count[] = {2, columns};
    EXPECT_EQ(weir_def_layout(weir_, 2, shape, 1, at, count, nullptr, &wide_), WEIR_OK);
    return file;
  }
  int put_wide(weir_file* file, std::int64_t record) {
    return weir_put(file, field_, record, wide_, WEIR_FLOAT, values_.data());
  }

  int field_ = -1, wide_ = -1;
  const std::vector<float> values_ = std::vector<float>(2 * columns, 1.5F);
};

class NoMemoryToPack : public NoMemory, public testing::WithParamInterface<Way> {};

std::vector<Way> ways() {
  std::vector<Way> all;
  for (const auto& [format, mode] : {std::pair("netcdf4", WEIR_NETCDF4), std::pair("zarr", WEIR_ZARR)})
    for (const char* strategy : {"remap", "dynamic"})
      for (const char* overlap : {"none", "background"})
        all.push_back({std::string(format) + "_" + strategy + "_" + overlap,
                       std::string("timeout: 60\nstrategy: ") + strategy + "\noverlap: " + overlap + "\n", mode});
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, NoMemoryToPack, testing::ValuesIn(ways()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(NoMemoryToPack, FailsTheFileOnAllRanks) {
  start(GetParam().config);
  weir_file* file = begin_with_field(GetParam().mode);
  ASSERT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
  ASSERT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
  MPI_Barrier(team_);
  refusals = 0;
  refused_from = packing_wants;
  const Outcome outcome = last_error([&] { return put_wide(file, 1); }, [&] { return weir_sync(file); });
  refused_from = 0;
  EXPECT_GT(refusals_of(team_), 0);
  expect_same(outcome, WEIR_EMEMORY, {"rank ", "writing of", "\"field\"", "out of memory"});
  EXPECT_EQ(weir_close(file), WEIR_EMEMORY);
  expect_good_file(1);
}

// Each of what HDF5's module asks for in a commit is refused in turn.
TEST_F(NoMemory, WhileTablesAreEnteredFailsTheCommitOnAllRanks) {
  start("strategy: remap\ntimeout: 20\n");
  int told = 0;
  for (int given = 0;; ++given) {
    weir_file* file = begin_with_field(WEIR_NETCDF4);
    ASSERT_EQ(put_wide(file, 0), WEIR_OK) << weir_error(weir_);
    refusals = 0;
    if (rank_ == 0) given_to_module = given;
    const Outcome outcome = last_error([&] { return weir_sync(file); });
    given_to_module = -1;
    const bool happened = refusals_of(team_) > 0;
    EXPECT_TRUE(outcome.code == WEIR_OK || outcome.code == WEIR_EMEMORY || outcome.code == WEIR_EFORMAT)
        << outcome.message;
    expect_same(outcome, outcome.code, {});
    EXPECT_EQ(weir_close(file), outcome.code);
    told += outcome.code == WEIR_EMEMORY;
    if (!happened || HasFailure()) break;
  }
  EXPECT_GT(told, 0);
}

class NoMemoryToMake : public StrategyTest {
 protected:
  void TearDown() override {
    much_given = -1;
    StrategyTest::TearDown();
  }
  // Whether rank 0 was refused something, of size, after `given` more of it.
  bool refused_after(int given, int mode) {
    weir_file* file = create("file.nc", mode);
    define(file);
    EXPECT_EQ(put_large_text(file), WEIR_OK) << weir_error(weir_);
    refusals = 0;
    if (rank_ == 0) much_given = given;
    const Outcome outcome = last_error([&] { return weir_enddef(file); });
    much_given = -1;
    const bool happened = refusals_of(team_) > 0;
    expect_same(outcome, happened ? WEIR_EMEMORY : WEIR_OK, {happened ? "out of memory" : ""});
    EXPECT_EQ(weir_sync(file), outcome.code);
    EXPECT_EQ(weir_close(file), happened ? WEIR_EMEMORY : WEIR_OK);
    expect_files(happened ? std::set<std::string>{} : std::set<std::string>{"file.nc"});
    MPI_Barrier(team_);
    if (rank_ == 0) fs::remove_all(path());
    MPI_Barrier(team_);
    return happened;
  }
};
INSTANTIATE_TEST_SUITE_P(All, NoMemoryToMake, testing::Values("remap", "servers"), strategy_name);

// Whatever of size rank 0 asks for is refused in turn, before and after the others, and servers, hear of a file.
TEST_P(NoMemoryToMake, IsToldToAllRanks) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy("timeout: 20\n")) return;
  for (const int mode : {WEIR_CDF5, WEIR_NETCDF4, WEIR_ZARR}) {
    int told = 0;
    for (bool happened = true; happened && !HasFailure(); told += happened) {
      SCOPED_TRACE("mode " + std::to_string(mode) + ", after " + std::to_string(told));
      happened = refused_after(told, mode);
    }
    EXPECT_GT(told, 2) << "mode " << mode;
  }
}

// What rank 0 does for all of them, in its own thread.
TEST_F(NoMemory, ForDefinitionsThatAreReadIsToldToAllRanks) {
  start("timeout: 20\n");
  weir_file* file = create();
  define(file);
  ASSERT_EQ(put_large_text(file), WEIR_OK) << weir_error(weir_);
  ASSERT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
  ASSERT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  const auto open = [&] { return weir_open(weir_, path().c_str(), WEIR_NOWRITE, &file); };
  if (rank_ == 0) refused_to_thread_from = large_text;
  const Outcome outcome = last_error(open);
  refused_to_thread_from = 0;
  expect_same(outcome, WEIR_EMEMORY, {"out of memory"});
  ASSERT_EQ(open(), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

}  // namespace
}  // namespace faults
