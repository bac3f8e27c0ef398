// ranks: 1 3
// SPDX-License-Identifier: Apache-2.0
// Records put in pieces, as programs for netCDF put them: what a put does not hold keeps what earlier puts gave,
// whether these were committed or not, in this run or an earlier one. In chunks a later piece is refused.
#include <pnetcdf.h>

#include <random>

#include "faults/faults.hpp"

namespace faults {
namespace {

constexpr std::int64_t records = 3, length = 300;
constexpr float fill = NC_FILL_FLOAT;

struct Way {
  const char* name;
  const char* config;
  int spare;  // ranks that serve
};

constexpr Way ways[] = {{"serial", "strategy: serial\n", 0},
                        {"collective", "strategy: collective\n", 0},
                        {"rows", "strategy: rows\n", 0},
                        {"columns_background", "strategy: columns\noverlap: background\n", 0},
                        {"remap", "strategy: remap\nwriters: 2\n", 0},
                        {"remap_hosts", "strategy: remap\ndebug.ranks_per_host: 1\nbundle_size: 64\n", 0},
                        {"dynamic_background", "strategy: dynamic\noverlap: background\nbundle_size: 64\n", 0},
                        {"dynamic_hosts", "strategy: dynamic\ndebug.ranks_per_host: 1\n", 0},
                        {"dynamic_rank", "strategy: dynamic\ncontrol: rank\n", 1},
                        {"servers", "strategy: servers\n", 1}};

class Pieces : public FaultTest, public testing::WithParamInterface<Way> {
 protected:
  // "series" of records and "map" of the same shape.
  void make(int mode = 0, weir_fill_mode how = WEIR_FILL) {
    file_ = create("pieces.nc", mode);
    int dims[2];
    EXPECT_EQ(weir_def_dim(file_, "time", WEIR_UNLIMITED, &dims[0]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file_, "x", length, &dims[1]), WEIR_OK);
    EXPECT_EQ(weir_def_var(file_, "series", WEIR_FLOAT, 2, dims, nullptr), WEIR_OK);
    EXPECT_EQ(weir_def_var(file_, "map", WEIR_FLOAT, 1, dims + 1, nullptr), WEIR_OK);
    EXPECT_EQ(weir_set_fill(file_, how), WEIR_OK);
    EXPECT_EQ(weir_enddef(file_), WEIR_OK) << weir_error(weir_);
  }

  // Each element goes to one of those ranks that compute, or to nobody; alike on all ranks.
  int piece(double density) {
    std::vector<std::int64_t> mine;
    owners_.assign(length, -1);
    for (std::int64_t e = 0; e < length; ++e) {
      if (std::uniform_real_distribution<double>(0, 1)(random_) >= density) continue;
      const int owner = std::uniform_int_distribution<int>(0, model_ranks_ - 1)(random_);
      owners_[static_cast<std::size_t>(e)] = owner;
      if (owner == model_rank_) mine.push_back(e);
    }
    elements_ = mine;
    int layout = -1;
    EXPECT_EQ(weir_def_layout_map(weir_, 1, &length, std::ssize(mine), mine.data(), &layout), WEIR_OK)
        << weir_error(weir_);
    return layout;
  }

  // By the layout made last: its elements become `step` and a little more.
  int put(int var, std::int64_t record, int layout, int step, std::vector<float>& expected) {
    const auto value = [step](std::int64_t e) { return static_cast<float>(step) + static_cast<float>(e) / 1024; };
    std::vector<float> values;
    for (const std::int64_t e : elements_) values.push_back(value(e));
    if (expected.empty()) expected.assign(length, fill);
    for (std::int64_t e = 0; e < length; ++e)
      if (owners_[static_cast<std::size_t>(e)] >= 0) expected[static_cast<std::size_t>(e)] = value(e);
    return weir_put(file_, var, record, layout, WEIR_FLOAT, values.data());
  }

  void expect_file(const std::vector<std::vector<float>>& series, const std::vector<float>& map) {
    for (std::size_t r = 0; r < series.size(); ++r) {
      if (series[r].empty()) continue;
      const std::int64_t start[] = {static_cast<std::int64_t>(r), 0}, count[] = {1, length};
      std::vector<float> found(length);
      ASSERT_EQ(weir_get_vara(file_, 0, start, count, WEIR_FLOAT, found.data()), WEIR_OK) << weir_error(weir_);
      ASSERT_EQ(found, series[r]) << "record " << r;
    }
    if (map.empty()) return;
    const std::int64_t zero = 0;
    std::vector<float> found(length);
    ASSERT_EQ(weir_get_vara(file_, 1, &zero, &length, WEIR_FLOAT, found.data()), WEIR_OK) << weir_error(weir_);
    ASSERT_EQ(found, map);
  }

