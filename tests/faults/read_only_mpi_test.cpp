// ranks: 1 4 7
// SPDX-License-Identifier: Apache-2.0
// A file that may not be written is refused where it is opened to append, and not at the first flush.
#include <sys/stat.h>

#include "faults/faults.hpp"
#include "faults/held_to_permissions.hpp"

namespace faults {
namespace {

using ReadOnly = FaultTest;

TEST_F(ReadOnly, AFileToAppendToIsRefusedAtOnce) {
  start();
  make_good_file(1);
  expect_same(end(), WEIR_OK, {});
  if (rank_ == 0) ::chmod(path().c_str(), 0444);
  MPI_Barrier(MPI_COMM_WORLD);
  {
    const HeldToPermissions held;
    if (!held.worked()) GTEST_SKIP() << "this system does not let a process give up its rights";
    start();
    weir_file* file = nullptr;
    expect_same(first_error([&] { return weir_open(weir_, path().c_str(), WEIR_WRITE, &file); }), WEIR_EIO,
                {path(), "permission denied", "WEIR_NOWRITE"});
    EXPECT_EQ(weir_open(weir_, path().c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_close(file), WEIR_OK);
    expect_same(end(), WEIR_OK, {});
  }
  expect_good_file(1);
}

TEST_F(ReadOnly, AFolderForTheReportIsRefusedAtOnce) {
  if (rank_ == 0) ::chmod(folder_.c_str(), 0555);
  MPI_Barrier(MPI_COMM_WORLD);
  {
    const HeldToPermissions held;
    if (!held.worked()) GTEST_SKIP() << "this system does not let a process give up its rights";
    for (const char* key : {"report", "trace"})
      expect_same(try_start(std::string(key) + ": " + path("end.json") + "\n"), WEIR_EIO,
                  {key, "end.json", "permission denied"});
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) ::chmod(folder_.c_str(), 0755);
  expect_files({});
}

}  // namespace
}  // namespace faults
