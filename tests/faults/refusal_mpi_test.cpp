// ranks: 1 4 7
// SPDX-License-Identifier: Apache-2.0
// What is refused on one rank alone: what that rank is told, what the others are, and what goes on.
#include "faults/faults.hpp"

namespace faults {
namespace {

using Refusal = FaultTest;

// The rank that is refused is told what all ranks will be told, and whose fault it was.
TEST_F(Refusal, SentenceOfOneRankIsThatOfAll) {
  start();
  const bool odd = rank_ == ranks_ - 1;
  const std::string last_rank = "rank " + std::to_string(ranks_ - 1) + ": ";
  const auto tell = [&](const std::string& name, auto refused, const std::vector<std::string>& words) {
    weir_file* file = begin(name);
    const Outcome own = first_error([&] { return odd ? refused(file) : put_field(file, 0); });
    const Outcome common = last_error([&] { return weir_sync(file); });
    std::vector<std::string> all = words;
    all.insert(all.end(), {last_rank, path(name)});
    expect_same(common, WEIR_EARGUMENT, all);
    if (odd) {
      EXPECT_EQ(own.message, common.message);
    }
    EXPECT_EQ(weir_close(file), WEIR_EARGUMENT);
  };
  tell("null.nc", [&](weir_file* f) { return weir_put(f, temp_, 0, rows_, WEIR_FLOAT, nullptr); }, {"NULL"});
  tell("layout.nc", [&](weir_file* f) { return weir_put(f, temp_, 0, 99, WEIR_FLOAT, field(0).data()); },
       {"layout 99"});
  tell("whole.nc", [&](weir_file* f) { return weir_put_var(f, 55, 0, WEIR_FLOAT, nullptr); }, {"55"});
  tell("fail.nc", [&](weir_file* f) { return weir_fail(f, WEIR_EARGUMENT, "the field has no mean"); },
       {"the field has no mean"});
}

// A rank that leaves out what all hold alike has not the layout that the others make for it: afterwards they count on
// alike.
TEST_F(Refusal, LayoutsAreAlikeAfterwards) {
  start();
  const bool odd = rank_ == ranks_ - 1;
  const int step = 5;
  weir_file* file = begin("failed.nc");
  if (odd)
    weir_fail(file, WEIR_EARGUMENT, "there is no step");
  else
    weir_put_var(file, step_, 0, WEIR_INT, &step);
  expect_same(last_error([&] { return weir_sync(file); }), WEIR_EARGUMENT, {"there is no step"});
  EXPECT_EQ(weir_close(file), WEIR_EARGUMENT);
  file = begin("next.nc");
  const int turned = layout_of(2 * ((rank_ + 1) % ranks_), 2);
  EXPECT_EQ(weir_put(file, temp_, 0, turned, WEIR_FLOAT, field(0).data()), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_put_var(file, step_, 0, WEIR_INT, &step), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(put_field(file, 1), WEIR_OK) << weir_error(weir_);
  expect_same({weir_close(file), weir_error(weir_)}, WEIR_OK, {});
}

// What went wrong twice before ranks meet is over with the file: the next one hears nothing of it.
TEST_F(Refusal, SeveralFailuresEndWithTheirFile) {
  start();
  weir_file* file = begin("failed.nc");
  int late = -1;
  EXPECT_EQ(weir_def_var(file, "late", WEIR_INT, 0, nullptr, &late), WEIR_ESTATE);
  if (rank_ == ranks_ - 1) {
    EXPECT_EQ(weir_fail(file, WEIR_EARGUMENT, "there is no step"), WEIR_EARGUMENT);
  }
  EXPECT_NE(weir_close(file), WEIR_OK);
  for (const char* name : {"next.nc", "last.nc"}) {
    file = begin(name);
    EXPECT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
    expect_same({weir_close(file), weir_error(weir_)}, WEIR_OK, {});
  }
}

// A setting that cannot be, of one rank alone, is told to all where definitions are compared.
TEST_F(Refusal, SettingOfOneRankAlone) {
  start();
  const bool odd = rank_ == ranks_ - 1;
  const auto refuse = [&](auto set, const std::vector<std::string>& words) {
    weir_file* file = create();
    define(file);
    if (odd) {
      EXPECT_EQ(set(file), WEIR_EARGUMENT);
    }
    expect_same(first_error([&] { return weir_enddef(file); }), WEIR_EARGUMENT, words);
    EXPECT_EQ(weir_close(file), WEIR_EARGUMENT);
    expect_files({});
  };
  refuse([](weir_file* f) { return weir_set_alignment(f, 0, -4, 0); }, {"alignments", path()});
  refuse([](weir_file* f) { return weir_set_fill(f, static_cast<weir_fill_mode>(9)); }, {"9", "fill mode", path()});
}

// A part file holds of a variable what its rank owned at the first put. Rows, and then rows of the next rank:
TEST_F(Refusal, PartFilesOfAnotherLayout) {
  start("strategy: file_per_rank\n");
  weir_file* file = begin();
  EXPECT_EQ(put_field(file, 0), WEIR_OK);
  EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
  const int turned = layout_of(2 * ((rank_ + 1) % ranks_), 2);
  const Outcome outcome = last_error([&] { return weir_put(file, temp_, 1, turned, WEIR_FLOAT, field(1).data()); },
                                     [&] { return weir_sync(file); });
  if (ranks_ == 1) return expect_same(outcome, WEIR_OK, {});
  expect_same(outcome, WEIR_EARGUMENT, {"\"temp\"", path(), "with one layout"});
  EXPECT_EQ(weir_close(file), WEIR_EARGUMENT);
}

}  // namespace
}  // namespace faults
