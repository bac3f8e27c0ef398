// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// The C++ interface: a model's output and its way back, owners, and errors that reach all ranks. Waits end after 20 s,
// so that a rank left alone is a failure here.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <functional>
#include <numeric>
#include <optional>
#include <weir/weir.hpp>

namespace {

using weir::io::Error;
using weir::io::Field;
using weir::io::File;
using weir::io::Indices;
using weir::io::Layout;
using weir::io::Weir;

constexpr std::int64_t nx = 5;
constexpr std::int64_t rows = 3;  // of each rank
const std::string cpp_config = "timeout: 20\ndurability: cache\n";

class FrontDoorTest : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    path_ = std::filesystem::temp_directory_path().string() + "/frontdoor.nc";
    if (rank_ == 0) std::filesystem::remove(path_);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  [[nodiscard]] std::int64_t ny() const { return rows * ranks_; }
  [[nodiscard]] Indices shape() const { return {ny(), nx}; }
  [[nodiscard]] bool is_last() const { return rank_ == ranks_ - 1; }
  [[nodiscard]] Layout own_rows(Weir& weir) const { return weir.def_layout(shape(), {rows * rank_, 0}, {rows, nx}); }

  // What element (y, x) of a record holds.
  static double value(std::int64_t record, std::int64_t y, std::int64_t x) {
    return static_cast<double>(1000 * record + 10 * y + x);
  }
  [[nodiscard]] std::vector<double> own_values(std::int64_t record) const {
    std::vector<double> values;
    for (std::int64_t y = rows * rank_; y < rows * (rank_ + 1); ++y)
      for (std::int64_t x = 0; x < nx; ++x) values.push_back(value(record, y, x));
    return values;
  }

  struct Numbers {
    int time = -1, lon = -1, depth = -1, sea = -1, flow = -1;
  };
  Numbers define(File& file) const {
    Numbers numbers;
    const int t = file.def_dim("t", WEIR_UNLIMITED), y = file.def_dim("y", ny()), x = file.def_dim("x", nx);
    numbers.time = file.def_var("time", WEIR_DOUBLE, {t});
    numbers.lon = file.def_var("lon", WEIR_FLOAT, {x});
    numbers.depth = file.def_var("depth", WEIR_SHORT, {y, x});
    numbers.sea = file.def_var("sea", WEIR_INT, {y, x});
    numbers.flow = file.def_var("flow", WEIR_DOUBLE, {t, y, x});
    file.put_att_text(numbers.lon, "units", "degrees_east");
    file.put_att(numbers.flow, "valid_range", std::array{-1.0, 1e6});
    file.put_att(WEIR_GLOBAL, "version", 7);
    file.enddef();
    return numbers;
  }

  void expect_definitions(const File& back, const Numbers& numbers) const {
    EXPECT_EQ(back.inq_nrecords(), 2);
    EXPECT_EQ(back.inq_format(), 1);
    EXPECT_EQ(back.inq().nvars, 5);
    EXPECT_EQ(back.inq().record_dim, back.inq_dimid("t"));
    EXPECT_EQ(back.inq_dim(back.inq_dimid("y")).length, ny());
    const File::Variable flow = back.inq_var(back.inq_varid("flow"));
    EXPECT_EQ(flow.name, "flow");
    EXPECT_EQ(flow.type, WEIR_DOUBLE);
    EXPECT_EQ(flow.dims.size(), 3U);
    EXPECT_EQ(back.inq_attname(numbers.flow, 0), "valid_range");
    EXPECT_EQ(back.get_att<double>(numbers.flow, "valid_range"), (std::vector<double>{-1.0, 1e6}));
    EXPECT_EQ(back.get_att_text(numbers.lon, "units"), "degrees_east");
    EXPECT_EQ(back.get_att<int>(WEIR_GLOBAL, "version"), std::vector<int>{7});
  }

