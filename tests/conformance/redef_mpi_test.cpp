// ranks: 1 4
// timeout: 120
// SPDX-License-Identifier: Apache-2.0
// weir_redef: a file with data gets new dimensions, variables and attributes, in every format that has room, and goes
// on as before where it has none. Read by Weir; by others in tests/python/test_redef.py.
#include <gtest/gtest.h>
#include <mpi.h>
#include <weir/weir.h>

#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t rows = 3, nx = 5;

struct Way {
  const char* name;
  int mode;
  const char* config;
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

class Redef : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    int all = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    const bool serves = std::string(GetParam().name) == "servers";
    if (all == 1 && serves) GTEST_SKIP() << "a rank serves, and one is too few";
    const std::string config = std::string(GetParam().config) + "timeout: 60\ndurability: cache\n";
    ASSERT_EQ(weir_init(MPI_COMM_WORLD, config.c_str(), &model_, &weir_), WEIR_OK) << weir_init_error();
    if (model_ == MPI_COMM_NULL) return;
    MPI_Comm_rank(model_, &rank_);
    MPI_Comm_size(model_, &ranks_);
    path_ =
        std::filesystem::temp_directory_path().string() + "/redef" + (GetParam().mode == WEIR_ZARR ? ".zarr" : ".nc");
  }
  void TearDown() override {
    if (model_ == MPI_COMM_NULL) return;
    EXPECT_EQ(weir_finalize(&weir_), WEIR_OK);
    MPI_Comm_free(&model_);
  }

  bool packed() const { return GetParam().mode != WEIR_CDF5; }
  void well(int code) const { ASSERT_EQ(code, WEIR_OK) << weir_error(weir_); }

  // time(t), a(t, y, x), mask(y, x)
  void create(std::int64_t header_free, std::int64_t record_align) {
    well(weir_create(weir_, path_.c_str(), GetParam().mode, &file_));
    well(weir_def_dim(file_, "t", WEIR_UNLIMITED, &dims_[0]));
    well(weir_def_dim(file_, "y", rows * ranks_, &dims_[1]));
    well(weir_def_dim(file_, "x", nx, &dims_[2]));
    well(weir_def_var(file_, "time", WEIR_DOUBLE, 1, dims_, &time_));
    well(weir_def_var(file_, "a", WEIR_FLOAT, 3, dims_, &a_));
    well(weir_def_var(file_, "mask", WEIR_INT, 2, dims_ + 1, &mask_));
    well(weir_put_att_text(file_, a_, "units", "K"));
    if (packed()) well(weir_def_var_deflate(file_, a_, 1, 1, 1));
    if (!packed()) well(weir_set_alignment(file_, header_free, 0, record_align));
    well(weir_enddef(file_));
  }

  std::vector<float> own(int seed, std::int64_t record) const {
    std::vector<float> values(static_cast<std::size_t>(rows * nx));
    std::iota(values.begin(), values.end(), static_cast<float>(1000 * seed + 100 * record + 20 * rank_));
    return values;
  }
  void put(int var, int seed, std::int64_t record, bool is_record) {
    const std::int64_t start[] = {record, rows * rank_, 0}, count[] = {1, rows, nx};
    const int skip = is_record ? 0 : 1;
    well(weir_put_vara(file_, var, start + skip, count + skip, WEIR_FLOAT, own(seed, record).data()));
  }
  void put_record(std::int64_t record, int b = -1) {
    const double hour = static_cast<double>(record) / 2;
    well(weir_put_var(file_, time_, record, WEIR_DOUBLE, &hour));
    put(a_, 1, record, true);
    if (b >= 0) put(b, 3, record, true);
  }

  void expect_values(const char* name, int seed, std::int64_t record, bool is_record, bool filled = false) {
    int var = -1;
    well(weir_inq_varid(file_, name, &var));
    const std::int64_t start[] = {record, rows * rank_, 0}, count[] = {1, rows, nx};
    const int skip = is_record ? 0 : 1;
    std::vector<float> found(static_cast<std::size_t>(rows * nx));
    well(weir_get_vara_all(file_, var, start + skip, count + skip, WEIR_FLOAT, found.data()));
    const std::vector<float> wanted = filled ? std::vector<float>(found.size(), -7) : own(seed, record);
    EXPECT_EQ(found, wanted) << name << ", record " << record;
  }
  void expect_text(int var, const char* name, const std::string& wanted) {
    weir_type type = WEIR_CHAR;
    std::int64_t length = 0;
    well(weir_inq_att(file_, var, name, &type, &length));
    std::string found(static_cast<std::size_t>(length), ' ');
    well(weir_get_att(file_, var, name, found.data()));
    EXPECT_EQ(found, wanted);
  }

  // Fixed variables, and with records where the format takes them then.
  void define_more(int* depth, int* b) {
    int z = -1, other = -1;
    const float fill = -7;
    well(weir_def_dim(file_, "z", 2, &z));
    well(weir_def_var(file_, "depth", WEIR_FLOAT, 2, dims_ + 1, depth));
    well(weir_def_var(file_, "left", WEIR_FLOAT, 2, dims_ + 1, &other));
    well(weir_put_att(file_, other, "_FillValue", WEIR_FLOAT, 1, &fill));
    well(weir_def_var(file_, "levels", WEIR_DOUBLE, 1, &z, &other));
    well(weir_put_att_text(file_, *depth, "units", "m"));
    well(weir_put_att_text(file_, a_, "units", "degree_Celsius, as it was found"));
    well(weir_put_att_text(file_, WEIR_GLOBAL, "history", "redefined"));
    if (!packed()) return;
    well(weir_def_var(file_, "b", WEIR_FLOAT, 3, dims_, b));
    well(weir_put_att(file_, *b, "_FillValue", WEIR_FLOAT, 1, &fill));
    well(weir_def_var_deflate(file_, *b, 1, 1, 4));
  }

  void open_and_compare(std::int64_t records) {
    well(weir_open(weir_, path_.c_str(), WEIR_NOWRITE, &file_));
    std::int64_t found = 0;
    well(weir_inq_nrecords(file_, &found));
    EXPECT_EQ(found, records);
    for (std::int64_t r = 0; r < records; ++r) {
      expect_values("a", 1, r, true);
      if (packed()) expect_values("b", 3, r, true, r < 2);
    }
    expect_values("mask", 2, 0, false);
    expect_values("depth", 4, 0, false);
    expect_values("left", 0, 0, false, true);
    expect_text(a_, "units", "degree_Celsius, as it was found");
    expect_text(WEIR_GLOBAL, "history", "redefined");
    well(weir_close(file_));
  }

  weir_t* weir_ = nullptr;
  weir_file* file_ = nullptr;
  MPI_Comm model_ = MPI_COMM_NULL;
  std::string path_;
  int rank_ = 0, ranks_ = 1, dims_[3] = {}, time_ = -1, a_ = -1, mask_ = -1;
};

