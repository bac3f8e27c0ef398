// SPDX-License-Identifier: Apache-2.0
// ranks: 2 4 8
// A program of CFIO2 that knows nothing of streams puts an hourly file, and the configuration makes daily means of it.
#include "cfio2/fixture.hpp"

namespace cfio2_tests {
namespace {

constexpr int hours = 48;
const Variable flow{"flow", {"time", "y", "x"}, {0, 14, 5}};
const Variable time_of_record{"time", {"time"}, {0}};

class FeedsTest : public ProgramTest {
 protected:
  std::string streams(const std::string& keep) const {
    return "{daily: {of: \"hourly*\", keep: " + keep + ", file: \"" + path("daily.nc") +
           "\", every: 1 day, as: mean, fields: [flow]}}";
  }

  void put_hour(int hour) {
    const double at = hour;
    expect_ok(put_values(path("hourly.nc"), time_of_record, {{hour - 1}, {1}}, &at, true), "time");
    if (hour == 1)
      expect_ok(
          cfio2_put_att_text(MPI_COMM_WORLD, path("hourly.nc").c_str(), "time", "units", "hours since 1990-01-30"),
          "units");
    put_ok(path("hourly.nc"), flow, hour, true, hour - 1);
    expect_ok(cfio2_wait_output(MPI_COMM_WORLD), "cfio2_wait_output");
  }

  // On rank 0.
  std::vector<double> read(const std::string& file, const std::string& variable, std::vector<MPI_Offset> count) const {
    int id = -1, var = -1;
    MPI_Offset all = 1;
    for (const MPI_Offset length : count) all *= length;
    std::vector<double> values(static_cast<std::size_t>(all));
    const std::vector<MPI_Offset> start(count.size(), 0);
    EXPECT_EQ(ncmpi_open(MPI_COMM_SELF, file.c_str(), NC_NOWRITE, MPI_INFO_NULL, &id), NC_NOERR) << file;
    EXPECT_EQ(ncmpi_inq_varid(id, variable.c_str(), &var), NC_NOERR) << variable;
    EXPECT_EQ(ncmpi_get_vara_double_all(id, var, start.data(), count.data(), values.data()), NC_NOERR) << variable;
    ncmpi_close(id);
    return values;
  }

  MPI_Offset records(const std::string& file) const {
    int id = -1, dim = -1;
    MPI_Offset length = -1;
    EXPECT_EQ(ncmpi_open(MPI_COMM_SELF, file.c_str(), NC_NOWRITE, MPI_INFO_NULL, &id), NC_NOERR) << file;
    ncmpi_inq_dimid(id, "time", &dim);
    ncmpi_inq_dimlen(id, dim, &length);
    ncmpi_close(id);
    return length;
  }

  // On rank 0: the means of the hours (0, 24] and (24, 48].
  void expect_daily_means() const {
    const std::vector<double> daily = read(path("daily.nc"), "flow", {2, 14, 5});
    for (std::int64_t i = 0; i < 2 * 14 * 5; ++i) {
      double sum = 0;
      const int day = static_cast<int>(i / (14 * 5));
      for (int hour = 24 * day + 1; hour <= 24 * (day + 1); ++hour) sum += element(i % (14 * 5), hour);
      EXPECT_EQ(daily[static_cast<std::size_t>(i)], sum / 24) << i;
    }
    EXPECT_EQ(read(path("daily.nc"), "time_bnds", {2, 2}), (std::vector<double>{0, 24, 24, 48}));
  }
};

TEST_F(FeedsTest, MakesDailyMeansOfAnHourlyFile) {
  for (const char* const keep : {"yes", "no"}) {
    const Setting setting("WEIR_STREAMS", streams(keep).c_str());
    const char* const strategy = std::getenv("WEIR_STRATEGY");
    if (strategy != nullptr && strategy == std::string("servers")) {
      EXPECT_EQ(cfio2_init(MPI_COMM_WORLD, 2, 2), WEIR_ECONFIG);
      EXPECT_NE(std::string(cfio2_error()).find("strategy: servers sends it away"), std::string::npos) << cfio2_error();
      continue;
    }
    run([&] {
      for (int hour = 1; hour <= hours; ++hour) put_hour(hour);
    });
    if (rank_ == 0) {
      expect_daily_means();
      EXPECT_EQ(records(path("hourly.nc")), keep == std::string("no") ? 0 : hours);
      std::filesystem::remove(path("hourly.nc"));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace
}  // namespace cfio2_tests
