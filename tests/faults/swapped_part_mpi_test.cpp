// ranks: 1 4
// SPDX-License-Identifier: Apache-2.0
// A part file whose name stands for another file when it is laid out anew for one more variable: an error on all ranks,
// and both files stay as they are.
#include <fstream>
#include <iterator>

#include "faults/faults.hpp"

namespace faults {
namespace {

using SwappedPart = FaultTest;

TEST_F(SwappedPart, IsLeftAlone) {
  const std::string part = path("file.nc.0000"), archived = path("archived.nc"), foreign = "another program's data";
  start("strategy: file_per_rank\n");
  weir_file* file = begin();
  ASSERT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
  ASSERT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
  std::string committed;
  if (rank_ == 0) {
    std::filesystem::rename(part, archived);
    committed = contents(archived);
    std::ofstream(part) << foreign;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const std::vector<short> mask(12, 1);
  const Outcome outcome = last_error([&] { return weir_put(file, mask_, 0, rows_, WEIR_SHORT, mask.data()); },
                                     [&] { return weir_close(file); });
  expect_same(outcome, WEIR_EIO, {"file.nc.0000", "is no longer the file"});
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) {
    EXPECT_EQ(contents(part), foreign);
    EXPECT_EQ(contents(archived), committed);
  }
  end();
}

}  // namespace
}  // namespace faults
