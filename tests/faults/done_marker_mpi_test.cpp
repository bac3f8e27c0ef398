// ranks: 1 4
// SPDX-License-Identifier: Apache-2.0
// The marker of a finished file (done_marker: yes): its sums are those of the values, whoever wrote them how; and it is
// beside a finished file alone, never beside one that is being written or has failed.
#include <cstring>
#include <nlohmann/json.hpp>

#include "faults/strategies.hpp"

namespace faults {
namespace {

using Json = nlohmann::json;

constexpr const char* marked = "timeout: 60\ndone_marker: yes\n";

// The formula of docs/reliability.md, by itself.
std::uint64_t term(std::uint64_t element, std::uint64_t bits) {
  std::uint64_t word = bits + (element + 1) * 0x9e3779b97f4a7c15ULL;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31);
}

template <class Value>
std::string sum_of(const std::vector<Value>& values) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::conditional_t<sizeof(Value) == 2, std::uint16_t, std::uint32_t> bits = 0;
    static_assert(sizeof bits == sizeof(Value));
    std::memcpy(&bits, &values[i], sizeof bits);
    sum += term(i, bits);
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(sum));
  return text;
}

class DoneMarker : public StrategyTest {
 protected:
  // Whether the file has a marker; all ranks have come.
  bool has_marker(const std::string& name = "file.nc") const {
    MPI_Barrier(team_);
    const bool there = fs::exists(path(name + ".done"));
    MPI_Barrier(team_);
    return there;
  }
  Json marker(const std::string& name = "file.nc") const {
    MPI_Barrier(team_);
    return Json::parse(contents(path(name + ".done")));
  }
  void expect_ok(int code) { EXPECT_EQ(code, WEIR_OK) << weir_error(weir_); }
  // Records of temp as put_field() puts them.
  std::vector<float> values_of(const std::vector<std::int64_t>& records) const {
    std::vector<float> values;
    for (const std::int64_t record : records)
      for (std::int64_t i = 0; i < 12 * ranks_; ++i) values.push_back(value(record, i));
    return values;
  }
};

INSTANTIATE_TEST_SUITE_P(All, DoneMarker,
                         testing::Values("serial", "collective", "columns", "remap", "dynamic", "servers"),
                         strategy_name);

// Records that are put again, records and a variable that nobody puts, and a scalar of one rank.
TEST_P(DoneMarker, HasTheSumsOfTheValues) {
  if (too_few() || !begin_strategy(marked)) return;
  for (const int mode : {0, static_cast<int>(WEIR_NETCDF4), static_cast<int>(WEIR_ZARR)}) {
    weir_file* file = begin("file.nc", mode);
    for (const std::int64_t record : {0, 1, 3}) expect_ok(put_field(file, record));
    expect_ok(weir_sync(file));
    const std::int64_t start[] = {0, 0}, all[] = {rank_ == 0 ? 2 * ranks_ : 0, rank_ == 0 ? 6 : 0};
    std::vector<std::int16_t> mask(static_cast<std::size_t>(12 * ranks_));
    for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = static_cast<std::int16_t>(7 * i);
    expect_ok(weir_put_vara(file, mask_, start, all, WEIR_SHORT, mask.data()));
    expect_ok(weir_put(file, temp_, 1, rows_, WEIR_FLOAT, field(9).data()));
    EXPECT_FALSE(has_marker());
    expect_ok(weir_close(file));
    const Json found = marker();
    std::vector<float> temp = values_of({0, 9, 2, 3});
    std::fill(temp.begin() + 24 * ranks_, temp.begin() + 36 * ranks_, 9.9692099683868690e+36F);
    EXPECT_EQ(found.at("variables").at("temp").at("sum"), sum_of(temp)) << mode;
    EXPECT_EQ(found.at("variables").at("mask").at("sum"), sum_of(mask)) << mode;
    EXPECT_EQ(found.at("variables").at("step").at("sum"), sum_of(std::vector<std::int32_t>{-2147483647})) << mode;
    EXPECT_EQ(found.at("variables").at("temp").at("shape"), Json({4, 2 * ranks_, 6}));
    EXPECT_EQ(found.at("variables").at("temp").at("type"), "float");
    EXPECT_EQ(found.at("records"), 4);
    EXPECT_EQ(found.at("file"), "file.nc");
    EXPECT_EQ(found.at("format"), mode == WEIR_ZARR ? "Zarr" : mode == WEIR_NETCDF4 ? "netCDF-4" : "CDF-1");
    if (mode != WEIR_ZARR) {
      EXPECT_EQ(found.at("bytes"), fs::file_size(path()));
    }
    MPI_Barrier(team_);
    if (rank_ == 0) fs::remove_all(path());
    MPI_Barrier(team_);
  }
}

