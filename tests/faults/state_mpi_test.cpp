// ranks: 1 4 7
// SPDX-License-Identifier: Apache-2.0
// Calls in the wrong state, by all ranks or by one alone, of a model that asks for errors only at the close: nothing is
// lost without a word, all ranks are told the same, and nobody hangs. Under `servers` the last rank is one.
#include <functional>

#include "faults/strategies.hpp"

namespace faults {
namespace {

using Call = std::function<int(weir_file*)>;

struct Late {
  const char* name;
  Call call;
};

// Calls that want a file's definitions to go on; at another time they are refused whatever else is wrong with them.
std::vector<Late> calls_that_define() {
  return {{"an attribute", [](weir_file* f) { return weir_put_att_text(f, WEIR_GLOBAL, "title", "late"); }},
          {"an attribute of nothing", [](weir_file* f) { return weir_put_att_text(f, 55, nullptr, nullptr); }},
          {"a dimension", [](weir_file* f) { return weir_def_dim(f, "late", 3, nullptr); }},
          {"a variable", [](weir_file* f) { return weir_def_var(f, "late", WEIR_INT, 0, nullptr, nullptr); }},
          {"a fill mode", [](weir_file* f) { return weir_set_fill(f, WEIR_NOFILL); }},
          {"an alignment", [](weir_file* f) { return weir_set_alignment(f, 0, 4, 0); }},
          {"a second weir_enddef", [](weir_file* f) { return weir_enddef(f); }}};
}

class WrongState : public StrategyTest {
 protected:
  std::string last_rank() const { return "rank " + std::to_string(ranks_ - 1) + ": "; }

  // Puts, syncs and the like, which want the definitions to have ended.
  std::vector<Late> writes() {
    return {{"weir_put ", [this](weir_file* f) { return put_field(f, 0); }},
            {"weir_put_vara ", [this](weir_file* f) { return weir_put_vara(f, mask_, at_, at_, WEIR_FLOAT, &zero_); }},
            {"weir_put_var ", [this](weir_file* f) { return weir_put_var(f, step_, 0, WEIR_FLOAT, &zero_); }},
            {"weir_sync ", [](weir_file* f) { return weir_sync(f); }}};
  }
  // The close is the only call that is asked.
  void expect_closed(weir_file* file, const std::vector<std::string>& words) {
    const int code = weir_close(file);
    expect_same({code, weir_file_error(file)}, WEIR_ESTATE, words);
  }

  const std::int64_t at_[2] = {0, 0};
  const float zero_ = 0;
};
INSTANTIATE_TEST_SUITE_P(All, WrongState, testing::Values("remap", "collective", "dynamic", "servers"), strategy_name);

// Nothing is lost by these.
TEST_P(WrongState, AskingFailsNothing) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  rows_ = layout_of(2 * rank_, 2);
  weir_file* file = create();
  define(file);
  const char* json = nullptr;
  int format = 0;
  EXPECT_EQ(weir_plan(file, temp_, rows_, &json), WEIR_ESTATE);
  EXPECT_EQ(weir_inq_format(file, &format), WEIR_ESTATE);
  EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
  std::vector<float> values(12);
  EXPECT_EQ(weir_get(file, temp_, 0, rows_, WEIR_FLOAT, values.data()), WEIR_ESTATE) << "nothing is committed yet";
  EXPECT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_plan(file, temp_, rows_, &json), WEIR_ESTATE);
  expect_good_file(1);
}

// weir_finalize makes the files that are in define mode, a new one and one that was defined again.
TEST_P(WrongState, TheEndMakesWhatIsDefined) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  define(create("new.nc"));
  weir_file* file = create();
  define(file);
  EXPECT_EQ(weir_set_alignment(file, 256, 4, 4), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
  rows_ = layout_of(2 * rank_, 2);
  EXPECT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_redef(file), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_put_att_text(file, WEIR_GLOBAL, "title", "later"), WEIR_OK) << weir_error(weir_);
  expect_same(end(), WEIR_OK, {});
  expect_good_file(0, "new.nc");
  expect_good_file(1);
  EXPECT_NE(contents(path()).find("later"), std::string::npos);
}

TEST_P(WrongState, TheEndComparesWhatIsDefined) {
  if (too_few() || ranks_ == 1) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  weir_file* file = create();
  define(file);
  if (is_last()) {
    EXPECT_EQ(weir_put_att_text(file, WEIR_GLOBAL, "title", "of one rank"), WEIR_OK);
  }
  const std::vector<std::string> words{last_rank(), "attribute \"title\" is defined here but not on rank 0"};
  expect_same(end(), WEIR_EMISMATCH, ranks_ > 1 ? words : std::vector<std::string>{});
  expect_files({});
}