TEST_P(Redef, AddsDefinitionsAfterData) {
  if (model_ == MPI_COMM_NULL) return;
  int depth = -1, b = -1, nothing = -1;
  create(2000, 1 << 16);
  put_record(0);
  put(mask_, 2, 0, false);
  put_record(1);
  well(weir_redef(file_));
  define_more(&depth, &b);
  well(weir_enddef(file_));
  put(depth, 4, 0, false);
  put_record(2, b);
  well(weir_redef(file_));  // twice in a file, and of nothing
  well(weir_enddef(file_));
  put_record(3, b);
  well(weir_close(file_));
  open_and_compare(4);
  // Of a file that was opened.
  well(weir_open(weir_, path_.c_str(), WEIR_WRITE, &file_));
  well(weir_inq_varid(file_, "b", &nothing) == WEIR_OK || !packed() ? WEIR_OK : WEIR_ENOTFOUND);
  well(weir_redef(file_));
  well(weir_put_att_text(file_, WEIR_GLOBAL, "history", "redefined"));
  well(weir_put_att_text(file_, WEIR_GLOBAL, "more", "later"));
  well(weir_enddef(file_));
  put_record(4, nothing);
  well(weir_close(file_));
  open_and_compare(5);
}

TEST_P(Redef, TellsWhatCannotBeAndGoesOn) {
  if (model_ == MPI_COMM_NULL) return;
  int var = -1;
  create(0, 0);
  put_record(0);
  put(mask_, 2, 0, false);
  const float fill = 1;
  well(weir_redef(file_));
  EXPECT_EQ(weir_put_att(file_, a_, "_FillValue", WEIR_FLOAT, 1, &fill), WEIR_EARGUMENT);
  EXPECT_EQ(weir_enddef(file_), WEIR_EARGUMENT);
  EXPECT_NE(std::string(weir_error(weir_)).find("its _FillValue stays"), std::string::npos) << weir_error(weir_);
  EXPECT_NE(weir_close(file_), WEIR_OK);
  MPI_Barrier(model_);
  well(weir_open(weir_, path_.c_str(), WEIR_WRITE, &file_));
  if (!packed()) {
    for (const bool record : {false, true}) {
      well(weir_redef(file_));
      well(weir_def_var(file_, "more", WEIR_FLOAT, record ? 3 : 2, record ? dims_ : dims_ + 1, &var));
      EXPECT_EQ(weir_enddef(file_), WEIR_EARGUMENT);
      EXPECT_NE(std::string(weir_error(weir_)).find("header_free"), std::string::npos) << weir_error(weir_);
      EXPECT_EQ(weir_inq_varid(file_, "more", &var), WEIR_ENOTFOUND);
    }
  }
  put_record(1);
  well(weir_close(file_));
  well(weir_open(weir_, path_.c_str(), WEIR_NOWRITE, &file_));
  for (std::int64_t r = 0; r < 2; ++r) expect_values("a", 1, r, true);
  expect_values("mask", 2, 0, false);
  well(weir_close(file_));
}