TEST_P(DoneMarker, GoesWhenTheFileIsOpenedToBeWritten) {
  if (too_few() || !begin_strategy(marked)) return;
  for (const int mode : {0, static_cast<int>(WEIR_NETCDF4), static_cast<int>(WEIR_ZARR)}) {
    weir_file* file = nullptr;
    for (int time = 0; time < 2; ++time) {
      file = create("a.nc", mode);
      EXPECT_FALSE(has_marker("a.nc"));
      define(file);
      expect_ok(weir_enddef(file));
      if (rows_ < 0) rows_ = layout_of(2 * rank_, 2);
      for (const std::int64_t record : {0, 1}) expect_ok(put_field(file, record));
      expect_ok(weir_close(file));
      EXPECT_TRUE(has_marker("a.nc"));
    }
    expect_ok(weir_open(weir_, path("a.nc").c_str(), WEIR_NOWRITE, &file));
    expect_ok(weir_close(file));
    EXPECT_TRUE(has_marker("a.nc"));
    EXPECT_EQ(weir_create(weir_, path("a.nc").c_str(), WEIR_NOCLOBBER, &file), WEIR_EIO);
    EXPECT_TRUE(has_marker("a.nc")) << "nothing has become of the file";
    expect_ok(weir_open(weir_, path("a.nc").c_str(), WEIR_WRITE, &file));
    EXPECT_FALSE(has_marker("a.nc"));
    expect_ok(put_field(file, 2));
    expect_ok(weir_sync(file));
    EXPECT_FALSE(has_marker("a.nc"));
    expect_ok(weir_close(file));
    EXPECT_EQ(marker("a.nc").at("records"), 3);
    EXPECT_EQ(marker("a.nc").at("variables").at("temp").at("sum"), sum_of(values_of({0, 1, 2})));
    MPI_Barrier(team_);
    if (rank_ == 0) fs::remove_all(path("a.nc"));
    MPI_Barrier(team_);
  }
}

// Without the key a marker of Weir goes too, and what another program has called so stays.
TEST_P(DoneMarker, StaysBesideNoFileThatChanges) {
  if (too_few() || !begin_strategy("timeout: 60\nfiles: {\"a*\": {done_marker: yes}}\n")) return;
  for (const char* name : {"a.nc", "b.nc", "c.nc"}) make_good_file(1, name);
  EXPECT_TRUE(has_marker("a.nc"));
  EXPECT_FALSE(has_marker("b.nc"));
  if (rank_ == 0) {
    fs::copy_file(path("a.nc.done"), path("b.nc.done"));
    std::ofstream(path("c.nc.done")) << "another program's\n";
    std::ofstream(path("aa.nc.done")) << "another program's\n";
  }
  MPI_Barrier(team_);
  weir_file* b = begin("b.nc");
  weir_file* c = begin("c.nc");
  weir_file* aa = begin("aa.nc");
  EXPECT_FALSE(has_marker("b.nc"));
  EXPECT_TRUE(has_marker("c.nc"));
  EXPECT_FALSE(has_marker("aa.nc")) << "it is to get one, so none may be there before";
  for (weir_file* file : {b, c, aa}) expect_ok(weir_close(file));
  EXPECT_EQ(marker("aa.nc").at("records"), 0);
  expect_files({"a.nc", "a.nc.done", "aa.nc", "aa.nc.done", "b.nc", "c.nc", "c.nc.done"});
}