  // The error that `call` throws on this rank, if any.
  static std::optional<Error> error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error;
    }
    return std::nullopt;
  }

  static void expect_code(const std::optional<Error>& error, weir_code code, const std::string& what) {
    ASSERT_TRUE(error.has_value()) << what << " went through";
    EXPECT_EQ(error->code(), code) << what << ": " << error->what();
  }
  static void expect_words(const std::optional<Error>& error, const std::vector<std::string>& words) {
    ASSERT_TRUE(error.has_value());
    for (const std::string& word : words)
      EXPECT_NE(std::string(error->what()).find(word), std::string::npos) << error->what();
  }

  // `spoiled` on the last rank and `right` on the others is an error of all, by the end of the file, and leaves no
  // file.
  void expect_shared_failure(const std::function<void(File&, const Numbers&, Weir&)>& right,
                             const std::function<void(File&, const Numbers&, Weir&)>& spoiled,
                             const std::vector<std::string>& words) const {
    Weir weir(MPI_COMM_WORLD, cpp_config);
    File file = weir.create(path_);
    const Numbers numbers = define(file);
    const auto at_once = error_of([&] { (is_last() ? spoiled : right)(file, numbers, weir); });
    if (is_last()) {
      expect_code(at_once, WEIR_EARGUMENT, "the spoiled call");
      expect_words(at_once, words);
    }
    const auto at_the_end = error_of([&] { file.close(); });
    expect_code(at_the_end, WEIR_EARGUMENT, "close");
    expect_words(at_the_end, words);
    weir.finalize();
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_FALSE(std::filesystem::exists(path_));
  }

  int rank_ = 0, ranks_ = 1;
  std::string path_;
};

TEST_F(FrontDoorTest, WritesWhatAModelHasAndReadsItBack) {
  Weir weir(MPI_COMM_WORLD, cpp_config);
  const Layout plane = own_rows(weir);
  // The same rows with a halo of one row and column, x slowest in memory.
  const Layout halo =
      weir.def_layout_subarray(shape(), {{rows * rank_, 0}, {rows, nx}}, {1, 0}, {nx + 2, rows + 2}, {1, 1});
  // Every rank's share of the elements in turn; every third element belongs to nobody.
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = rank_; i < ny() * nx; i += ranks_) offsets.push_back(i % 3 == 0 ? WEIR_ABSENT : i);
  const Layout map = weir.def_layout_map(shape(), offsets);
  EXPECT_EQ(plane.buffer_length(), rows * nx);
  EXPECT_EQ(weir.inq_layout(halo), (rows + 2) * (nx + 2));
  EXPECT_EQ(map.buffer_length(), std::ssize(offsets));

  File file = weir.create(path_);
  const Numbers numbers = define(file);
  const std::array<float, nx> longitudes{0, 1, 2, 3, 4};
  file.put_var(numbers.lon, 0, longitudes);
  std::vector<int> with_halo(static_cast<std::size_t>(halo.buffer_length()), -1);
  for (std::int64_t x = 0; x < nx; ++x)
    for (std::int64_t y = 0; y < rows; ++y)
      with_halo[static_cast<std::size_t>((x + 1) * (rows + 2) + y + 1)] =
          static_cast<int>(value(0, rows * rank_ + y, x));
  file.put(numbers.depth, 0, halo, with_halo);
  file.put(numbers.sea, 0, map, std::span<const std::int64_t>(offsets));
  for (std::int64_t record = 0; record < 2; ++record) {
    file.put_var(numbers.time, record, 0.5 * static_cast<double>(record));
    if (record == 0)
      file.put(numbers.flow, record, plane, own_values(record));
    else
      file.put_vara(numbers.flow, {record, rows * rank_, 0}, {1, rows, nx}, own_values(record));
  }
  EXPECT_NE(file.plan(numbers.flow, plane).find("\"rounds\""), std::string::npos);
  file.close();
  EXPECT_NE(weir.report().find("\"bytes_put\""), std::string::npos);

  const File back = weir.open(path_);
  expect_definitions(back, numbers);
  std::vector<float> lon(nx);
  back.get_vara(numbers.lon, {0}, {nx}, lon);
  EXPECT_EQ(lon, std::vector<float>(longitudes.begin(), longitudes.end()));
  std::vector<double> values(rows * nx);
  for (std::int64_t record = 0; record < 2; ++record) {
    back.get(numbers.flow, record, plane, values);
    EXPECT_EQ(values, own_values(record));
  }
  back.get(numbers.depth, 0, plane, values);
  EXPECT_EQ(values, own_values(0));
  std::vector<std::int64_t> whole(static_cast<std::size_t>(ny() * nx));
  back.get_vara(numbers.sea, {0, 0}, {ny(), nx}, whole);
  for (std::int64_t i = 0; i < ny() * nx; ++i)
    EXPECT_EQ(whole[static_cast<std::size_t>(i)], i % 3 == 0 ? -2147483647 : i) << "element " << i;
}

