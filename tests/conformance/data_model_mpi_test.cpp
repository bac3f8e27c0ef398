// ranks: 1 4
// timeout: 120
// SPDX-License-Identifier: Apache-2.0
// What netCDF-4 and Zarr have and classic files have not: further unlimited dimensions, strings as attributes, groups.
// Read by Weir; by others in tests/python/test_data_model.py.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include <weir/weir.hpp>

namespace {

using weir::io::Error;
using weir::io::File;
using weir::io::Indices;

constexpr std::int64_t nx = 5;
constexpr float missing_records = -9;

struct Way {
  const char* name;
  int mode;
  const char* config;
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

class DataModel : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    int all = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    if (all == 1 && std::string(GetParam().name) == "servers") GTEST_SKIP() << "a rank serves, and one is too few";
    weir_.emplace(MPI_COMM_WORLD, std::string(GetParam().config) + "timeout: 60\ndurability: cache\n");
    if (serves()) return;
    MPI_Comm_rank(weir_->model_comm(), &rank_);
    MPI_Comm_size(weir_->model_comm(), &ranks_);
    path_ = std::filesystem::temp_directory_path().string() + "/model" + (zarr() ? ".zarr" : ".nc");
  }
  bool serves() const { return weir_->model_comm() == MPI_COMM_NULL; }
  bool zarr() const { return GetParam().mode == WEIR_ZARR; }
  File create() { return weir_->create(path_, GetParam().mode); }