TEST_P(DoneMarker, IsNotMadeOfAFileThatFailed) {
  if (too_few() || !begin_strategy(marked)) return;
  weir_file *file = begin(), *other = begin("other.nc");
  for (weir_file* each : {file, other}) expect_ok(put_field(each, 0));
  expect_ok(weir_sync(file));
  MPI_Barrier(team_);
  if (rank_ == 0) fs::rename(path(), path("away.nc"));
  MPI_Barrier(team_);
  expect_ok(put_field(file, 1));
  EXPECT_EQ(weir_sync(file), WEIR_EIO);
  EXPECT_EQ(weir_close(file), WEIR_EIO);
  expect_ok(weir_close(other));
  expect_files({"away.nc", "other.nc", "other.nc.done"});
}

// A value that does not fit is an error of the close, though the file is whole.
TEST_P(DoneMarker, IsNotMadeWhereTheCloseReturnsAnError) {
  if (too_few() || !begin_strategy(marked)) return;
  weir_file* file = begin();
  std::vector<double> values(12, 1.0);
  values[3] = 1e300;
  weir_put(file, temp_, 0, rows_, WEIR_DOUBLE, values.data());
  EXPECT_EQ(weir_close(file), WEIR_ERANGE);
  expect_files({"file.nc"});
}

TEST_P(DoneMarker, ThatCannotBeWrittenIsAnErrorOfTheClose) {
  if (too_few() || !begin_strategy(marked)) return;
  weir_file *file = begin(), *next = nullptr;
  expect_ok(put_field(file, 0));
  MPI_Barrier(team_);
  if (rank_ == 0) fs::create_directory(path(".file.nc.done.weir"));  // where it is to be before its last name
  MPI_Barrier(team_);
  expect_same(first_error([&] { return weir_close(file); }), WEIR_EIO,
              {"file.nc is finished, but gets no marker", ".file.nc.done.weir"});
  expect_good_file(1);
  MPI_Barrier(team_);
  if (rank_ == 0) fs::create_directory(path("file.nc.done"));
  MPI_Barrier(team_);
  expect_same(first_error([&] { return weir_create(weir_, path().c_str(), 0, &next); }), WEIR_EIO,
              {"file.nc.done", "tells of the file that is about to change", "remove it"});
  expect_files({"file.nc", "file.nc.done", ".file.nc.done.weir"});
}

TEST_P(DoneMarker, IsMadeByFinalizeToo) {
  if (too_few() || !begin_strategy(marked)) return;
  weir_file* file = begin();
  begin("other.nc");
  expect_ok(put_field(file, 0));
  ASSERT_EQ(end().code, WEIR_OK);
  expect_files({"file.nc", "file.nc.done", "other.nc", "other.nc.done"});
}

class DoneMarkerOfParts : public FaultTest {};

TEST_F(DoneMarkerOfParts, IsRefused) {
  const Outcome refused = try_start("strategy: file_per_rank\ndone_marker: yes\n");
  expect_same(refused, WEIR_ECONFIG, {"done_marker", "file_per_rank", "weir-verify --mark"});
  start("strategy: file_per_domain\nfiles: {\"*.nc\": {done_marker: yes}}\n");
  weir_file* file = nullptr;
  expect_same(first_error([&] { return weir_create(weir_, path().c_str(), 0, &file); }), WEIR_ECONFIG,
              {"file.nc", "done_marker", "file_per_domain"});
  expect_files({});
}

}  // namespace
}  // namespace faults
