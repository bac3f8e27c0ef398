// ranks: 3
// SPDX-License-Identifier: Apache-2.0
// Going back to fewer records: what is refused, what stays where the run fails before its first commit, files that are
// committed as one, and the configuration's keys.
#include "faults/strategies.hpp"

namespace faults {
namespace {

class Back : public StrategyTest {
 protected:
  void expect_ok(int code) { EXPECT_EQ(code, WEIR_OK) << weir_error(weir_); }
  weir_file* open_at(const std::string& name, std::int64_t records) {
    weir_file* file = nullptr;
    expect_ok(weir_open_at(weir_, path(name).c_str(), WEIR_WRITE, records, &file));
    return file;
  }
  // A file of this format with so many records, whose values tell of the run.
  void make(const std::string& name, int mode, std::int64_t records) {
    weir_file* file = begin(name, mode);
    for (std::int64_t r = 0; r < records; ++r) expect_ok(put_field(file, r));
    expect_ok(weir_close(file));
  }
  // Records that the file has, all with the values of a good file.
  std::int64_t records_of(const std::string& name) {
    weir_file* file = nullptr;
    std::int64_t records = -1;
    expect_ok(weir_open(weir_, path(name).c_str(), WEIR_NOWRITE, &file));
    if (!file) return -1;
    expect_ok(weir_inq_nrecords(file, &records));
    for (std::int64_t r = 0; r < records; ++r) {
      std::vector<float> found(12);
      expect_ok(weir_get(file, temp_, r, rows_, WEIR_FLOAT, found.data()));
      EXPECT_EQ(found, field(r)) << name << " record " << r;
    }
    expect_ok(weir_close(file));
    return records;
  }
  static constexpr std::pair<const char*, int> files[] = {
      {"file.nc", WEIR_CDF5}, {"file.nc4", WEIR_NETCDF4}, {"file.zarr", WEIR_ZARR}};
};

INSTANTIATE_TEST_SUITE_P(All, Back, testing::Values("remap", "collective", "dynamic", "servers"), strategy_name);

TEST_P(Back, ShowsTheRecordsThatStayAndTheNewOnes) {
  if (!begin_strategy()) return;
  for (const auto& [name, mode] : files) {
    make(name, mode, 5);
    weir_file* file = open_at(name, 2);
    std::int64_t records = -1;
    expect_ok(weir_inq_nrecords(file, &records));
    EXPECT_EQ(records, 2);
    expect_ok(put_field(file, 2));
    expect_ok(weir_sync(file));
    expect_ok(put_field(file, 3));
    expect_ok(weir_close(file));
    EXPECT_EQ(records_of(name), 4);
    expect_ok(weir_close(open_at(name, 3)));
    EXPECT_EQ(records_of(name), 3);
    expect_ok(weir_close(open_at(name, 3)));
    expect_ok(weir_close(open_at(name, 0)));
    EXPECT_EQ(records_of(name), 0);
  }
  expect_files({"file.nc", "file.nc4", "file.zarr"});
}

TEST_P(Back, RefusesRecordsThatAreNotThere) {
  if (!begin_strategy()) return;
  for (const auto& [name, mode] : files) {
    make(name, mode, 2);
    weir_file* file = nullptr;
    const auto open = [&](int how, std::int64_t records) {
      return first_error([&] { return weir_open_at(weir_, path(name).c_str(), how, records, &file); });
    };
    expect_same(open(WEIR_WRITE, 3), WEIR_EARGUMENT, {name, "has 2 record", "go back to 3"});
    expect_same(open(WEIR_WRITE, -1), WEIR_EARGUMENT, {name, "-1"});
    expect_same(open(WEIR_NOWRITE, 1), WEIR_EARGUMENT, {name, "WEIR_WRITE"});
    EXPECT_EQ(records_of(name), 2);
  }
}

// A put that is refused fails the file.
TEST_P(Back, KeepsAllRecordsWhereTheRunFails) {
  if (!begin_strategy()) return;
  for (const auto& [name, mode] : files) {
    make(name, mode, 4);
    weir_file* file = open_at(name, 1);
    expect_ok(put_field(file, 1));
    EXPECT_EQ(weir_put(file, temp_, -7, rows_, WEIR_FLOAT, field(0).data()), WEIR_EARGUMENT);
    EXPECT_EQ(weir_close(file), WEIR_EARGUMENT);
    EXPECT_EQ(records_of(name), 4);
  }
}

TEST_P(Back, GoesBackWithOtherFilesAsOne) {
  if (!begin_strategy()) return;
  const auto history = {files[0], files[1]};
  for (const auto& [name, mode] : history) make(name, mode, 4);
  std::vector<weir_file*> open;
  for (const auto& [name, mode] : history) open.push_back(open_at(name, 2));
  weir_file* restart = begin("restart.nc");
  for (weir_file* file : open) expect_ok(put_field(file, 2));
  expect_ok(put_field(restart, 0));
  expect_ok(weir_sync_all(weir_));
  for (weir_file* file : open) expect_ok(weir_close(file));
  expect_ok(weir_close(restart));
  for (const auto& [name, mode] : history) EXPECT_EQ(records_of(name), 3);
  for (const auto& [name, mode] : history) open.push_back(open_at(name, 1));
  expect_ok(weir_sync_all(weir_));
  for (std::size_t i = 2; i < open.size(); ++i) expect_ok(weir_close(open[i]));
  for (const auto& [name, mode] : history) EXPECT_EQ(records_of(name), 1);
  expect_files({"file.nc", "file.nc4", "restart.nc"});
}

// At the first opening of a run only.
TEST_P(Back, GoesBackByTheConfiguration) {
  if (!begin_strategy("timeout: 60\nfiles: {\"file.*\": {records: 2}, \"times*\": {until_time: 1.5}}\n")) return;
  for (const auto& [name, mode] : files) {
    make(std::string("made.") + name, mode, 3);
    MPI_Barrier(team_);
    if (rank_ == 0) fs::rename(path(std::string("made.") + name), path(name));
    MPI_Barrier(team_);
    for (const std::int64_t there : {2, 3}) {
      weir_file* file = nullptr;
      expect_ok(weir_open(weir_, path(name).c_str(), WEIR_WRITE, &file));
      expect_ok(put_field(file, there));
      expect_ok(weir_close(file));
      EXPECT_EQ(records_of(name), there + 1);
    }
  }
}

TEST_P(Back, GoesBackByTheTime) {
  if (!begin_strategy("timeout: 60\nfiles: {\"times.*\": {until_time: 1.5}}\n")) return;
  for (const int mode : {WEIR_CDF5, WEIR_NETCDF4, WEIR_ZARR}) {
    weir_file* file = create("made.nc", mode);
    int dim = -1, var = -1;
    expect_ok(weir_def_dim(file, "time", WEIR_UNLIMITED, &dim));
    expect_ok(weir_def_var(file, "time", WEIR_DOUBLE, 1, &dim, &var));
    expect_ok(weir_enddef(file));
    for (std::int64_t r = 0; r < 6; ++r) {
      const double time = static_cast<double>(r) / 2;
      expect_ok(weir_put_var(file, var, r, WEIR_DOUBLE, &time));
    }
    expect_ok(weir_close(file));
    const std::string name = path("times.") + std::to_string(mode);
    MPI_Barrier(team_);
    if (rank_ == 0) fs::rename(path("made.nc"), name);
    MPI_Barrier(team_);
    expect_ok(weir_open(weir_, name.c_str(), WEIR_WRITE, &file));
    std::int64_t records = -1;
    expect_ok(weir_inq_nrecords(file, &records));
    EXPECT_EQ(records, 4);
    expect_ok(weir_close(file));
  }
}

}  // namespace
}  // namespace faults