  // Values of a box that begins with row `begin`.
  static std::vector<float> values(int seed, std::int64_t record, std::int64_t begin, std::int64_t rows,
                                   std::int64_t columns) {
    std::vector<float> all;
    for (std::int64_t i = begin * columns; i < (begin + rows) * columns; ++i)
      all.push_back(static_cast<float>(1000 * seed + 100 * record + i % 97));
    return all;
  }
  // This rank's `rows` rows.
  void put(File& file, int var, int seed, std::int64_t record, std::int64_t rows, bool is_record, bool has_columns) {
    Indices start{record, rows * rank_, 0}, count{1, rows, nx};
    if (!has_columns) start.pop_back(), count.pop_back();
    if (!is_record) start.erase(start.begin()), count.erase(count.begin());
    file.put_vara(var, start, count, values(seed, record, rows * rank_, rows, has_columns ? nx : 1));
  }
  // Of `length` rows those below `there` were put, by this seed; others have the fill value.
  void expect(const File& file, const std::string& name, int seed, std::int64_t record, std::int64_t there,
              std::int64_t length) {
    const int var = file.inq_varid(name);
    const std::vector<int> dims = file.inq_var(var).dims;
    const bool is_record = !dims.empty() && dims[0] == file.inq().record_dim;
    const bool has_columns = dims.size() == (is_record ? 3U : 2U);
    const std::int64_t columns = has_columns ? nx : 1;
    std::vector<float> wanted = values(seed, record, 0, there, columns);
    wanted.resize(static_cast<std::size_t>(length * columns), missing_records);
    Indices start{record, 0, 0}, count{1, length, nx};
    if (!has_columns) start.pop_back(), count.pop_back();
    if (!is_record) start.erase(start.begin()), count.erase(count.begin());
    std::vector<float> found(wanted.size());
    file.get_vara_all(var, start, count, found);
    EXPECT_EQ(found, wanted) << name << ", record " << record;
  }
  static void expect_refused(const std::string& words, auto call) {
    try {
      call();
      ADD_FAILURE() << "nothing was refused, where this was awaited: " << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
  int filled(File& file, const std::string& name, const std::vector<int>& dims) {
    const int var = file.def_var(name, WEIR_FLOAT, dims);
    file.put_att(var, "_FillValue", missing_records);
    return var;
  }

  std::optional<weir::io::Weir> weir_;
  std::string path_;
  int rank_ = 0, ranks_ = 1;
};

TEST_P(DataModel, DimensionsGrow) {
  if (serves()) return;
  const std::int64_t before = 6 * ranks_, after = 10 * ranks_;
  File file = create();
  const int t = file.def_dim("t", WEIR_UNLIMITED), obs = file.def_dim_unlimited("obs", before - 1);
  const int x = file.def_dim("x", nx);
  file.extend_dim(obs, before);  // while nothing was put yet
  const int a = filled(file, "a", {t, obs, x}), small = filled(file, "small", {t, obs});
  const int site = filled(file, "site", {obs}), plain = filled(file, "plain", {obs, x});
  file.def_var_chunking(a, {1, 4, nx});
  file.def_var_deflate(a, true, true, 1);
  file.enddef();
  for (std::int64_t r = 0; r < 2; ++r) put(file, a, 1, r, 6, true, true), put(file, small, 2, r, 6, true, false);
  put(file, site, 3, 0, 6, false, false);
  put(file, plain, 4, 0, 6, false, true);

  file.redef();
  file.extend_dim(obs, after);
  const int b = filled(file, "b", {t, obs});
  file.enddef();
  for (const std::int64_t r : {0, 2}) put(file, a, 5, r, 10, true, true), put(file, small, 6, r, 10, true, false);
  put(file, b, 7, 2, 10, true, false);
  put(file, site, 8, 0, 10, false, false);
  file.close();

  const auto compare = [&](const File& there, std::int64_t length) {
    EXPECT_EQ(there.inq_unlimdims(), (std::vector<int>{t, obs}));
    EXPECT_EQ(there.inq_dim(obs).length, length);
    EXPECT_EQ(there.inq_nrecords(), 3);
    for (std::int64_t r = 0; r < 3; ++r) {
      expect(there, "a", r == 1 ? 1 : 5, r, r == 1 ? before : after, length);
      expect(there, "small", r == 1 ? 2 : 6, r, r == 1 ? before : after, length);
      expect(there, "b", 7, r, r == 2 ? after : 0, length);
    }
    expect(there, "site", 8, 0, after, length);
    expect(there, "plain", 4, 0, before, length);
  };
  file = weir_->open(path_);
  compare(file, after);
  file.close();
  // A run that comes later.
  file = weir_->open(path_, WEIR_WRITE);
  file.redef();
  file.extend_dim(file.inq_dimid("obs"), after + 3);
  file.enddef();
  file.close();
  file = weir_->open(path_);
  compare(file, after + 3);
  file.close();
}

TEST_P(DataModel, WhatDoesNotGrowIsTold) {
  if (serves()) return;
  File file = create();
  const int t = file.def_dim("t", WEIR_UNLIMITED), x = file.def_dim("x", nx);
  EXPECT_EQ(file.inq_unlimdims(), std::vector<int>{t});
  expect_refused("puts make longer", [&] { file.extend_dim(t, 4); });
  EXPECT_THROW(file.close(), Error);
  for (const auto& [words, call] :
       {std::pair<std::string, std::function<void(File&, int)>>{"is not unlimited",
                                                                [&](File&f, int) { f.extend_dim(x, nx + 1); }},
        {"cannot be made shorter", [](File&f, int obs) { f.extend_dim(obs, 3); }},
        {"no such dimension", [](File&f, int) { f.extend_dim(7, 3); }},
        {"larger than 2^63 bytes", [](File&f, int obs) { f.extend_dim(obs, INT64_MAX / 2); }},
        {"give 1 or more", [](File&f, int) { f.def_dim_unlimited("other", 0); }}}) {
    file = create();
    file.def_dim("t", WEIR_UNLIMITED);
    file.def_dim("x", nx);
    const int obs = file.def_dim_unlimited("obs", 4);
    file.def_var("a", WEIR_DOUBLE, {obs, x});
    expect_refused(words, [&, &call = call] { call(file, obs); });
    EXPECT_THROW(file.close(), Error);
  }
  file = weir_->create(path_ + ".classic", WEIR_CDF5);
  file.def_dim_unlimited("obs", 4);
  expect_refused("\"obs\" is a second unlimited dimension", [&] { file.enddef(); });
  EXPECT_THROW(file.close(), Error);
}

TEST_P(DataModel, AttributesHaveStrings) {
  if (serves()) return;
  const std::vector<std::string> flags{"clear", "", "Wolken über dem Meer"}, one{"K"};
  File file = create();
  const int t = file.def_dim("t", WEIR_UNLIMITED), x = file.def_dim("x", nx);
  const int a = file.def_var("a", WEIR_FLOAT, {t, x});
  file.put_att(a, "flag_meanings", flags);
  file.put_att(a, "units", std::vector<std::string>{"a longer one"});
  file.put_att(a, "units", one);
  file.put_att(WEIR_GLOBAL, "none", std::vector<std::string>());
  file.put_att_text(a, "text", "plain");
  file.enddef();
  file.put_vara(a, {rank_, 0}, {rank_ == 0 ? 1 : 0, nx}, values(1, 0, 0, rank_ == 0 ? 1 : 0, nx));
  file.redef();
  file.put_att(WEIR_GLOBAL, "later", flags);
  file.enddef();
  file.close();
  for (const int mode : {WEIR_WRITE, WEIR_NOWRITE}) {
    file = weir_->open(path_, mode);
    const int var = file.inq_varid("a");
    EXPECT_EQ(file.get_att_texts(var, "flag_meanings"), flags);
    EXPECT_EQ(file.inq_att(var, "units").type, WEIR_STRING);
    EXPECT_EQ(file.get_att_text(var, "units"), "K");
    EXPECT_EQ(file.inq_att(var, "text").type, WEIR_CHAR);
    EXPECT_EQ(file.get_att_text(var, "text"), "plain");
    EXPECT_EQ(file.get_att_texts(WEIR_GLOBAL, "later"), flags);
    EXPECT_EQ(file.get_att_texts(WEIR_GLOBAL, "none"), std::vector<std::string>());
    file.close();
  }
  file = weir_->create(path_ + ".classic");
  file.put_att(WEIR_GLOBAL, "later", flags);
  expect_refused("attribute \"later\" of the file has strings", [&] { file.enddef(); });
  EXPECT_THROW(file.close(), Error);
}

// A rank that defines other strings is told to all.
TEST_P(DataModel, OtherStringsOnARankAreTold) {
  if (serves() || ranks_ == 1) GTEST_SKIP() << "no ranks that could differ";
  File file = create();
  file.put_att(WEIR_GLOBAL, "flags", std::vector<std::string>{"one", rank_ == 0 ? "two" : "three"});
  expect_refused("\"three\" here and \"one\", \"two\" on rank 0", [&] { file.enddef(); });
  EXPECT_THROW(file.close(), Error);
}

class Groups : public DataModel {};

TEST_P(Groups, AreInNames) {
  if (serves()) return;
  const std::int64_t ny = 3 * ranks_;
  File file = create();
  const int t = file.def_dim("t", WEIR_UNLIMITED), y = file.def_dim("ice/y", ny), x = file.def_dim("x", nx);
  const int area = filled(file, "ice/area", {t, y, x}), a = filled(file, "a", {t, x});
  const int deep = filled(file, "ice/snow/depth", {y, x});
  const int other_y = file.def_dim("y", nx), outer = filled(file, "ice/outer", {t, other_y, x});  // of the same name
  file.def_var_deflate(area, true, true, 1);
  file.put_att_text(WEIR_GLOBAL, "ice/title", "of the group");
  file.put_att(area, "flags", std::vector<std::string>{"thin", "thick"});
  file.enddef();
  const auto put_record = [&](std::int64_t r) {
    put(file, area, 1, r, 3, true, true);
    const bool mine = rank_ == 0;
    file.put_vara(outer, {r, 0, 0}, {mine ? 1 : 0, nx, nx}, values(6, r, 0, mine ? nx : 0, nx));
    file.put_vara(a, {r, 0}, {mine ? 1 : 0, nx}, values(2, r, 0, mine ? 1 : 0, nx));
  };
  for (std::int64_t r = 0; r < 2; ++r) put_record(r);
  put(file, deep, 3, 0, 3, false, true);
  // In the file a root variable comes before those of groups.
  file.redef();
  const int late = filled(file, "late", {t, x}), inner = filled(file, "ice/late", {t, y, x});
  file.put_att_text(WEIR_GLOBAL, "ice/history", "later");
  file.enddef();
  put_record(2);
  put(file, inner, 4, 2, 3, true, true);
  file.put_vara(late, {2, 0}, {rank_ == 0 ? 1 : 0, nx}, values(5, 2, 0, rank_ == 0 ? 1 : 0, nx));
  file.close();
  file = weir_->open(path_, WEIR_WRITE);  // by the names
  put(file, file.inq_varid("/ice/area"), 1, 3, 3, true, true);
  file.close();

  file = weir_->open(path_);
  EXPECT_EQ(file.inq_nrecords(), 4);
  EXPECT_EQ(file.inq().nvars, 6);
  EXPECT_EQ(file.inq_dim(file.inq_dimid("y")).length, nx);
  for (std::int64_t r = 0; r < 3; ++r) expect(file, "ice/outer", 6, r, nx, nx);
  expect(file, "ice/outer", 6, 3, 0, nx);
  EXPECT_EQ(file.inq_dim(file.inq_dimid("ice/y")).length, ny);
  for (std::int64_t r = 0; r < 4; ++r) expect(file, "ice/area", 1, r, ny, ny);
  expect(file, "ice/snow/depth", 3, 0, ny, ny);
  expect(file, "ice/late", 4, 2, ny, ny);
  expect(file, "ice/late", 4, 1, 0, ny);
  EXPECT_EQ(file.get_att_text(WEIR_GLOBAL, "ice/title"), "of the group");
  EXPECT_EQ(file.get_att_text(WEIR_GLOBAL, "ice/history"), "later");
  EXPECT_EQ(file.get_att_texts(file.inq_varid("ice/area"), "flags"), (std::vector<std::string>{"thin", "thick"}));
  expect_refused("has no variable \"ice/none\"", [&] { static_cast<void>(file.inq_varid("ice/none")); });
  file.close();
}

TEST_P(Groups, ThatCannotBeAreTold) {
  if (serves()) return;
  File file = create();
  const int y = file.def_dim("ice/y", 4);
  expect_refused("of another group", [&] { file.def_var("ocean/a", WEIR_FLOAT, {y}); });
  EXPECT_THROW(file.close(), Error);
  file = weir_->create(path_ + ".other", WEIR_CDF5);
  file.def_dim("x", 4);
  file.put_att_text(WEIR_GLOBAL, "ice/title", "of a group");
  expect_refused("\"ice/title\" is in a group", [&] { file.enddef(); });
  EXPECT_THROW(file.close(), Error);
  file = create();
  file.def_var("ice", WEIR_FLOAT, {});
  file.def_var("ice/area", WEIR_FLOAT, {});
  expect_refused(zarr() ? "is a variable and a group" : "netCDF refuses", [&] { file.enddef(); });
  EXPECT_THROW(file.close(), Error);
}

const Way netcdf4_ways[] = {
    {"netcdf4", WEIR_NETCDF4, "strategy: remap\noverlap: background\n"},
    {"netcdf4_dynamic", WEIR_NETCDF4, "strategy: dynamic\n"},
    {"hosts", WEIR_NETCDF4, "strategy: rows\ndebug.ranks_per_host: 2\ndebug.forward: messages\n"},
    {"servers", WEIR_NETCDF4, "strategy: servers\n"}};
const Way zarr_ways[] = {{"zarr", WEIR_ZARR, "strategy: rows\n"},
                         {"zarr_dynamic", WEIR_ZARR, "strategy: dynamic\noverlap: background\n"}};
const auto name_of_way = [](const auto& each) { return std::string(each.param.name); };

INSTANTIATE_TEST_SUITE_P(Netcdf4, DataModel, testing::ValuesIn(netcdf4_ways), name_of_way);
INSTANTIATE_TEST_SUITE_P(Zarr, DataModel, testing::ValuesIn(zarr_ways), name_of_way);
INSTANTIATE_TEST_SUITE_P(Netcdf4, Groups, testing::ValuesIn(netcdf4_ways), name_of_way);
INSTANTIATE_TEST_SUITE_P(Zarr, Groups, testing::ValuesIn(zarr_ways), name_of_way);

}  // namespace