  bool happens(int percent) { return std::uniform_int_distribution<int>(1, 100)(random_) <= percent; }

  std::mt19937 random_{20261124};
  weir_file* file_ = nullptr;
  int model_rank_ = 0, model_ranks_ = 1;
  std::vector<std::int64_t> elements_;  // of the last piece: this rank's
  std::vector<int> owners_;             // of the last piece: each element's, or -1
};

TEST_P(Pieces, LeaveWhatEarlierOnesGave) {
  if (ranks_ <= GetParam().spare) GTEST_SKIP() << "a rank serves";
  start(GetParam().config);
  if (model_ == MPI_COMM_NULL) return;
  MPI_Comm_rank(model_, &model_rank_);
  MPI_Comm_size(model_, &model_ranks_);
  make();
  std::vector<std::vector<float>> series(records);
  std::vector<float> map;
  int kept = piece(0.5);
  auto kept_elements = elements_;
  auto kept_owners = owners_;
  for (int step = 1; step <= 60; ++step) {
    const bool again = happens(40);
    if (again) elements_ = kept_elements, owners_ = kept_owners;
    const int layout = again ? kept : piece(happens(30) ? 1.0 : 0.3);
    const auto record = std::uniform_int_distribution<std::int64_t>(0, records - 1)(random_);
    const bool of_map = happens(30);
    ASSERT_EQ(put(of_map ? 1 : 0, record, layout, step, of_map ? map : series[static_cast<std::size_t>(record)]),
              WEIR_OK)
        << weir_error(weir_);
    if (!again && happens(30)) {
      EXPECT_EQ(weir_free_layout(weir_, kept), WEIR_OK);
      kept = layout, kept_elements = elements_, kept_owners = owners_;
    }
    if (!happens(25)) continue;
    ASSERT_EQ(weir_sync(file_), WEIR_OK) << weir_error(weir_);
    expect_file(series, map);
    if (!happens(30)) continue;
    ASSERT_EQ(weir_close(file_), WEIR_OK) << weir_error(weir_);
    ASSERT_EQ(weir_open(weir_, path("pieces.nc").c_str(), WEIR_WRITE, &file_), WEIR_OK) << weir_error(weir_);
  }
  ASSERT_EQ(weir_sync(file_), WEIR_OK) << weir_error(weir_);
  expect_file(series, map);
  EXPECT_EQ(weir_close(file_), WEIR_OK) << weir_error(weir_);
}

INSTANTIATE_TEST_SUITE_P(All, Pieces, testing::ValuesIn(ways), [](const auto& way) { return way.param.name; });

class PiecesInChunks : public Pieces {};

TEST_P(PiecesInChunks, AreRefusedOnAllRanks) {
  for (const auto& [mode, how] : {std::pair{WEIR_NETCDF4, WEIR_FILL}, {WEIR_ZARR, WEIR_NOFILL}}) {
    start(GetParam().config);
    MPI_Comm_rank(model_, &model_rank_);
    MPI_Comm_size(model_, &model_ranks_);
    make(mode, how);
    std::vector<float> expected;
    const int first = piece(0.5);
    ASSERT_EQ(put(0, 0, first, 1, expected), WEIR_OK) << weir_error(weir_);
    ASSERT_EQ(put(0, 0, first, 2, expected), WEIR_OK) << "the same elements again: " << weir_error(weir_);
    const int whole = piece(1.0);
    ASSERT_EQ(put(0, 0, whole, 3, expected), WEIR_OK) << "all elements: " << weir_error(weir_);
    const int second = piece(0.5);
    ASSERT_EQ(put(0, 1, second, 4, expected), WEIR_OK) << "another record: " << weir_error(weir_);
    ASSERT_EQ(weir_sync(file_), WEIR_OK) << weir_error(weir_);
    last_.code = put(0, 0, second, 5, expected);
    last_.message = weir_error(weir_);
    expect_same(last_, WEIR_ECOVER, {"\"series\"", "has values already", "no rank holds"});
    weir_close(file_);
    end();
  }
}

INSTANTIATE_TEST_SUITE_P(Some, PiecesInChunks, testing::Values(ways[4], ways[5], ways[6]),
                         [](const auto& way) { return way.param.name; });

}  // namespace
}  // namespace faults
