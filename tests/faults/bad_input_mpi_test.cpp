// ranks: 1 4 7
// SPDX-License-Identifier: Apache-2.0
// Input that cannot be right, given by all ranks or by one alone: all are told the same, and no broken file is left.
#include <cmath>
#include <limits>

#include "faults/faults.hpp"

namespace faults {
namespace {

using BadInput = FaultTest;

// Under every strategy that ends in one file.
class BadInputOfAStrategy : public FaultTest, public testing::WithParamInterface<const char*> {
 protected:
  void begin_strategy() { start(std::string("strategy: ") + GetParam() + "\n"); }
};
INSTANTIATE_TEST_SUITE_P(All, BadInputOfAStrategy,
                         testing::Values("serial", "collective", "rows", "columns", "remap", "dynamic"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(BadInputOfAStrategy, OverlapBetweenRanks) {
  begin_strategy();
  weir_file* file = begin();
  const std::int64_t first = rank_ == ranks_ - 1 && ranks_ > 1 ? 2 * rank_ - 1 : 2 * rank_;
  const int layout = layout_of(first, 2);
  EXPECT_EQ(last_.code, WEIR_OK) << last_.message;
  const Outcome outcome = last_error([&] { return weir_put(file, temp_, 0, layout, WEIR_FLOAT, field(0).data()); },
                                     [&] { return weir_sync(file); });
  if (ranks_ == 1) return expect_same(outcome, WEIR_OK, {});
  expect_same(outcome, WEIR_EOVERLAP,
              {"\"temp\"", path(), "rank " + std::to_string(ranks_ - 1), "rank " + std::to_string(ranks_ - 2)});
  EXPECT_EQ(weir_close(file), WEIR_EOVERLAP);
  expect_files({});
}

TEST_P(BadInputOfAStrategy, OverlapWithinARank) {
  begin_strategy();
  weir_file* file = begin();
  const std::int64_t shape[] = {2 * ranks_, 6}, starts[] = {2 * rank_, 0, 2 * rank_, 3}, counts[] = {2, 4, 2, 3};
  int layout = -1;
  const std::vector<float> values(14);
  const Outcome outcome =
      last_error([&] { return weir_def_layout(weir_, 2, shape, 2, starts, counts, nullptr, &layout); },
                 [&] { return weir_put(file, temp_, 0, layout, WEIR_FLOAT, values.data()); });
  expect_same(outcome, WEIR_EOVERLAP, {"rank"});
  EXPECT_NE(weir_close(file), WEIR_OK);
  expect_files({});
}

TEST_P(BadInputOfAStrategy, OverlapOfOffsetMaps) {
  begin_strategy();
  weir_file* file = begin();
  const std::int64_t shape[] = {2 * ranks_, 6}, offsets[] = {rank_ * 3, WEIR_ABSENT, rank_ * 3 + 1, 0};
  int layout = -1;
  const std::vector<float> values(4);
  const std::int64_t length = rank_ == 0 ? 3 : 4;  // element 0 is held by all ranks
  EXPECT_EQ(weir_def_layout_map(weir_, 2, shape, length, offsets, &layout), WEIR_OK) << weir_error(weir_);
  const Outcome outcome = last_error([&] { return weir_put(file, temp_, 0, layout, WEIR_FLOAT, values.data()); },
                                     [&] { return weir_sync(file); });
  if (ranks_ == 1) return expect_same(outcome, WEIR_OK, {});
  expect_same(outcome, WEIR_EOVERLAP, {"\"temp\"", "rank ", "[0:1)"});
  EXPECT_EQ(weir_close(file), WEIR_EOVERLAP);
  expect_files({});
}

TEST_P(BadInputOfAStrategy, HoleWhereFullCoverIsAskedFor) {
  begin_strategy();
  weir_file* file = create();
  define(file);
  EXPECT_EQ(weir_set_fill(file, WEIR_COVER), WEIR_OK);
  EXPECT_EQ(weir_enddef(file), WEIR_OK);
  const int layout = layout_of(2 * rank_, rank_ == ranks_ - 1 ? 1 : 2);
  const Outcome outcome = last_error([&] { return weir_put(file, temp_, 0, layout, WEIR_FLOAT, field(0).data()); },
                                     [&] { return weir_sync(file); });
  expect_same(outcome, WEIR_ECOVER, {"\"temp\"", "full cover"});
  EXPECT_EQ(weir_close(file), WEIR_ECOVER);
  expect_files({});
}

TEST_F(BadInput, VariableThatWasNeverPutWhereFullCoverIsAskedFor) {
  start();
  weir_file* file = create();
  define(file);
  EXPECT_EQ(weir_set_fill(file, WEIR_COVER), WEIR_OK);
  expect_same(last_error([&] { return weir_enddef(file); }, [&] { return weir_sync(file); }), WEIR_ECOVER,
              {"\"mask\""});
  EXPECT_EQ(weir_close(file), WEIR_ECOVER);
  expect_files({});
}

TEST_F(BadInput, BoxOutsideItsVariable) {
  start();
  weir_file* file = begin();
  const bool odd = rank_ == ranks_ - 1;
  layout_of(odd ? 2 * rank_ + 1 : 2 * rank_, 2);
  expect_same(last_, WEIR_EARGUMENT, {"rank " + std::to_string(ranks_ - 1), "not inside", "dimension 0"});
  layout_of(odd ? -1 : 2 * rank_, 2);
  expect_same(last_, WEIR_EARGUMENT, {"not inside"});
  layout_of(2 * rank_, odd ? std::numeric_limits<std::int64_t>::max() : 2);
  expect_same(last_, WEIR_EARGUMENT, {"not inside"});
  const std::int64_t start[] = {0, 2 * rank_, odd ? 1 : 0}, count[] = {1, 2, 6};
  expect_same(first_error([&] { return weir_put_vara(file, temp_, start, count, WEIR_FLOAT, field(0).data()); }),
              WEIR_EARGUMENT, {"\"temp\"", "not inside", "rank " + std::to_string(ranks_ - 1)});
  EXPECT_EQ(weir_close(file), WEIR_EARGUMENT);
  expect_files({});
}

TEST_F(BadInput, OffsetsThatCannotBe) {
  start();
  const bool odd = rank_ == ranks_ - 1;
  const std::int64_t shape[] = {2 * ranks_, 6}, base = rank_ * 12;
  const auto define_map = [&](std::vector<std::int64_t> offsets) {
    int layout = -1;
    return first_error(
        [&] { return weir_def_layout_map(weir_, 2, shape, std::ssize(offsets), offsets.data(), &layout); });
  };
  const std::string who = "rank " + std::to_string(ranks_ - 1);
  expect_same(define_map({base, odd ? -1 : base + 1}), WEIR_EARGUMENT, {who, "-1", "element 1"});
  expect_same(define_map({base, odd ? base : base + 1}), WEIR_EARGUMENT, {who, "twice"});
  expect_same(define_map({base, odd ? 12 * ranks_ : base + 1}), WEIR_EARGUMENT,
              {who, "0 to " + std::to_string(12 * ranks_ - 1)});
  make_good_file(2);
  expect_good_file(2);
}

TEST_F(BadInput, LayoutsThatCannotBe) {
  start();
  const std::int64_t shape[] = {4, 6}, negative[] = {4, -6}, at[] = {0, 0}, count[] = {4, 6}, memory[] = {4, 8};
  const int twice[] = {0, 0};
  int layout = -1;
  expect_same(first_error([&] { return weir_def_layout(weir_, 2, negative, 0, nullptr, nullptr, nullptr, &layout); }),
              WEIR_EARGUMENT, {"-6"});
  expect_same(first_error([&] { return weir_def_layout(weir_, 2, shape, 1, at, count, twice, &layout); }),
              WEIR_EARGUMENT, {"order"});
  expect_same(first_error([&] { return weir_def_layout(weir_, -1, shape, 1, at, count, nullptr, &layout); }),
              WEIR_EARGUMENT, {"ndims"});
  const std::int64_t beside[] = {0, 3};
  expect_same(first_error([&] {
                return weir_def_layout_subarray(weir_, 2, shape, at, count, nullptr, memory, beside, &layout);
              }),
              WEIR_EARGUMENT, {"does not fit", "8"});
  expect_same(first_error([&] { return weir_free_layout(weir_, 77); }), WEIR_EARGUMENT, {"layout 77"});
}

TEST_F(BadInput, LayoutOfAnotherArray) {
  start();
  weir_file* file = begin();
  const std::int64_t shape[] = {12, ranks_}, at[] = {0, rank_}, count[] = {12, 1};
  int layout = -1;
  EXPECT_EQ(weir_def_layout(weir_, 2, shape, 1, at, count, nullptr, &layout), WEIR_OK);
  expect_same(last_error([&] { return weir_put(file, temp_, 0, layout, WEIR_FLOAT, field(0).data()); },
                         [&] { return weir_sync(file); }),
              WEIR_EARGUMENT, {"\"temp\"", "(12, " + std::to_string(ranks_) + ")"});
  EXPECT_EQ(weir_close(file), WEIR_EARGUMENT);
  expect_files({});
}

TEST_F(BadInput, UnknownNumbers) {
  start();
  const auto refuse = [&](const std::string& name, auto call, const std::vector<std::string>& words) {
    weir_file* file = begin(name);
    expect_same(last_error([&] { return call(file); }, [&] { return weir_sync(file); }), WEIR_EARGUMENT, words);
    EXPECT_EQ(weir_close(file), WEIR_EARGUMENT) << weir_error(weir_);
  };
  const std::int64_t at[] = {0, 0, 0};
  const float values[12] = {};
  refuse("a.nc", [&](weir_file* f) { return weir_put(f, 99, 0, rows_, WEIR_FLOAT, values); }, {"99", "it has 3"});
  refuse("b.nc", [&](weir_file* f) { return weir_put(f, -1, 0, rows_, WEIR_FLOAT, values); }, {"-1"});
  refuse("c.nc", [&](weir_file* f) { return weir_put_vara(f, 99, at, at, WEIR_FLOAT, values); }, {"99"});
  refuse("d.nc", [&](weir_file* f) { return weir_put_var(f, 99, 0, WEIR_FLOAT, values); }, {"99"});
  refuse("e.nc", [&](weir_file* f) { return weir_put(f, temp_, 0, 1234, WEIR_FLOAT, values); }, {"layout 1234"});
  refuse("f.nc", [&](weir_file* f) { return weir_put(f, temp_, -3, rows_, WEIR_FLOAT, values); }, {"record -3"});
  refuse("g.nc", [&](weir_file* f) { return weir_put(f, temp_, 0, rows_, static_cast<weir_type>(13), values); },
         {"13"});
  refuse("h.nc", [&](weir_file* f) { return weir_put(f, temp_, 0, rows_, WEIR_CHAR, values); }, {"char", "float"});
  expect_files({});
}

TEST_F(BadInput, NamesThatAreNotThere) {
  start();
  weir_file* file = begin();
  int number = 7;
  EXPECT_EQ(weir_inq_varid(file, "salt", &number), WEIR_ENOTFOUND);
  EXPECT_NE(std::string(weir_file_error(file)).find("salt"), std::string::npos);
  EXPECT_EQ(weir_inq_dimid(file, "lon", &number), WEIR_ENOTFOUND);
  EXPECT_EQ(weir_inq_att(file, temp_, "units", nullptr, nullptr), WEIR_ENOTFOUND);
  EXPECT_EQ(weir_inq_var(file, 44, nullptr, nullptr, nullptr, nullptr, nullptr), WEIR_EARGUMENT);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);  // a question breaks nothing
}

TEST_F(BadInput, DefinitionsThatCannotBe) {
  start();
  weir_file* file = create();
  const auto refuse = [&](int code, const std::vector<std::string>& words) {
    expect_same({code, weir_file_error(file)}, WEIR_EARGUMENT, words);
  };
  int time = -1, x = -1;
  EXPECT_EQ(weir_def_dim(file, "time", WEIR_UNLIMITED, &time), WEIR_OK);
  EXPECT_EQ(weir_def_dim(file, "x", 5, &x), WEIR_OK);
  const int late[] = {x, time};
  refuse(weir_def_dim(file, "again", WEIR_UNLIMITED, nullptr), {"again", "time"});
  refuse(weir_def_dim(file, "x", 7, nullptr), {"x"});
  refuse(weir_def_dim(file, "y", -7, nullptr), {"y", "-7"});
  refuse(weir_def_dim(file, "a//b", 7, nullptr), {"a//b"});  // a/b would be b in the group a
  refuse(weir_def_dim(file, nullptr, 7, nullptr), {"name"});
  refuse(weir_def_var(file, "v", WEIR_INT, 2, late, nullptr), {"v", "time"});
  refuse(weir_def_var(file, "v", static_cast<weir_type>(12), 0, nullptr, nullptr), {"v", "12"});
  refuse(weir_put_att_text(file, 5, "units", "K"), {"no such variable"});
  refuse(weir_put_att(file, WEIR_GLOBAL, "a", WEIR_INT, -2, nullptr), {"a", "-2"});
  // The model asked for a file that cannot be: none is made, and the first reason is the one to be told.
  expect_same(first_error([&] { return weir_close(file); }), WEIR_EARGUMENT, {"again"});
  expect_files({});
}

TEST_F(BadInput, CallsAtTheWrongTime) {
  start();
  weir_file* file = create();
  define(file);
  rows_ = layout_of(2 * rank_, 2);
  EXPECT_EQ(weir_inq_format(file, nullptr), WEIR_ESTATE);
  const std::int64_t at[] = {0, 0, 0};
  float value = 0;
  EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
  expect_same(first_error([&] { return weir_get_vara(file, temp_, at, at, WEIR_FLOAT, &value); }), WEIR_ESTATE,
              {"nothing to read"});
  EXPECT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  expect_same(first_error([&] { return put_field(file, 1); }), WEIR_ESTATE, {"after weir_close"});
  expect_same(first_error([&] { return weir_sync(file); }), WEIR_ESTATE, {"after weir_close"});
  expect_same(first_error([&] { return weir_close(file); }), WEIR_ESTATE, {path(), "after weir_close"});
  EXPECT_EQ(weir_inq(file, nullptr, nullptr, nullptr, nullptr), WEIR_ESTATE);
  expect_good_file(1);
}

TEST_F(BadInput, HandlesThatAreNoMore) {
  start();
  make_good_file(1);
  weir_file *file = nullptr, *none = nullptr;
  EXPECT_EQ(weir_put(nullptr, 0, 0, 0, WEIR_FLOAT, nullptr), WEIR_ESTATE);
  EXPECT_EQ(weir_sync(nullptr), WEIR_ESTATE);
  EXPECT_EQ(weir_close(nullptr), WEIR_ESTATE);
  EXPECT_EQ(weir_enddef(nullptr), WEIR_ESTATE);
  EXPECT_EQ(weir_inq(nullptr, nullptr, nullptr, nullptr, nullptr), WEIR_ESTATE);
  EXPECT_NE(std::string(weir_file_error(nullptr)), "");
  EXPECT_EQ(weir_open(weir_, path().c_str(), WEIR_NOWRITE, &file), WEIR_OK);
  expect_same(first_error([&] { return weir_create(weir_, nullptr, 0, &none); }), WEIR_EARGUMENT, {"path"});
  EXPECT_EQ(weir_finalize(&weir_), WEIR_OK);
  EXPECT_EQ(weir_, nullptr);
  EXPECT_EQ(weir_finalize(&weir_), WEIR_ESTATE);
  EXPECT_EQ(weir_create(weir_, path("more.nc").c_str(), 0, &none), WEIR_ESTATE);
  EXPECT_NE(std::string(weir_error(weir_)), "");
  expect_good_file(1);
  expect_files({"file.nc"});
}

// NaN and what is too large become the fill value; the file is whole, and the error comes with the commit, everywhere.
TEST_P(BadInputOfAStrategy, ValuesThatDoNotFit) {
  begin_strategy();
  weir_file* file = begin();
  const bool odd = rank_ == ranks_ - 1;
  std::vector<double> values(12, 3);
  if (odd) values[0] = std::nan(""), values[5] = 1e9, values[11] = -32769;
  EXPECT_EQ(weir_put(file, mask_, 0, rows_, WEIR_DOUBLE, values.data()), WEIR_OK) << weir_error(weir_);
  expect_same(
      first_error([&] { return weir_sync(file); }), WEIR_ERANGE,
      {"\"mask\"", path(), "3 value(s)", "double", "short", "rank " + std::to_string(ranks_ - 1), "fill value"});
  EXPECT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);  // told once: the file goes on
  expect_same(first_error([&] { return weir_sync(file); }), WEIR_OK, {});
  std::vector<short> found(static_cast<std::size_t>(12 * ranks_));
  const std::int64_t at[] = {0, 0}, count[] = {2 * ranks_, 6};
  EXPECT_EQ(weir_get_vara(file, mask_, at, count, WEIR_SHORT, found.data()), WEIR_OK) << weir_error(weir_);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto last = static_cast<std::size_t>(12 * (ranks_ - 1));
    EXPECT_EQ(found[i], i == last || i == last + 5 || i == last + 11 ? -32767 : 3) << i;
  }
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  expect_good_file(1);
}

// One rank alone gives no buffer: it is told at once, the others at the next call, and all the same.
TEST_P(BadInputOfAStrategy, BufferThatIsMissingOnOneRank) {
  begin_strategy();
  weir_file* file = begin();
  EXPECT_EQ(put_field(file, 0), WEIR_OK);
  EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
  const bool odd = rank_ == ranks_ - 1;
  expect_same(
      last_error([&] { return odd ? weir_put(file, temp_, 1, rows_, WEIR_FLOAT, nullptr) : put_field(file, 1); },
                 [&] { return weir_sync(file); }),
      WEIR_EARGUMENT, {"\"temp\"", "NULL", "rank " + std::to_string(ranks_ - 1)});
  expect_same(first_error([&] { return put_field(file, 2); }), WEIR_EARGUMENT, {"NULL"});
  EXPECT_EQ(weir_close(file), WEIR_EARGUMENT);
  expect_files({"file.nc"});
  expect_good_file(1);
}

// Another file of the same cycle is whole all the same, or fails on all ranks and leaves nothing broken.
TEST_P(BadInputOfAStrategy, FailureOfOneFileBesideAnother) {
  begin_strategy();
  weir_file *bad = begin("bad.nc"), *good = begin("good.nc");
  const bool odd = rank_ == ranks_ - 1;
  for (std::int64_t r = 0; r < 3; ++r) {
    EXPECT_EQ(put_field(good, r), WEIR_OK) << weir_error(weir_);
    if (r != 1) continue;
    EXPECT_EQ(odd ? weir_put(bad, temp_, 0, rows_, WEIR_FLOAT, nullptr) : put_field(bad, 0),
              odd ? WEIR_EARGUMENT : WEIR_OK);
  }
  const Outcome outcome = first_error([&] { return weir_close(good); });
  EXPECT_EQ(weir_close(bad), WEIR_EARGUMENT) << weir_error(weir_);
  if (of_rank_0(std::to_string(outcome.code)) == "0") {
    expect_same(outcome, WEIR_OK, {});
    expect_good_file(3, "good.nc");
    expect_files({"good.nc"});
  } else {
    expect_same(outcome, WEIR_EARGUMENT, {"NULL"});
    expect_files({});
  }
  make_good_file(2, "after.nc");
  expect_good_file(2, "after.nc");
}

// The same by the calls that make their layouts themselves: no rank is out of sync afterwards.
TEST_F(BadInput, OneRankAloneInEachCall) {
  start();
  const bool odd = rank_ == ranks_ - 1;
  const std::int64_t at[] = {0, 2 * rank_, 0}, count[] = {1, 2, 6}, negative[] = {1, 2, -6};
  const int step = 5;
  int number = 0;
  const auto one_fails = [&](auto bad, auto good) {
    weir_file* file = begin("file" + std::to_string(number) + ".nc");
    expect_same(last_error([&] { return odd ? bad(file) : good(file); }, [&] { return weir_sync(file); }),
                WEIR_EARGUMENT, {"rank " + std::to_string(ranks_ - 1)});
    EXPECT_EQ(weir_close(file), WEIR_EARGUMENT) << weir_error(weir_);
    expect_files({});
    ++number;
  };
  const auto good_box = [&](weir_file* f) { return weir_put_vara(f, temp_, at, count, WEIR_FLOAT, field(0).data()); };
  const auto good_var = [&](weir_file* f) { return weir_put_var(f, step_, 0, WEIR_INT, &step); };
  const auto good_put = [&](weir_file* f) { return put_field(f, 0); };
  one_fails([&](weir_file* f) { return weir_put_vara(f, temp_, at, count, WEIR_FLOAT, nullptr); }, good_box);
  one_fails([&](weir_file* f) { return weir_put_vara(f, temp_, at, negative, WEIR_FLOAT, field(0).data()); }, good_box);
  one_fails([&](weir_file* f) { return weir_put_vara(f, 55, at, count, WEIR_FLOAT, field(0).data()); }, good_box);
  one_fails([&](weir_file* f) { return weir_put_vara(f, temp_, nullptr, count, WEIR_FLOAT, field(0).data()); },
            good_box);
  one_fails([&](weir_file* f) { return weir_put_vara(f, temp_, at, count, WEIR_CHAR, field(0).data()); }, good_box);
  one_fails([&](weir_file* f) { return weir_put_var(f, 55, 0, WEIR_INT, &step); }, good_var);
  one_fails([&](weir_file* f) { return weir_put_var(f, step_, 0, WEIR_CHAR, &step); }, good_var);
  one_fails([&](weir_file* f) { return weir_put(f, 55, 0, rows_, WEIR_FLOAT, field(0).data()); }, good_put);
  one_fails([&](weir_file* f) { return weir_put(f, temp_, -1, rows_, WEIR_FLOAT, field(0).data()); }, good_put);
  make_good_file(2, "after.nc");
  expect_good_file(2, "after.nc");
}

TEST_F(BadInput, ReadingWhatIsNotThere) {
  start();
  make_good_file(2);
  weir_file* file = nullptr;
  EXPECT_EQ(weir_open(weir_, path().c_str(), WEIR_NOWRITE, &file), WEIR_OK);
  const auto get = [&](std::vector<std::int64_t> at, std::vector<std::int64_t> count, weir_type type) {
    std::vector<double> room(1000);
    return Outcome{weir_get_vara(file, temp_, at.data(), count.data(), type, room.data()), weir_error(weir_)};
  };
  expect_same(get({2, 0, 0}, {1, 1, 1}, WEIR_FLOAT), WEIR_EARGUMENT, {"\"temp\"", "record 2", "2"});
  expect_same(get({1, 0, 0}, {2, 1, 1}, WEIR_FLOAT), WEIR_EARGUMENT, {"record 2"});
  expect_same(get({-1, 0, 0}, {1, 1, 1}, WEIR_FLOAT), WEIR_EARGUMENT, {"record -1"});
  expect_same(get({0, 0, 5}, {1, 1, 2}, WEIR_FLOAT), WEIR_EARGUMENT, {"not inside"});
  expect_same(get({0, 0, 0}, {1, 1, 1}, WEIR_CHAR), WEIR_EARGUMENT, {"char"});
  expect_same(get({1, 0, 0}, {1, 1, 6}, WEIR_BYTE), WEIR_ERANGE, {"\"temp\"", "byte"});
  expect_same(get({1, 0, 0}, {1, 1, 6}, WEIR_FLOAT), WEIR_OK, {});
}

}  // namespace
}  // namespace faults
