// ranks: 1 3
// SPDX-License-Identifier: Apache-2.0
// What Weir does not take of a netCDF-4 file is told when it is asked for, and the rest is as it would be without it.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "faults/faults.hpp"

namespace {

constexpr const char* definition = R"(netcdf other {
types: compound pair { int a; double b; };
dimensions: none = UNLIMITED; time = UNLIMITED; more = UNLIMITED; x = 3;
variables: string names(x), log(more), none; pair pairs(x); float late(time, x), empty(none, x), grid(more, time);
  string late:units = "m s-1"; string late:many = "a", "b"; late:n = 1, 2;
data: late = 1, 2, 3, 4, 5, 6; grid = {7, 8}, {9, 10}; names = "a", "", "Süd"; log = "first", "2";
group: inner { variables: float v; pair pairs(x); } })";

class LeftOut : public faults::FaultTest {
 protected:
  weir_file* open_other() {
    if (rank_ == 0) {
      std::ofstream(path("other.cdl")) << definition;
      EXPECT_EQ(std::system(("ncgen -k nc4 -o '" + path("other.nc") + "' '" + path("other.cdl") + "'").c_str()), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    weir_file* file = nullptr;
    EXPECT_EQ(weir_open(weir_, path("other.nc").c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir_);
    return file;
  }
  void expect_reason(weir_file* file, const char* name, const std::string& words) {
    int var = -1;
    EXPECT_EQ(weir_inq_varid(file, name, &var), WEIR_ENOTFOUND);
    EXPECT_NE(std::string(weir_file_error(file)).find(words), std::string::npos) << weir_file_error(file);
  }
};

TEST_F(LeftOut, IsToldByItsName) {
  start();
  weir_file* file = open_other();
  expect_reason(file, "pairs", "user-defined type");
  expect_reason(file, "empty", "a dimension of length 0");
  expect_reason(file, "inner/pairs", "user-defined type");
  expect_reason(file, "other", "has no variable");
  int variables = -1, record_dim = -1, late = -1, grid = -1, format = -1;
  EXPECT_EQ(weir_inq(file, nullptr, &variables, nullptr, &record_dim), WEIR_OK);
  EXPECT_EQ(variables, 6);  // with that of the group, and strings as text
  int inner = -1;
  EXPECT_EQ(weir_inq_varid(file, "/inner/v", &inner), WEIR_OK);
  EXPECT_EQ(weir_inq_varid(file, "late", &late), WEIR_OK);
  EXPECT_EQ(weir_inq_varid(file, "grid", &grid), WEIR_OK);
  EXPECT_EQ(weir_inq_format(file, &format), WEIR_OK);
  EXPECT_EQ(format, 3);
  std::array<const char*, 2> texts{};
  weir_type type{};
  std::int64_t count = -1;
  EXPECT_EQ(weir_inq_att(file, late, "units", &type, &count), WEIR_OK);
  EXPECT_EQ(type, WEIR_STRING);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(weir_get_att(file, late, "units", texts.data()), WEIR_OK);
  EXPECT_STREQ(texts[0], "m s-1");
  EXPECT_EQ(weir_inq_att(file, late, "many", &type, &count), WEIR_OK);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(weir_get_att(file, late, "many", texts.data()), WEIR_OK);
  EXPECT_STREQ(texts[1], "b");
  // Of three unlimited dimensions `more` has the records: `time` is not the first of each of its variables.
  std::array<char, WEIR_MAX_NAME> name{};
  EXPECT_EQ(weir_inq_dim(file, record_dim, name.data(), &count), WEIR_OK);
  EXPECT_STREQ(name.data(), "more");
  std::array<float, 6> values{};
  const std::int64_t start[] = {0, 0}, all[] = {2, 3}, square[] = {2, 2};
  EXPECT_EQ(weir_get_vara_all(file, late, start, all, WEIR_FLOAT, values.data()), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(values, (std::array<float, 6>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(weir_get_vara_all(file, grid, start, square, WEIR_FLOAT, values.data()), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(values, (std::array<float, 6>{7, 8, 9, 10, 5, 6}));
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

// By the numbers of weir_inq_left_out, which asks the tables that were read.
TEST_F(LeftOut, IsListed) {
  start();
  weir_file* file = open_other();
  int count = -1;
  std::array<const char*, 8> names{}, reasons{};
  EXPECT_EQ(weir_inq_left_out(file, &count, nullptr, nullptr), WEIR_OK);
  ASSERT_EQ(count, 3);
  EXPECT_EQ(weir_inq_left_out(file, nullptr, names.data(), reasons.data()), WEIR_OK);
  EXPECT_STREQ(names[0], "pairs");
  EXPECT_STREQ(names[1], "empty");
  EXPECT_STREQ(names[2], "inner/pairs");
  EXPECT_NE(std::string(reasons[1]).find("a dimension of length 0"), std::string::npos) << reasons[1];
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  // In a file to write strings are what they are, and that is said however long it is written.
  EXPECT_EQ(weir_open(weir_, path("other.nc").c_str(), WEIR_WRITE, &file), WEIR_OK) << weir_error(weir_);
  expect_reason(file, "names", "strings");
  EXPECT_EQ(weir_inq_left_out(file, &count, names.data(), reasons.data()), WEIR_OK);
  EXPECT_EQ(count, 6);
  EXPECT_EQ(weir_redef(file), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_put_att(file, WEIR_GLOBAL, "late", WEIR_CHAR, 3, "yes"), WEIR_OK);
  EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_inq_left_out(file, &count, names.data(), reasons.data()), WEIR_OK);
  EXPECT_EQ(count, 6);
  EXPECT_STREQ(names[0], "names");
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

// Strings are text in a file to read, by the gets of all and those of one alone; one more dimension has their lengths.
TEST_F(LeftOut, StringsAreText) {
  start();
  weir_file* file = open_other();
  int names = -1, log = -1, none = -1, ndims = -1;
  weir_type type{};
  std::array<int, 2> dims{};
  std::array<char, WEIR_MAX_NAME> name{};
  std::int64_t length = -1;
  ASSERT_EQ(weir_inq_varid(file, "names", &names), WEIR_OK) << weir_file_error(file);
  ASSERT_EQ(weir_inq_varid(file, "log", &log), WEIR_OK) << weir_file_error(file);
  ASSERT_EQ(weir_inq_varid(file, "none", &none), WEIR_OK) << weir_file_error(file);
  EXPECT_EQ(weir_inq_var(file, names, nullptr, &type, &ndims, dims.data(), nullptr), WEIR_OK);
  EXPECT_EQ(type, WEIR_CHAR);
  EXPECT_EQ(ndims, 2);
  EXPECT_EQ(weir_inq_dim(file, dims[1], name.data(), &length), WEIR_OK);
  EXPECT_STREQ(name.data(), "string4");
  EXPECT_EQ(length, 4);
  std::array<char, 12> text{};
  const std::string wanted(
      "a\0\0\0"
      "\0\0\0\0"
      "S\xC3\xBC"
      "d",
      12),
      second("2\0\0\0\0", 5);
  const std::int64_t start[] = {0, 0}, all[] = {3, 4}, later[] = {1, 0}, one[] = {1, 5};
  EXPECT_EQ(weir_get_vara_all(file, names, start, all, WEIR_CHAR, text.data()), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(std::string(text.data(), 12), wanted);
  text.fill('x');
  EXPECT_EQ(weir_get_vara(file, names, start, all, WEIR_CHAR, text.data()), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(std::string(text.data(), 12), wanted);
  for (const bool alone : {false, true}) {
    text.fill('x');
    EXPECT_EQ((alone ? weir_get_vara : weir_get_vara_all)(file, log, later, one, WEIR_CHAR, text.data()), WEIR_OK)
        << weir_error(weir_);
    EXPECT_EQ(std::string(text.data(), 5), second);
  }
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

// What Weir leaves out stays as it is; records go where several unlimited dimensions and many records a chunk are.
TEST_F(LeftOut, StaysWhereRecordsAreAdded) {
  start();
  EXPECT_EQ(weir_close(open_other()), WEIR_OK);
  weir_file* file = nullptr;
  int grid = -1, late = -1;
  EXPECT_EQ(weir_open(weir_, path("other.nc").c_str(), WEIR_WRITE, &file), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_inq_varid(file, "grid", &grid), WEIR_OK);
  EXPECT_EQ(weir_inq_varid(file, "late", &late), WEIR_OK);
  const float third[] = {11, 12}, again[] = {6, 5, 4, 3, 2, 1};
  EXPECT_EQ(weir_put_var(file, grid, 2, WEIR_FLOAT, third), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_put_var(file, late, 0, WEIR_FLOAT, again), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  if (rank_ == 0) {
    const std::string told = path("told"), dump = "ncdump '" + path("other.nc") + "' | tr -d '\\n ' > '" + told + "'";
    EXPECT_EQ(std::system(dump.c_str()), 0);
    for (const char* words : {"names=\"a\",_,\"Süd\";", "log=\"first\",\"2\",_;", "grid={7,8},{9,10},{11,12};",
                              "late=6,5,4,3,2,1;", "floatv;"})
      EXPECT_NE(contents(told).find(words), std::string::npos) << words << " in " << contents(told);
  }
}

// Whatever becomes of the file once it is open: one sentence on all ranks, by the gets of all and those of one alone.
TEST_F(LeftOut, WhatIsCutOffAfterTheOpeningIs) {
  start();
  weir_file* file = open_other();
  int late = -1;
  EXPECT_EQ(weir_inq_varid(file, "late", &late), WEIR_OK);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) faults::fs::resize_file(path("other.nc"), 4000);
  MPI_Barrier(MPI_COMM_WORLD);
  std::array<float, 6> values{-1};
  const std::int64_t start[] = {0, 0}, all[] = {2, 3};
  expect_same({weir_get_vara_all(file, late, start, all, WEIR_FLOAT, values.data()), weir_error(weir_)}, WEIR_EIO,
              {"other.nc", "truncated", "late"});
  EXPECT_EQ(values[0], -1);
  EXPECT_EQ(weir_get_vara(file, late, start, all, WEIR_FLOAT, values.data()), WEIR_EIO);
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

// A file that is written is read once it is closed.
TEST_F(LeftOut, ReadingWhileWritingIs) {
  start();
  weir_file* file = begin("own.nc", WEIR_NETCDF4);
  put_field(file, 0);
  EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
  std::array<float, 12> values{};
  expect_same({weir_get(file, temp_, 0, rows_, WEIR_FLOAT, values.data()), weir_error(weir_)}, WEIR_ESTATE,
              {"own.nc", "being written"});
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_open(weir_, path("own.nc").c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_get(file, temp_, 0, rows_, WEIR_FLOAT, values.data()), WEIR_OK) << weir_error(weir_);
  EXPECT_TRUE(std::equal(values.begin(), values.end(), field(0).begin()));
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

}  // namespace