class RedefRefused : public Redef {};

TEST_P(RedefRefused, SaysWhyAndGoesOn) {
  create(0, 0);
  put_record(0);
  EXPECT_EQ(weir_redef(file_), WEIR_ESTATE);
  const std::string words =
      std::string(GetParam().name) == "parts" ? "part files cannot be redefined" : "keeps no file";
  EXPECT_NE(std::string(weir_error(weir_)).find(words), std::string::npos) << weir_error(weir_);
  put_record(1);
  well(weir_close(file_));
}

INSTANTIATE_TEST_SUITE_P(NoFile, RedefRefused,
                         testing::Values(Way{"parts", WEIR_CDF5, "strategy: file_per_rank\n"},
                                         Way{"null", WEIR_NETCDF4, "sink: null\n"}),
                         [](const auto& each) { return std::string(each.param.name); });

INSTANTIATE_TEST_SUITE_P(EveryFormat, Redef,
                         testing::Values(Way{"classic", WEIR_CDF5, "strategy: remap\n"},
                                         Way{"classic_dynamic", WEIR_CDF5, "strategy: dynamic\n"},
                                         Way{"netcdf4", WEIR_NETCDF4, "strategy: remap\noverlap: background\n"},
                                         Way{"netcdf4_dynamic", WEIR_NETCDF4, "strategy: dynamic\n"},
                                         Way{"netcdf4_hosts", WEIR_NETCDF4,
                                             "strategy: remap\ndebug.ranks_per_host: 2\ndebug.forward: messages\n"},
                                         Way{"classic_hosts", WEIR_CDF5, "strategy: rows\ndebug.ranks_per_host: 1\n"},
                                         Way{"group", WEIR_NETCDF4, "strategy: remap\ncommit_group: \"redef*\"\n"},
                                         Way{"servers", WEIR_NETCDF4, "strategy: servers\n"},
                                         Way{"zarr", WEIR_ZARR, "strategy: rows\n"},
                                         Way{"zarr_dynamic", WEIR_ZARR, "strategy: dynamic\noverlap: background\n"}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
