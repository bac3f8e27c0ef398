// ranks: 1 4
// SPDX-License-Identifier: Apache-2.0
// Contract 3: under its name a file holds exactly the committed records, at every moment. Here it is read, by PnetCDF,
// between the commits; tests/harness does so after kills.
#include <pnetcdf.h>

#include "faults/faults.hpp"

namespace faults {
namespace {

class CommittedTest : public FaultTest {
 protected:
  // Records are of some size, so that a kill hits the middle of a write, too.
  static constexpr std::int64_t columns = 3000;
  static float value_of(std::int64_t record, std::int64_t element) {
    return static_cast<float>((record * 7919 + element) % 1000003);
  }

  weir_file* create_file(const std::string& file_path) {
    weir_file* file = nullptr;
    int dims[3];
    EXPECT_EQ(weir_create(weir_, file_path.c_str(), WEIR_CDF5, &file), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file, "rank", ranks_, &dims[1]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file, "x", columns, &dims[2]), WEIR_OK);
    EXPECT_EQ(weir_def_var(file, "temp", WEIR_FLOAT, 3, dims, &temp_), WEIR_OK);
    EXPECT_EQ(weir_def_var(file, "step", WEIR_INT64, 1, dims, &step_), WEIR_OK);
    EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
    return file;
  }
  void make_layout() {
    const std::int64_t shape[] = {ranks_, columns}, at[] = {rank_, 0}, count[] = {1, columns};
    EXPECT_EQ(weir_def_layout(weir_, 2, shape, 1, at, count, nullptr, &rows_), WEIR_OK);
  }
  int append(weir_file* file, std::int64_t record) const {
    std::vector<float> values(columns);
    for (std::int64_t i = 0; i < columns; ++i)
      values[static_cast<std::size_t>(i)] = value_of(record, rank_ * columns + i);
    int code = weir_put(file, temp_, record, rows_, WEIR_FLOAT, values.data());
    if (code == WEIR_OK) code = weir_put_var(file, step_, record, WEIR_INT64, &record);
    return code == WEIR_OK ? weir_sync(file) : code;
  }

  // By PnetCDF on this rank alone. -1: not a file that PnetCDF opens.
  static std::int64_t records_of(const std::string& file_path) {
    int file = -1;
    MPI_Offset records = -1;
    if (ncmpi_open(MPI_COMM_SELF, file_path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &file) != NC_NOERR) return -1;
    EXPECT_EQ(ncmpi_inq_dimlen(file, 0, &records), NC_NOERR);
    expect_values(file, records);
    EXPECT_EQ(ncmpi_close(file), NC_NOERR);
    return records;
  }

  void expect_records(std::int64_t records) const {
    if (rank_ != 0) return;
    EXPECT_EQ(records_of(path()), records);
  }

 private:
  static void expect_values(int file, std::int64_t records) {
    MPI_Offset rows = 0;
    ASSERT_EQ(ncmpi_inq_dimlen(file, 1, &rows), NC_NOERR);
    std::vector<float> values(static_cast<std::size_t>(rows * columns));
    for (MPI_Offset record = 0; record < records; ++record) {
      const MPI_Offset start[] = {record, 0, 0}, count[] = {1, rows, columns};
      long long step = -1;
      ASSERT_EQ(ncmpi_get_vara_float_all(file, 0, start, count, values.data()), NC_NOERR);
      ASSERT_EQ(ncmpi_get_vara_longlong_all(file, 1, start, count, &step), NC_NOERR);
      ASSERT_EQ(step, record);
      for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(values[i], value_of(record, static_cast<std::int64_t>(i))) << "record " << record << " element " << i;
    }
  }
};

TEST_F(CommittedTest, RecordsAreThereAfterEachSyncAndNotBefore) {
  start("strategy: remap\n");
  weir_file* file = create_file(path());
  make_layout();
  expect_records(-1);
  for (std::int64_t record = 0; record < 6; ++record) {
    EXPECT_EQ(append(file, record), WEIR_OK) << weir_error(weir_);
    expect_records(record + 1);
    const std::vector<float> next(columns, -1);
    EXPECT_EQ(weir_put(file, temp_, record + 1, rows_, WEIR_FLOAT, next.data()), WEIR_OK);
    expect_records(record + 1);
  }
  EXPECT_EQ(append(file, 6), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  expect_records(7);
  expect_files({"file.nc"});
}

}  // namespace
}  // namespace faults