TEST_F(FrontDoorTest, ReadsBoxesOfAllRanks) {
  Weir weir(MPI_COMM_WORLD, cpp_config);
  const Layout plane = own_rows(weir);
  File file = weir.create(path_);
  const Numbers numbers = define(file);
  file.put(numbers.flow, 0, plane, own_values(0));
  file.sync();
  const Indices start{0, 0, 0}, count{1, ny(), nx};
  std::vector<double> alone(static_cast<std::size_t>(ny() * nx)), found(alone.size());
  file.get_vara(numbers.flow, start, count, alone);
  file.get_vara_all(numbers.flow, start, count, found);
  EXPECT_EQ(found, alone);
  found.resize(is_last() ? 1 : alone.size());
  expect_code(error_of([&] { file.get_vara_all(numbers.flow, start, count, found); }), WEIR_EARGUMENT,
              "one rank's buffer is too short");
}

TEST_F(FrontDoorTest, ClosesAndEndsByItself) {
  File longer;
  {
    Weir weir(MPI_COMM_WORLD, cpp_config);
    Weir moved = std::move(weir);
    EXPECT_EQ(weir.handle(), nullptr);
    File file = moved.create(path_);
    const Numbers numbers = define(file);
    longer = std::move(file);
    EXPECT_EQ(file.handle(), nullptr);
    longer.put(numbers.flow, 0, own_rows(moved), own_values(0));
  }
  EXPECT_EQ(longer.handle(), nullptr);
  expect_code(error_of([&] { longer.sync(); }), WEIR_ESTATE, "a sync of a file whose Weir has ended");
  MPI_Barrier(MPI_COMM_WORLD);
  Weir weir(MPI_COMM_WORLD, cpp_config);
  EXPECT_EQ(weir.open(path_).inq_nrecords(), 1);
}

TEST_F(FrontDoorTest, FreedLayoutIsOneNoMore) {
  Weir weir(MPI_COMM_WORLD, cpp_config);
  const Layout plane = own_rows(weir);
  weir.free_layout(plane);
  expect_code(error_of([&] { weir.inq_layout(plane); }), WEIR_EARGUMENT, "a question about a freed layout");
  expect_code(error_of([&] { weir.free_layout(plane); }), WEIR_EARGUMENT, "freeing it again");
}

TEST_F(FrontDoorTest, TellsAllRanksOfABufferOfAnotherSize) {
  const auto put = [&](File& file, const Numbers& numbers, Weir& weir, std::size_t size) {
    const Layout plane = own_rows(weir);
    file.put(numbers.flow, 0, plane, std::vector<double>(size));
  };
  expect_shared_failure([&](File& f, const Numbers& n, Weir& w) { put(f, n, w, rows * nx); },
                        [&](File& f, const Numbers& n, Weir& w) { put(f, n, w, rows * nx - 1); },
                        {"14 elements", "needs 15", "\"flow\""});
}

TEST_F(FrontDoorTest, TellsThemWhereThePlanIsKnown) {
  const auto two_puts = [&](File& file, const Numbers& numbers, Weir& weir, std::size_t second) {
    const Layout plane = own_rows(weir);
    file.put(numbers.flow, 0, plane, own_values(0));
    file.put(numbers.flow, 1, plane, std::vector<double>(second));
  };
  expect_shared_failure([&](File& f, const Numbers& n, Weir& w) { two_puts(f, n, w, rows * nx); },
                        [&](File& f, const Numbers& n, Weir& w) { two_puts(f, n, w, rows * nx + 1); },
                        {"16 elements", "needs 15", "\"flow\""});
}

TEST_F(FrontDoorTest, TellsThemOfABox) {
  const auto put = [&](File& file, const Numbers& numbers, std::size_t size) {
    file.put_vara(numbers.depth, {rows * rank_, 0}, {rows, nx}, std::vector<short>(size));
  };
  expect_shared_failure([&](File& file, const Numbers& numbers, Weir&) { put(file, numbers, rows * nx); },
                        [&](File& file, const Numbers& numbers, Weir&) { put(file, numbers, 3); },
                        {"3 elements", "needs 15", "\"depth\""});
}

