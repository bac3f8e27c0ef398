// ranks: 2 4 7
// SPDX-License-Identifier: Apache-2.0
// Ranks that do not do the same: with the configuration, the definitions, the puts. All of them are told the same.
#include <functional>

#include "faults/faults.hpp"

namespace faults {
namespace {

using Disagreement = FaultTest;

TEST_F(Disagreement, OnTheConfiguration) {
  const bool odd = rank_ == ranks_ - 1;
  expect_same(try_start(odd ? "strategy: serial\n" : "strategy: remap\n"), WEIR_ECONFIG,
              {"strategy is \"serial\" on rank", "\"remap\" on rank 0"});
  expect_same(try_start(odd ? "buffer_limit: 1MiB\n" : "buffer_limit: 2MiB\n"), WEIR_ECONFIG, {"buffer_limit"});
  EXPECT_EQ(weir_, nullptr);
  start();  // the ranks are not out of sync
}

TEST_F(Disagreement, OnAConfigurationThatOneRankCannotRead) {
  expect_same(try_start(rank_ == ranks_ - 1 ? "stategy: serial\n" : "strategy: serial\n"), WEIR_ECONFIG,
              {"stategy", "strategy"});
  start();
}

TEST_F(Disagreement, OnTheFile) {
  start();
  weir_file* file = nullptr;
  const bool odd = rank_ == ranks_ - 1;
  const std::string name = path(odd ? "b.nc" : "a.nc");
  expect_same(first_error([&] { return weir_create(weir_, name.c_str(), 0, &file); }), WEIR_EMISMATCH,
              {"weir_create of ", "a.nc", "b.nc"});
  expect_same(first_error([&] { return weir_create(weir_, path().c_str(), odd ? WEIR_CDF5 : 0, &file); }),
              WEIR_EMISMATCH, {"weir_create of " + path() + " with WEIR_CDF5 where", "weir_create of " + path() + ":"});
  expect_files({});
}

// Each defines something else on the last rank.
struct Difference {
  const char* name;
  std::vector<std::string> words;
  std::function<void(weir_file*, bool odd)> define;
};
void PrintTo(const Difference& difference, std::ostream* out) {
  *out << difference.name;
}

class DefinitionDisagreement : public FaultTest, public testing::WithParamInterface<Difference> {};

TEST_P(DefinitionDisagreement, IsNamedAtEnddef) {
  start();
  weir_file* file = create();
  GetParam().define(file, rank_ == ranks_ - 1);
  const Outcome outcome = first_error([&] { return weir_enddef(file); });
  expect_same(outcome, WEIR_EMISMATCH, GetParam().words);
  // The file answers with its first error from now on, and leaves nothing.
  expect_same(first_error([&] { return weir_sync(file); }), WEIR_EMISMATCH, GetParam().words);
  expect_same(first_error([&] { return weir_close(file); }), WEIR_EMISMATCH, GetParam().words);
  expect_files({});
  make_good_file(1, "next.nc");
  expect_good_file(1, "next.nc");
}

int dim(weir_file* file, const char* name, std::int64_t length) {
  int number = -1;
  EXPECT_EQ(weir_def_dim(file, name, length, &number), WEIR_OK) << weir_file_error(file);
  return number;
}
int var(weir_file* file, const char* name, weir_type type, std::vector<int> dims) {
  int number = -1;
  EXPECT_EQ(weir_def_var(file, name, type, static_cast<int>(dims.size()), dims.data(), &number), WEIR_OK)
      << weir_file_error(file);
  return number;
}

const std::vector<Difference> differences{
    {"DimensionLength",
     {"lon", "360", "180", "rank 0"},
     [](weir_file* f, bool odd) { dim(f, "lon", odd ? 180 : 360); }},
    {"DimensionName", {"lon", "longitude"}, [](weir_file* f, bool odd) { dim(f, odd ? "longitude" : "lon", 360); }},
    {"DimensionMissing",
     {"lat"},
     [](weir_file* f, bool odd) {
       dim(f, "lon", 360);
       if (!odd) dim(f, "lat", 180);
     }},
    {"RecordDimension", {"time"}, [](weir_file* f, bool odd) { dim(f, "time", odd ? 12 : WEIR_UNLIMITED); }},
    {"VariableType",
     {"temp", "float", "double"},
     [](weir_file* f, bool odd) { var(f, "temp", odd ? WEIR_DOUBLE : WEIR_FLOAT, {dim(f, "x", 4)}); }},
    {"VariableName",
     {"temp", "salt"},
     [](weir_file* f, bool odd) { var(f, odd ? "salt" : "temp", WEIR_FLOAT, {dim(f, "x", 4)}); }},
    {"VariableDimensions",
     {"temp"},
     [](weir_file* f, bool odd) {
       const int x = dim(f, "x", 4), y = dim(f, "y", 4);
       var(f, "temp", WEIR_FLOAT, odd ? std::vector<int>{x, y} : std::vector<int>{y, x});
     }},
    {"VariableMissing",
     {"salt"},
     [](weir_file* f, bool odd) {
       var(f, "temp", WEIR_FLOAT, {});
       if (odd) var(f, "salt", WEIR_FLOAT, {});
     }},
    {"AttributeText",
     {"history"},
     [](weir_file* f, bool odd) {
       EXPECT_EQ(weir_put_att_text(f, WEIR_GLOBAL, "history", odd ? "one" : "two"), WEIR_OK);
     }},
    {"AttributeOfAVariable",
     {"temp", "scale"},
     [](weir_file* f, bool odd) {
       const int number = var(f, "temp", WEIR_FLOAT, {});
       const float scale = odd ? 2 : 3;
       EXPECT_EQ(weir_put_att(f, number, "scale", WEIR_FLOAT, 1, &scale), WEIR_OK);
     }},
    {"VariableAlignment",
     {"variable_align_bytes", "512", "256", "rank 0"},
     [](weir_file* f, bool odd) { EXPECT_EQ(weir_set_alignment(f, 100, odd ? 512 : 256, 1024), WEIR_OK); }},
    {"AlignmentMissing",
     {"header_free_bytes", "4096", "rank 0"},
     [](weir_file* f, bool odd) { EXPECT_EQ(weir_set_alignment(f, odd ? 0 : 4096, 0, 0), WEIR_OK); }},
    {"FillMode",
     {"fill", "WEIR_NOFILL", "WEIR_FILL", "rank 0"},
     [](weir_file* f, bool odd) {
       var(f, "temp", WEIR_FLOAT, {});
       EXPECT_EQ(weir_set_fill(f, odd ? WEIR_NOFILL : WEIR_FILL), WEIR_OK);
     }},
};
INSTANTIATE_TEST_SUITE_P(All, DefinitionDisagreement, testing::ValuesIn(differences),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(Disagreement, OnTheOrderOfPuts) {
  start();
  weir_file* file = begin();
  const std::vector<short> mask(12, 1);
  const auto put_mask = [&] { return weir_put(file, mask_, 0, rows_, WEIR_SHORT, mask.data()); };
  const auto put_temp = [&] { return put_field(file, 0); };
  const auto sync = [&] { return weir_sync(file); };
  const bool odd = rank_ == ranks_ - 1;
  const Outcome outcome = odd ? last_error(put_mask, put_temp, sync) : last_error(put_temp, put_mask, sync);
  expect_same(outcome, WEIR_EMISMATCH, {"temp", "mask", "same order"});
  EXPECT_EQ(weir_close(file), WEIR_EMISMATCH);
  expect_files({});
}

// With plans that are known already, so that only the flush can find it.
TEST_F(Disagreement, OnTheVariable) {
  start();
  weir_file* file = begin();
  const std::vector<short> mask(12, 1);
  EXPECT_EQ(weir_put(file, mask_, 0, rows_, WEIR_SHORT, mask.data()), WEIR_OK);
  EXPECT_EQ(put_field(file, 0), WEIR_OK);
  EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
  const Outcome outcome = last_error(
      [&] {
        return rank_ == ranks_ - 1 ? weir_put(file, mask_, 0, rows_, WEIR_SHORT, mask.data()) : put_field(file, 1);
      },
      [&] { return weir_sync(file); });
  expect_same(outcome, WEIR_EMISMATCH, {"temp", "mask"});
  EXPECT_EQ(weir_close(file), WEIR_EMISMATCH);
  expect_files({"file.nc"});
  expect_good_file(1);
}

TEST_F(Disagreement, OnTheRecord) {
  start();
  weir_file* file = begin();
  EXPECT_EQ(put_field(file, 0), WEIR_OK);
  EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
  expect_same(last_error([&] { return put_field(file, rank_ == ranks_ - 1 ? 2 : 1); }, [&] { return weir_sync(file); }),
              WEIR_EMISMATCH, {"record 1", "record 2"});
  EXPECT_EQ(weir_close(file), WEIR_EMISMATCH);
  expect_good_file(1);
}

TEST_F(Disagreement, OnTheNumberOfPuts) {
  start();
  weir_file* file = begin();
  EXPECT_EQ(put_field(file, 0), WEIR_OK);
  EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
  expect_same(last_error([&] { return put_field(file, 1); }, [&] { return rank_ == 0 ? WEIR_OK : put_field(file, 2); },
                         [&] { return weir_sync(file); }),
              WEIR_EMISMATCH, {"record 2", "nothing more before weir_sync of " + path()});
  EXPECT_EQ(weir_close(file), WEIR_EMISMATCH);
  expect_good_file(1);
}

TEST_F(Disagreement, OnTheBoxOfRecords) {
  start();
  weir_file* file = begin();
  const std::int64_t start[] = {rank_ == ranks_ - 1 ? 1 : 0, 2 * rank_, 0}, count[] = {1, 2, 6};
  expect_same(last_error([&] { return weir_put_vara(file, temp_, start, count, WEIR_FLOAT, field(0).data()); },
                         [&] { return weir_sync(file); }),
              WEIR_EMISMATCH, {"temp", "record 0", "record 1"});
  EXPECT_EQ(weir_close(file), WEIR_EMISMATCH);
  expect_files({});
}

TEST_F(Disagreement, OnTheVariableOfABox) {
  start();
  weir_file* file = begin();
  const bool odd = rank_ == ranks_ - 1;
  const std::int64_t start[] = {0, 2 * rank_, 0}, count[] = {1, 2, 6};
  const int code = odd ? weir_put_vara(file, mask_, start + 1, count + 1, WEIR_FLOAT, field(0).data())
                       : weir_put_vara(file, temp_, start, count, WEIR_FLOAT, field(0).data());
  expect_same(
      {code, weir_error(weir_)}, WEIR_EMISMATCH,
      {"calls weir_put_vara of \"mask\" into " + path() + " where rank 0 calls weir_put_vara of \"temp\" into"});
  EXPECT_EQ(weir_close(file), WEIR_EMISMATCH);
  expect_files({});
}

TEST_F(Disagreement, OnTheCall) {
  start();
  weir_file* file = begin();
  const Outcome outcome = rank_ == ranks_ - 1
                              ? last_error([&] { return weir_sync(file); }, [&] { return put_field(file, 0); })
                              : last_error([&] { return put_field(file, 0); }, [&] { return weir_sync(file); });
  expect_same(outcome, WEIR_EMISMATCH, {"weir_sync"});
  EXPECT_EQ(weir_close(file), WEIR_EMISMATCH);
  expect_files({});
}

// All ranks open it, but one only to read.
TEST_F(Disagreement, OnTheModeOfOpening) {
  start();
  make_good_file(1);
  weir_file* file = nullptr;
  const int mode = rank_ == ranks_ - 1 ? WEIR_NOWRITE : WEIR_WRITE;
  expect_same(first_error([&] { return weir_open(weir_, path().c_str(), mode, &file); }), WEIR_EMISMATCH,
              {"calls weir_open of " + path() + " where rank 0 calls weir_open of " + path() + " with WEIR_WRITE"});
  expect_good_file(1);
}

TEST_F(Disagreement, OnTheFileOfACommit) {
  start();
  weir_file *a = begin("a.nc"), *b = begin("b.nc");
  expect_same(first_error([&] { return weir_sync(rank_ == ranks_ - 1 ? b : a); }), WEIR_EMISMATCH,
              {"calls weir_sync of " + path("b.nc") + " where rank 0 calls weir_sync of " + path("a.nc")});
  EXPECT_EQ(weir_close(a), WEIR_EMISMATCH);
  EXPECT_EQ(weir_close(b), WEIR_EMISMATCH);
}

TEST_F(Disagreement, OnTheLayout) {
  start();
  weir_file* file = begin();
  const int other = layout_of(2 * rank_, 2), mine = rank_ == ranks_ - 1 ? other : rows_;
  const auto put = [&] { return weir_put(file, temp_, 0, mine, WEIR_FLOAT, field(0).data()); };
  expect_same(last_error(put, [&] { return weir_sync(file); }), WEIR_EMISMATCH,
              {"put of \"temp\"", "by layout " + std::to_string(other), "by layout " + std::to_string(rows_)});
  EXPECT_EQ(weir_close(file), WEIR_EMISMATCH);
}

TEST_F(Disagreement, OnTheLayoutThatIsFreed) {
  start();
  const int first = layout_of(2 * rank_, 2), second = layout_of(2 * rank_, 2);
  const int mine = rank_ == ranks_ - 1 ? second : first;
  expect_same(
      first_error([&] { return weir_free_layout(weir_, mine); }), WEIR_EMISMATCH,
      {"weir_free_layout of layout " + std::to_string(first), "weir_free_layout of layout " + std::to_string(second)});
}

TEST_F(Disagreement, OnTheReport) {
  start();
  weir_file* file = begin();
  const char* json = nullptr;
  const bool odd = rank_ == ranks_ - 1;
  expect_same(
      last_error([&] { return odd ? weir_report(weir_, &json) : weir_sync(file); }, [&] { return weir_close(file); }),
      WEIR_EMISMATCH, {"weir_report", "weir_sync of " + path()});
}

// A rank that closes too early is told the same under all strategies: where the others are, and that it is not there.
TEST_F(Disagreement, OnTheClose) {
  for (const char* strategy : {"remap", "collective", "file_per_rank", "file_per_domain"}) {
    for (const bool with_new_plan : {true, false}) {
      start("timeout: 20\nstrategy: " + std::string(strategy) + "\n");
      weir_file* file = begin();
      const bool early = rank_ == ranks_ - 1;
      if (!with_new_plan) {
        EXPECT_EQ(put_field(file, 0), WEIR_OK);
      }
      const auto put = [&] { return early ? WEIR_OK : put_field(file, 1); };
      const auto sync = [&] { return early ? WEIR_OK : weir_sync(file); };
      expect_same(last_error(put, sync, [&] { return weir_close(file); }), WEIR_EMISMATCH, {"weir_close of " + path()});
      expect_same(end(), WEIR_OK, {});
    }
  }
}

TEST_F(Disagreement, OnTheShapeOfALayout) {
  start();
  const std::int64_t shape[] = {rank_ == ranks_ - 1 ? 9 : 8, 4};
  int layout = -1;
  expect_same(first_error([&] { return weir_def_layout(weir_, 2, shape, 0, nullptr, nullptr, nullptr, &layout); }),
              WEIR_EMISMATCH, {"weir_def_layout of an array (9, 4) where", "weir_def_layout of an array (8, 4):"});
  make_good_file(1);
  expect_good_file(1);
}

}  // namespace
}  // namespace faults
