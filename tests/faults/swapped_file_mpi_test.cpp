// ranks: 1 4
// SPDX-License-Identifier: Apache-2.0
// Another program moves a file away between two commits and puts one of its own under the name, or empties it: every
// rank gets an error, and what both programs have written stays.
#include <filesystem>
#include <fstream>

#include "faults/strategies.hpp"

namespace faults {
namespace {

namespace fs = std::filesystem;

const std::string strange = "another program's data";

class SwappedFile : public StrategyTest {
 protected:
  // One record that is committed; then `happens` to the file, by rank 0, and the rest is put.
  template <class Happens>
  void commit_and_go_on(Happens happens) {
    weir_file* file = begin();
    ASSERT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
    ASSERT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
    MPI_Barrier(team_);
    if (rank_ == 0) happens();
    MPI_Barrier(team_);
    const Outcome outcome = last_error([&] { return put_field(file, 1); }, [&] { return put_field(file, 2); },
                                       [&] { return weir_close(file); });
    expect_same(outcome, WEIR_EIO, {path(), "nothing more is written"});
  }
};
INSTANTIATE_TEST_SUITE_P(All, SwappedFile,
                         testing::Values("serial", "remap", "rows", "collective", "dynamic", "servers"), strategy_name);

TEST_P(SwappedFile, BothStayAsTheyAre) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  std::string committed;
  commit_and_go_on([&] {
    fs::rename(path(), path("archived.nc"));
    std::ofstream(path()) << strange;
    committed = contents(path("archived.nc"));
  });
  MPI_Barrier(team_);
  if (rank_ == 0) {
    EXPECT_EQ(contents(path()), strange);
    EXPECT_EQ(contents(path("archived.nc")).substr(0, committed.size()), committed);
  }
  expect_files({"file.nc", "archived.nc"});
}

TEST_P(SwappedFile, AnEmptiedOneIsNotCommittedTo) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  commit_and_go_on([&] { fs::resize_file(path(), 0); });
}

}  // namespace
}  // namespace faults