TEST_P(WrongState, WritingBeforeTheDefinitionsHaveEnded) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  rows_ = layout_of(2 * rank_, 2);
  for (const bool alone : {false, true})
    for (const bool ended : {true, false})
      for (const Late& early : writes()) {
        SCOPED_TRACE(early.name);
        weir_file* file = create();
        define(file);
        if (!alone || is_last()) {
          EXPECT_EQ(early.call(file), WEIR_ESTATE);
        }
        if (ended) {
          weir_enddef(file);
          put_field(file, 0);
        }
        expect_closed(file, {early.name, "before weir_enddef", path(), alone ? last_rank() : "rank 0: "});
        expect_files({});
      }
  make_good_file(2);
  expect_good_file(2);
}

// Nobody else need make such a call, so the rank that does goes on as the others do.
TEST_P(WrongState, DefinitionAfterTheyHaveEnded) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  weir_file* other = begin("other.nc");
  for (const bool alone : {false, true})
    for (const Late& late : calls_that_define()) {
      SCOPED_TRACE(late.name);
      weir_file* file = begin();
      if (!alone || is_last()) {
        EXPECT_EQ(late.call(file), WEIR_ESTATE);
        EXPECT_EQ(late.call(file), WEIR_ESTATE);
        EXPECT_NE(std::string(weir_file_error(file)).find("before weir_enddef"), std::string::npos);
      }
      for (std::int64_t r = 0; r < 2; ++r) put_field(file, r);
      expect_closed(file, {"definitions have ended", path(), alone ? last_rank() : "rank 0: "});
      expect_files({".other.nc.weir"});
    }
  EXPECT_EQ(put_field(other, 0), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_close(other), WEIR_OK) << weir_error(weir_);
  expect_good_file(1, "other.nc");
}

// What was committed stays.
TEST_P(WrongState, DefinitionAfterACommit) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  weir_file* file = begin();
  EXPECT_EQ(put_field(file, 0), WEIR_OK);
  EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
  if (is_last()) {
    EXPECT_EQ(weir_put_att_text(file, temp_, "units", "K"), WEIR_ESTATE);
  }
  put_field(file, 1);
  weir_sync(file);
  EXPECT_EQ(put_field(file, 2), WEIR_ESTATE) << "a file that has failed";
  expect_closed(file, {"definitions have ended", last_rank()});
  expect_good_file(1);
  EXPECT_EQ(weir_open(weir_, path().c_str(), WEIR_WRITE, &file), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_put_att_text(file, temp_, "units", "K"), WEIR_ESTATE);
  put_field(file, 1);
  expect_closed(file, {"definitions have ended", "rank 0: "});
  expect_good_file(1);
}

// Reading goes on; the close tells all ranks.
TEST_P(WrongState, WritingIntoAFileToRead) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  make_good_file(1);
  std::vector<Late> refused = writes();
  for (Late& late : calls_that_define()) refused.push_back(std::move(late));
  refused.push_back({"weir_fail", [](weir_file* f) { return weir_fail(f, WEIR_ESTATE, "the wrong file"); }});
  for (const bool alone : {false, true})
    for (const Late& late : refused) {
      SCOPED_TRACE(late.name);
      weir_file* file = nullptr;
      ASSERT_EQ(weir_open(weir_, path().c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir_);
      if (!alone || is_last()) {
        EXPECT_EQ(late.call(file), WEIR_ESTATE);
      }
      std::vector<float> values(12);
      EXPECT_EQ(weir_get(file, temp_, 0, rows_, WEIR_FLOAT, values.data()), WEIR_OK) << weir_error(weir_);
      EXPECT_EQ(values, field(0));
      expect_closed(file, {path(), alone ? last_rank() : "rank 0: "});
    }
  expect_good_file(1);
  expect_files({"file.nc"});
}

// The end of Weir closes what is open, and says what the close would have said.
TEST_P(WrongState, ToldAtTheEnd) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  weir_file* file = begin();
  if (is_last()) {
    EXPECT_EQ(weir_set_fill(file, WEIR_NOFILL), WEIR_ESTATE);
  }
  put_field(file, 0);
  expect_same(end(), WEIR_ESTATE, {"definitions have ended", last_rank()});
  expect_files({});
}

// A file that has failed is closed while others are written, and what was put into it waits in memory with theirs.
TEST_P(WrongState, FailedFileLeavesTheOthersWhole) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  weir_file* good = begin("good.nc");
  EXPECT_EQ(put_field(good, 0), WEIR_OK);
  for (int turn = 0; turn < 3; ++turn) {
    weir_file* file = begin();
    EXPECT_EQ(put_field(file, 0), WEIR_OK);
    EXPECT_EQ(put_field(good, 1 + turn), WEIR_OK) << weir_error(weir_);
    const std::int64_t outside[] = {0, 2 * ranks_, 0}, count[] = {1, 1, 1};
    EXPECT_EQ(weir_put_vara(file, temp_, outside, count, WEIR_FLOAT, &zero_), WEIR_EARGUMENT);
    EXPECT_EQ(weir_close(file), WEIR_EARGUMENT) << weir_error(weir_);
  }
  EXPECT_EQ(put_field(good, 4), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_close(good), WEIR_OK) << weir_error(weir_);
  expect_good_file(5, "good.nc");
}

}  // namespace
}  // namespace faults
