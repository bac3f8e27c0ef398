// SPDX-License-Identifier: Apache-2.0
// A model that sends the same fields in each test: `sst` in rows, its coordinate `y`, a scalar `level`.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "written_files.hpp"

namespace weir::streams_tests {

inline constexpr std::int64_t columns = 6;
inline constexpr float fill = 1e20F;

// What the model has at an hour: some elements are missing at some hours.
inline float sample(int hour, std::int64_t element) {
  if ((hour + element) % 11 == 0) return fill;
  return std::sin(static_cast<float>(hour) * 0.37F + static_cast<float>(element)) * 100;
}

class SentFieldsTest : public WrittenFilesTest {
 protected:
  std::int64_t rows() const { return 2 * ranks_; }
  std::int64_t size() const { return rows() * columns; }

  // A field of two rows a rank, within a halo of one element.
  void define(int halo = 1) {
    const std::int64_t shape[] = {rows(), columns}, at[] = {2 * rank_, 0}, count[] = {2, columns};
    const std::int64_t memory[] = {2 + 2 * halo, columns + 2 * halo}, in[] = {halo, halo};
    halo_ = halo;
    ASSERT_EQ(weir_def_layout_subarray(weir_, 2, shape, at, count, nullptr, memory, in, &layout_), WEIR_OK);
    const char* const dims[] = {"y", "x"};
    ASSERT_EQ(weir_def_field(weir_, "sst", WEIR_FLOAT, 2, dims, layout_, &sst_), WEIR_OK) << weir_error(weir_);
    ASSERT_EQ(weir_put_field_att(weir_, sst_, "_FillValue", WEIR_FLOAT, 1, &fill), WEIR_OK);
    ASSERT_EQ(weir_put_field_att_text(weir_, sst_, "units", "degC"), WEIR_OK);
    const std::int64_t length[] = {rows()}, none[] = {0};
    const std::int64_t whole[] = {rows()};
    int layout = -1;
    ASSERT_EQ(weir_def_layout(weir_, 1, length, rank_ == 0 ? 1 : 0, none, whole, nullptr, &layout), WEIR_OK);
    ASSERT_EQ(weir_def_field(weir_, "y", WEIR_DOUBLE, 1, dims, layout, &y_), WEIR_OK);
    std::vector<double> coordinate;
    for (std::int64_t y = 0; y < rows(); ++y) coordinate.push_back(0.5 * static_cast<double>(y));
    ASSERT_EQ(weir_set_field(weir_, y_, WEIR_DOUBLE, coordinate.data()), WEIR_OK) << weir_error(weir_);
    ASSERT_EQ(weir_def_field(weir_, "level", WEIR_DOUBLE, 0, nullptr, -1, &level_), WEIR_OK) << weir_error(weir_);
  }

  void begin_time(int hour) {
    ASSERT_EQ(weir_start_streams(weir_, "hours since 1990-01-30 00:00:00", "noleap", hour), WEIR_OK)
        << weir_error(weir_);
  }

  int send(int hour) {
    const std::int64_t width = columns + 2 * halo_;
    std::vector<float> values(static_cast<std::size_t>((2 + 2 * halo_) * width), std::nanf(""));
    for (std::int64_t y = 0; y < 2; ++y)
      for (std::int64_t x = 0; x < columns; ++x)
        values[static_cast<std::size_t>((y + halo_) * width + x + halo_)] = sample(hour, (2 * rank_ + y) * columns + x);
    const int code = weir_send(weir_, sst_, hour, WEIR_FLOAT, values.data());
    const double level = hour * 0.25;
    return code != WEIR_OK ? code : weir_send(weir_, level_, hour, WEIR_DOUBLE, &level);
  }

  // A text attribute of a variable, read by this rank alone.
  std::string text(const std::string& name, const std::string& variable, const std::string& attribute) {
    weir_t* weir = nullptr;
    MPI_Comm alone = MPI_COMM_NULL;
    EXPECT_EQ(weir_init(MPI_COMM_SELF, "strategy: remap\n", &alone, &weir), WEIR_OK);
    weir_file* file = nullptr;
    EXPECT_EQ(weir_open(weir, path(name).c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir);
    std::string found;
    if (file) {
      int var = -1;
      std::int64_t length = 0;
      EXPECT_EQ(weir_inq_varid(file, variable.c_str(), &var), WEIR_OK) << variable;
      EXPECT_EQ(weir_inq_att(file, var, attribute.c_str(), nullptr, &length), WEIR_OK) << attribute;
      found.resize(static_cast<std::size_t>(length));
      EXPECT_EQ(weir_get_att(file, var, attribute.c_str(), found.data()), WEIR_OK);
      weir_close(file);
    }
    weir_finalize(&weir);
    MPI_Comm_free(&alone);
    return found;
  }

  std::string config(const std::string& streams, const std::string& rest = "") const {
    return "strategy: dynamic\n" + rest + "streams:\n  daily:\n    file: \"" + path("daily_{time:%Y-%m}.nc") + "\"\n" +
           streams;
  }

  // The mean of the hours (begin, end] of an element: the library's order of sums.
  static double mean(int begin, int end, std::int64_t element) {
    double sum = 0;
    int valid = 0;
    for (int hour = begin + 1; hour <= end; ++hour) {
      if (sample(hour, element) == fill) continue;
      sum += static_cast<double>(sample(hour, element));
      ++valid;
    }
    return valid > 0 ? static_cast<double>(static_cast<float>(sum / valid)) : static_cast<double>(fill);
  }

  int halo_ = 1, layout_ = -1, sst_ = -1, y_ = -1, level_ = -1;
};

inline constexpr const char* daily_means = R"(    every: 1 day
    split: 1 month
    fields: {sst: mean, warmest: {of: sst, as: maximum}, level: mean}
)";

}  // namespace weir::streams_tests
