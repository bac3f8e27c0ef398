// ranks: 1 4 7
// SPDX-License-Identifier: Apache-2.0
// What storage is asked for before it is read: by weir_prefetch, and where records or variables come in turn. It is
// read once all the same, its values are right, it takes none of Weir's memory, and whoever asks for something wrong
// is told on all ranks.
#include <unistd.h>

#include <algorithm>

#include "read/reading_fixture.hpp"

namespace {

using reading::columns;
using reading::Json;
using reading::levels;
using reading::rows_each;

class AheadTest : public reading::ReadingTest {
 protected:
  Json reading() { return report()["reading"]; }
  // Fields field0, field1, ... alike but for their values, with a mask between two of them; none has records.
  weir_file* make_fields(int count) {
    weir_file* file = create();
    int dims[3], mask = -1;
    EXPECT_EQ(weir_def_dim(file, "z", levels, &dims[0]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file, "y", rows(), &dims[1]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file, "x", columns, &dims[2]), WEIR_OK);
    fields_.resize(static_cast<std::size_t>(count));
    for (int f = 0; f < count; ++f) {
      const std::string name = "field" + std::to_string(f);
      EXPECT_EQ(weir_def_var(file, name.c_str(), WEIR_DOUBLE, 3, dims, &fields_[static_cast<std::size_t>(f)]), WEIR_OK);
      if (f == 2) {
        EXPECT_EQ(weir_def_var(file, "mask", WEIR_DOUBLE, 2, dims + 1, &mask), WEIR_OK);
      }
    }
    EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
    const Triple start{0, rows_each * rank_, 0}, size{levels, rows_each, columns};
    by_rows_ = layout(start, size);
    for (int f = 0; f < count; ++f)
      EXPECT_EQ(
          weir_put(file, fields_[static_cast<std::size_t>(f)], 0, by_rows_, WEIR_DOUBLE, values(start, size, f).data()),
          WEIR_OK)
          << weir_error(weir_);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_open(weir_, path().c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir_);
    by_halo_ = layout(halo_start(), halo_count());
    return file;
  }
  // How many fields storage has been asked for once these were got, one after the other.
  std::vector<std::int64_t> asked_after(weir_file* file, const std::vector<int>& order) {
    std::vector<std::int64_t> asked;
    for (const int f : order) {
      const std::vector<double> right = values(halo_start(), halo_count(), f);
      std::vector<double> found(right.size(), -1);
      EXPECT_EQ(weir_get(file, fields_[static_cast<std::size_t>(f)], 0, by_halo_, WEIR_DOUBLE, found.data()), WEIR_OK)
          << weir_error(weir_);
      EXPECT_EQ(found, right) << "field" << f;
      asked.push_back(reading()["bytes_ahead"].get<std::int64_t>() / (elements() * 8));
    }
    return asked;
  }