TEST_F(FrontDoorTest, TellsThemOfABoxOfOtherDimensions) {
  const std::vector<short> values(rows * nx);
  const auto put = [&](File& file, const Numbers& numbers, const Indices& start, const Indices& count) {
    file.put_vara(numbers.depth, start, count, values);
  };
  expect_shared_failure(
      [&](File& f, const Numbers& n, Weir&) {
        put(f, n, {rows * rank_, 0}, {rows, nx});
      },
      [&](File& f, const Numbers& n, Weir&) { put(f, n, {0}, {rows * nx}); },
      {"\"depth\" has 2 dimensions", "start has 1 numbers"});
}

TEST_F(FrontDoorTest, TellsThemOfAWholeVariable) {
  expect_shared_failure([&](File& f, const Numbers& n, Weir&) { f.put_var(n.lon, 0, std::vector<float>(nx)); },
                        [&](File& f, const Numbers& n, Weir&) { f.put_var(n.lon, 0, std::vector<float>(nx - 1)); },
                        {"4 elements", "needs 5", "\"lon\""});
}

TEST_F(FrontDoorTest, TellsThemWhatTheModelFoundOut) {
  expect_shared_failure([](File&, const Numbers&, Weir&) {},
                        [](File& file, const Numbers&, Weir&) { file.fail(WEIR_EARGUMENT, "the field has no mean"); },
                        {"the field has no mean"});
}

TEST_F(FrontDoorTest, DefinesMoreAfterData) {
  Weir weir(MPI_COMM_WORLD, cpp_config);
  const Layout plane = own_rows(weir);
  File file = weir.create(path_);
  file.set_alignment(1000, 0, 0);
  const Numbers numbers = define(file);
  file.redef();
  file.put_att_text(numbers.flow, "long_name", "of a later day");
  file.enddef();
  file.put(numbers.flow, 0, plane, own_values(0));
  file.sync();
  std::vector<double> found(rows * nx);
  file.get(numbers.flow, 0, plane, found);
  EXPECT_EQ(found, own_values(0));
  file.close();
}

TEST_F(FrontDoorTest, RefusesABufferOfAnotherSizeToRead) {
  Weir weir(MPI_COMM_WORLD, cpp_config);
  const Layout plane = own_rows(weir);
  File file = weir.create(path_);
  const Numbers numbers = define(file);
  file.put(numbers.flow, 0, plane, own_values(0));
  weir.sync_all();
  std::vector<double> small(2), enough(rows * nx);
  expect_words(error_of([&] { file.get(numbers.flow, 0, plane, small); }), {"2 elements", "15"});
  expect_words(error_of([&] { file.get_vara(numbers.flow, {0, 0, 0}, {1, 1, 3}, small); }), {"2 elements", "3"});
  expect_code(error_of([&] {
                file.get_vara(numbers.flow, {0, 0}, {1, 2}, small);
              }),
              WEIR_EARGUMENT, "a box of 2 numbers");
  file.get(numbers.flow, 0, plane, enough);
  EXPECT_EQ(enough, own_values(0));
}

// A Weir with one stream of daily records of two fields.
std::string streams_into(const std::string& path) {
  return cpp_config + "streams:\n  daily: {file: \"" + path +
         "\", every: 1 day, fields: {flow: mean, rain: maximum}}\n";
}

TEST_F(FrontDoorTest, SendsFieldsToStreams) {
  Weir weir(MPI_COMM_WORLD, streams_into(path_));
  const Field flow = weir.def_field("flow", WEIR_DOUBLE, {"y", "x"}, own_rows(weir));
  const Field rain = weir.def_field("rain", WEIR_FLOAT);
  const Field x =
      weir.def_field("x", WEIR_FLOAT, {"x"}, weir.def_layout({nx}, Indices{0}, Indices{rank_ == 0 ? nx : 0}));
  EXPECT_EQ(flow.buffer_length(), rows * nx);
  EXPECT_EQ(rain.buffer_length(), rank_ == 0 ? 1 : 0);
  weir.put_field_att_text(flow, "units", "m3 s-1");
  weir.put_field_att(flow, "valid_range", std::array{-1.0, 1e6});
  weir.put_field_att(Field(), "version", 7);
  weir.set_field(x, std::array<float, nx>{0, 1, 2, 3, 4});
  expect_code(error_of([&] { weir.send(flow, 12, own_values(0)); }), WEIR_ESTATE, "a send before start_streams");
  weir.start_streams("hours since 1990-01-01", 0, "noleap");
  EXPECT_TRUE(weir.field_wanted(flow, 12));
  expect_code(error_of([&] { static_cast<void>(weir.field_wanted(Field(), 12)); }), WEIR_EARGUMENT, "no field");
  for (const int hour : {12, 24}) {
    weir.send(flow, hour, own_values(hour));
    weir.send(rain, hour, 0.5 * hour);
  }
  weir.finalize();

  Weir reader(MPI_COMM_WORLD, cpp_config);
  const File back = reader.open(path_);
  EXPECT_EQ(back.inq_nrecords(), 1);
  EXPECT_EQ(back.get_att_text(back.inq_varid("flow"), "units"), "m3 s-1");
  EXPECT_EQ(back.get_att<double>(back.inq_varid("flow"), "valid_range"), (std::vector<double>{-1.0, 1e6}));
  EXPECT_EQ(back.get_att<int>(WEIR_GLOBAL, "version"), std::vector<int>{7});
  std::vector<double> found(rows * nx), one(1);
  back.get(back.inq_varid("flow"), 0, own_rows(reader), found);
  EXPECT_EQ(found, own_values(18));
  back.get_vara(back.inq_varid("rain"), {0}, {1}, one);
  EXPECT_EQ(one.front(), 12);
  std::vector<double> longitudes(nx);
  back.get_vara(back.inq_varid("x"), {0}, {nx}, longitudes);
  EXPECT_EQ(longitudes, (std::vector<double>{0, 1, 2, 3, 4}));
}

