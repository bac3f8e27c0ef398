// SPDX-License-Identifier: Apache-2.0
// What tests of reading by all ranks share: a file with two records of salt(time, z, y, x), lat(y) and a text, put by
// rows, whose values are known everywhere; columns with halos to read it in; and what must be true after a refusal.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "faults/faults.hpp"

namespace reading {

using Json = nlohmann::json;

inline constexpr std::int64_t levels = 5, columns = 96, rows_each = 64;

class ReadingTest : public faults::FaultTest {
 protected:
  std::int64_t rows() const { return rows_each * ranks_; }
  std::int64_t elements() const { return levels * rows() * columns; }

  // salt(time, z, y, x) of two records, lat(y), put by rows.
  weir_file* make(const std::string& name) {
    weir_file* file = create(name);
    int dims[4];
    EXPECT_EQ(weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file, "z", levels, &dims[1]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file, "y", rows(), &dims[2]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file, "x", columns, &dims[3]), WEIR_OK);
    EXPECT_EQ(weir_def_var(file, "salt", WEIR_DOUBLE, 4, dims, &salt_), WEIR_OK);
    EXPECT_EQ(weir_def_var(file, "lat", WEIR_FLOAT, 1, dims + 2, &lat_), WEIR_OK);
    EXPECT_EQ(weir_def_var(file, "name", WEIR_CHAR, 1, dims + 3, &name_), WEIR_OK);
    EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
    by_rows_ = layout({0, rows_each * rank_, 0}, {levels, rows_each, columns});
    for (std::int64_t record = 0; record < 2; ++record) put(file, record);
    const std::int64_t start = rows_each * rank_, count = rows_each;
    std::vector<float> lat(rows_each);
    for (std::int64_t i = 0; i < count; ++i) lat[static_cast<std::size_t>(i)] = static_cast<float>(start + i);
    EXPECT_EQ(weir_put_vara(file, lat_, &start, &count, WEIR_FLOAT, lat.data()), WEIR_OK) << weir_error(weir_);
    return file;
  }
  void put(weir_file* file, std::int64_t record) {
    EXPECT_EQ(weir_put(file, salt_, record, by_rows_, WEIR_DOUBLE,
                       values({0, rows_each * rank_, 0}, {levels, rows_each, columns}, record).data()),
              WEIR_OK)
        << weir_error(weir_);
  }
  weir_file* make_and_open(const std::string& name = "file.nc") {
    weir_file* file = make(name);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_open(weir_, path(name).c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir_);
    return file;
  }

  using Triple = std::array<std::int64_t, 3>;
  int layout(const Triple& start, const Triple& count) {
    const std::int64_t shape[] = {levels, rows(), columns};
    int number = -1;
    EXPECT_EQ(weir_def_layout(weir_, 3, shape, 1, start.data(), count.data(), nullptr, &number), WEIR_OK)
        << weir_error(weir_);
    return number;
  }
  std::vector<double> values(const Triple& start, const Triple& count, std::int64_t record) const {
    std::vector<double> all;
    for (std::int64_t z = start[0]; z < start[0] + count[0]; ++z)
      for (std::int64_t y = start[1]; y < start[1] + count[1]; ++y)
        for (std::int64_t x = start[2]; x < start[2] + count[2]; ++x)
          all.push_back(static_cast<double>(((record * levels + z) * rows() + y) * columns + x) + 0.5);
    return all;
  }
  // This rank's columns, with a neighbour's on either side.
  Triple halo_start() const { return {0, 0, std::max<std::int64_t>(columns * rank_ / ranks_ - 1, 0)}; }
  Triple halo_count() const {
    return {levels, rows(), std::min<std::int64_t>(columns * (rank_ + 1) / ranks_ + 1, columns) - halo_start()[2]};
  }
  std::vector<double> get_halo(weir_file* file, std::int64_t record) {
    std::vector<double> found(values(halo_start(), halo_count(), record).size());
    EXPECT_EQ(weir_get(file, salt_, record, by_halo_, WEIR_DOUBLE, found.data()), WEIR_OK) << weir_error(weir_);
    return found;
  }
  std::vector<float> lat() const {
    std::vector<float> all;
    for (std::int64_t y = 0; y < rows(); ++y) all.push_back(static_cast<float>(y));
    return all;
  }
  Json report() {
    const char* text = "{}";
    EXPECT_EQ(weir_report(weir_, &text), WEIR_OK) << weir_error(weir_);
    return Json::parse(text);
  }

  // All ranks get one code and sentence with these words; the buffer is as it was, and a right get comes after it.
  template <class Get>
  void expect_refused(weir_file* file, int code, const std::vector<std::string>& words, Get get) {
    std::vector<double> room(static_cast<std::size_t>(elements()), -1);
    const faults::Outcome outcome{get(room.data()), weir_error(weir_)};
    expect_same(outcome, code, words);
    EXPECT_TRUE(std::all_of(room.begin(), room.end(), [](double value) { return value == -1; }));
    std::vector<float> found(static_cast<std::size_t>(rows()));
    const std::int64_t start = 0, count = rows();
    EXPECT_EQ(weir_get_vara_all(file, lat_, &start, &count, WEIR_FLOAT, found.data()), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(found, lat());
  }
  bool is_last() const { return rank_ == ranks_ - 1; }

  int salt_ = -1, lat_ = -1, name_ = -1, by_rows_ = -1, by_halo_ = -1;
};

}  // namespace reading