  std::vector<int> fields_;
};

// Records that come in turn are asked for ahead; others are not.
TEST_F(AheadTest, AsksForTheNextRecord) {
  start("strategy: remap\ndurability: cache\ndebug.forward: messages\n");  // by owners
  weir_file* file = make("file.nc");
  for (std::int64_t record = 2; record < 5; ++record) put(file, record);
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_open(weir_, path().c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir_);
  by_halo_ = layout(halo_start(), halo_count());
  std::int64_t ahead = 0;
  for (const std::int64_t record : {0, 3, 1, 2, 2, 3, 4}) {  // 2: asks for 3; 3: for 4; there is no 5
    EXPECT_EQ(get_halo(file, record), values(halo_start(), halo_count(), record));
    if (record == 2 && ahead == 0)
      ahead = 1;
    else if (record == 3 && ahead == 1)
      ahead = 2;
    EXPECT_EQ(report()["reading"]["bytes_ahead"], ahead * elements() * 8) << "record " << record;
  }
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

// Of variables that come in turn two are under way beside the one that is got; of others none. All are read once.
TEST_F(AheadTest, AsksForTheNextVariables) {
  for (const std::string more : {"", "buffer_limit: 256KiB\n"}) {
    SCOPED_TRACE(more);
    start("strategy: remap\ndurability: cache\ndebug.forward: messages\n" + more);
    weir_file* file = make_fields(6);
    EXPECT_EQ(asked_after(file, {0, 1, 2, 3, 4, 5}), (std::vector<std::int64_t>{0, 2, 3, 4, 4, 4}));
    EXPECT_EQ(reading()["bytes_read"], 6 * elements() * 8);
    EXPECT_LE(report()["high_water_bytes"], more.empty() ? 128 << 20 : 256 << 10);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_open(weir_, path().c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(asked_after(file, {5, 3, 1, 4}), (std::vector<std::int64_t>{4, 4, 4, 4}));
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    end();
  }
}

// What was asked for is read once, by its owners, as without asking; what comes in turn is not asked for twice.
TEST_F(AheadTest, AsksForWhatTheModelWillGet) {
  for (const std::string more :
       {"strategy: remap\ndebug.forward: messages\n",
        "strategy: dynamic\nbuffer_limit: 256KiB\ndebug.forward: messages\n", "strategy: remap\npage_cache: past\n"}) {
    SCOPED_TRACE(more);
    start("durability: cache\n" + more);
    weir_file* file = make_and_open();
    by_halo_ = layout(halo_start(), halo_count());
    const int vars[] = {salt_};
    EXPECT_EQ(weir_prefetch(file, 0, nullptr, 0, by_halo_), WEIR_OK) << weir_error(weir_);
    EXPECT_FALSE(report().contains("reading"));
    for (std::int64_t record = 0; record < 2; ++record)
      EXPECT_EQ(weir_prefetch(file, 1, vars, record, by_halo_), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(report()["reading"]["bytes_ahead"], 2 * elements() * 8);
    EXPECT_EQ(report()["reading"]["bytes_read"], 0);
    for (std::int64_t record = 0; record < 2; ++record)
      EXPECT_EQ(get_halo(file, record), values(halo_start(), halo_count(), record));
    EXPECT_EQ(report()["reading"]["bytes_read"], 2 * elements() * 8);
    EXPECT_EQ(report()["reading"]["bytes_ahead"], 2 * elements() * 8);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    end();
  }
}

TEST_F(AheadTest, TellsAllRanksWhatOnePrefetchHasWrong) {
  start("strategy: remap\ndurability: cache\n");
  weir_file* file = make_and_open();
  by_halo_ = layout(halo_start(), halo_count());
  const std::string last = "rank " + std::to_string(ranks_ - 1);
  const int vars[] = {salt_, lat_}, none[] = {is_last() ? 9 : salt_};
  const auto refuse = [&](std::vector<std::string> words, auto call) {
    expect_refused(file, WEIR_EARGUMENT, words, [&](double*) { return call(); });
  };
  refuse({"record 2", "the file has 2"}, [&] { return weir_prefetch(file, 1, vars, 2, by_halo_); });
  refuse({"the layout is of an array"}, [&] { return weir_prefetch(file, 2, vars, 0, by_halo_); });
  refuse({last, "no variable"}, [&] { return weir_prefetch(file, 1, none, 0, by_halo_); });
  refuse({last, "no layout 99"}, [&] { return weir_prefetch(file, 1, vars, 0, is_last() ? 99 : by_halo_); });
  refuse({last, "no variable"}, [&] { return weir_prefetch(file, 1, is_last() ? nullptr : vars, 0, by_halo_); });
  if (ranks_ > 1)
    expect_refused(file, WEIR_EMISMATCH, {"record 1", "record 0", "same"},
                   [&](double*) { return weir_prefetch(file, 1, vars, is_last() ? 1 : 0, by_halo_); });
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

// Each rank for itself, each host, owners: what was asked for is there at once, and within the memory that reading may
// take; what nobody reads afterwards harms nobody.
TEST_F(AheadTest, GetsWhatWasAskedForAtOnce) {
  for (const std::string more : {"", "debug.ranks_per_host: 2\n", "debug.forward: messages\n"}) {
    SCOPED_TRACE(more);
    start("durability: cache\nbuffer_limit: 256KiB\n" + more);
    weir_file* file = make_and_open();
    by_halo_ = layout(halo_start(), halo_count());
    const int vars[] = {salt_};
    ASSERT_EQ(weir_prefetch(file, 1, vars, 1, by_halo_), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(get_halo(file, 1), values(halo_start(), halo_count(), 1));
    ASSERT_EQ(weir_prefetch(file, 1, vars, 0, by_halo_), WEIR_OK) << weir_error(weir_);
    EXPECT_GE(reading()["bytes_ahead"], 2 * elements() * 8);
    EXPECT_LE(report()["high_water_bytes"], 256 << 10);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    end();
  }
}

TEST_F(AheadTest, TellsWhoAsksForWhatIsNotThere) {
  start("strategy: remap\ndurability: cache\n");
  weir_file* file = make("file.nc");
  by_halo_ = layout(halo_start(), halo_count());
  const int vars[] = {salt_};
  const auto prefetch = [&] { return faults::Outcome{weir_prefetch(file, 1, vars, 1, by_halo_), weir_error(weir_)}; };
  expect_same(prefetch(), WEIR_ESTATE, {"nothing to read", "weir_sync"});
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  expect_same(prefetch(), WEIR_ESTATE, {"file.nc", "after weir_close"});
  EXPECT_EQ(weir_open(weir_, path().c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir_);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) {
    ASSERT_EQ(::truncate(path().c_str(), static_cast<off_t>(elements() * 8)), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect_same(prefetch(), WEIR_OK, {});  // the get tells
  std::vector<double> room(values(halo_start(), halo_count(), 1).size(), -1);
  const int code = weir_get(file, salt_, 1, by_halo_, WEIR_DOUBLE, room.data());
  expect_same({code, weir_error(weir_)}, WEIR_EIO, {"file.nc", "truncated", "salt"});
  EXPECT_TRUE(std::all_of(room.begin(), room.end(), [](double value) { return value == -1; }));
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
}

}  // namespace