TEST_F(FrontDoorTest, TellsAllRanksOfAFieldOfAnotherSize) {
  Weir weir(MPI_COMM_WORLD, streams_into(path_));
  const Field flow = weir.def_field("flow", WEIR_DOUBLE, {"y", "x"}, own_rows(weir));
  const Field rain = weir.def_field("rain", WEIR_DOUBLE);
  weir.start_streams("hours since 1990-01-01", 0);
  const auto at_once = error_of([&] { weir.send(flow, 24, std::vector<double>(rows * nx - (is_last() ? 1 : 0))); });
  if (is_last()) expect_words(at_once, {"14 elements", "needs 15"});
  static_cast<void>(error_of([&] { weir.send(rain, 24, 1.0); }));
  expect_code(error_of([&] { weir.finalize(); }), WEIR_EARGUMENT, "the end after it");
}

TEST_F(FrontDoorTest, GivesAllRanksTheErrorOfALayout) {
  Weir weir(MPI_COMM_WORLD, cpp_config);
  const Indices start = is_last() ? Indices{0} : Indices{rows * rank_, 0};
  const auto error = error_of([&] { weir.def_layout(shape(), start, {rows, nx}); });
  expect_code(error, WEIR_EARGUMENT, "a start of one number");
  if (is_last()) expect_words(error, {"2 dimensions"});
  EXPECT_EQ(own_rows(weir).buffer_length(), rows * nx);  // and goes on
}

TEST_F(FrontDoorTest, ThrowsTheCodesOfTheLibrary) {
  expect_code(error_of([] { Weir weir(MPI_COMM_WORLD, "strategy: nosuch\n"); }), WEIR_ECONFIG, "an unknown strategy");
  Weir weir(MPI_COMM_WORLD, cpp_config);
  expect_code(error_of([&] { weir.open(path_); }), WEIR_EIO, "a file that is not there");
  File file = weir.create(path_);
  const int x = file.def_dim("x", nx);
  const int var = file.def_var("v", WEIR_INT, {x});
  file.put_att(var, "scale", 2.0F);
  expect_code(error_of([&] { file.inq_varid("w"); }), WEIR_ENOTFOUND, "a variable that is not there");
  expect_code(error_of([&] { file.get_att<double>(var, "scale"); }), WEIR_EARGUMENT, "an attribute of another type");
  file.enddef();
  file.put_var(var, 0, std::vector<int>(nx));
  file.close();
  expect_code(error_of([&] { file.sync(); }), WEIR_ESTATE, "a sync of a closed file");
  File early = weir.create(path_);
  const int scalar = early.def_var("v", WEIR_INT, {});
  expect_code(error_of([&] { early.put_var(scalar, 0, 1); }), WEIR_ESTATE, "a put before enddef");
  expect_code(error_of([&] { early.close(); }), WEIR_ESTATE, "the close of its file");
  weir.finalize();
  expect_code(error_of([&] { weir.finalize(); }), WEIR_ESTATE, "a second end");
  EXPECT_EQ(weir::io::strerror(WEIR_OK), "no error");
}

}  // namespace
