// SPDX-License-Identifier: Apache-2.0
// What a file remembers of its puts, against a memory that keeps all of them: random puts of random records, forwards,
// backwards and again, with commits and landings between.
#include "file/put_history.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

namespace weir {
namespace {

constexpr int variables = 4;  // the first is fixed, the others have records

Schema four_variables() {
  Schema schema;
  const int time = schema.add_dimension("time", 0), x = schema.add_dimension("x", 8);
  schema.add_variable("fixed", WEIR_FLOAT, std::vector<int>{x});
  for (const char* name : {"a", "b", "c"}) schema.add_variable(name, WEIR_FLOAT, std::vector<int>{time, x});
  return schema;
}

// As PutHistory, and plainly.
struct Plain {
  using Place = std::pair<int, std::int64_t>;
  std::set<Place> lately, given;  // since the last commit or landing; that have values
  std::set<Place> open;           // put since the last commit
  std::int64_t records = 0, committed = 0;

  bool add(int var, std::int64_t record) {
    if (var > 0) records = std::max(records, record + 1);
    const bool old = var > 0 && record < committed;
    lately.insert({var, record});
    if (old) return false;
    const bool first = var == 0 ? !given.contains({var, 0}) : !open.contains({var, record});
    open.insert({var, record});
    given.insert({var, record});
    return first;
  }
  void commit() {
    committed = records;
    given.insert({0, 0});
    lately.clear();
    open.clear();
  }
  bool complete(std::int64_t record) const {
    if (record < committed) return false;
    for (int var = 1; var < variables; ++var)
      if (!open.contains({var, record})) return false;
    return true;
  }
  std::set<Place> missing_records() const {
    std::set<Place> missing;
    if (!given.contains({0, 0})) missing.insert({0, 0});
    for (int var = 1; var < variables; ++var)
      for (std::int64_t record = committed; record < records; ++record)
        if (!open.contains({var, record})) missing.insert({var, record});
    return missing;
  }
};

void compare(const PutHistory& history, const Plain& plain) {
  RC_ASSERT(history.records() == plain.records);
  RC_ASSERT(history.committed() == plain.committed);
  for (std::int64_t record = 0; record < 8; ++record) {
    RC_ASSERT(history.complete(record) == plain.complete(record));
    for (int var = 1; var < variables; ++var)
      RC_ASSERT(history.put_before(var, record) == plain.lately.contains({var, record}));
  }
  RC_ASSERT(history.put_before(0, 0) == plain.lately.contains({0, 0}));
  std::set<Plain::Place> missing;
  for (const MissingRecord& each : history.missing_records()) missing.insert({each.var, each.record});
  RC_ASSERT(missing == plain.missing_records());
}

RC_GTEST_PROP(PutHistory, RemembersAsAPlainListDoes, ()) {
  const Schema schema = four_variables();
  PutHistory history(schema);
  history.begin(false);
  Plain plain;
  const int steps = *rc::gen::inRange(1, 60);
  for (int step = 0; step < steps; ++step) {
    if (*rc::gen::inRange(0, 12) == 0) {
      history.commit();
      plain.commit();
    } else {
      const int var = *rc::gen::inRange(0, variables);
      const std::int64_t record = var == 0 ? 0 : *rc::gen::inRange<std::int64_t>(0, 8);
      RC_ASSERT(history.add(var, record, 0) == plain.add(var, record));
    }
    compare(history, plain);
  }
}

TEST(PutHistory, OfAFileThatIsThereNothingIsUnput) {
  const Schema schema = four_variables();
  PutHistory history(schema);
  history.start_with(3, 3);
  history.begin(true);
  EXPECT_EQ(history.records(), 3);
  EXPECT_TRUE(history.missing_records().empty());
  EXPECT_FALSE(history.put_before(1, 2));
  EXPECT_FALSE(history.add(1, 2, 0));  // has values already
  EXPECT_TRUE(history.put_before(1, 2));
  EXPECT_TRUE(history.add(1, 3, 0));
  EXPECT_EQ(history.missing_records().size(), 2U);  // record 3 of the two others
}

TEST(PutHistory, ALandingForgetsTheOrderAndNoRecord) {
  const Schema schema = four_variables();
  PutHistory history(schema);
  history.begin(false);
  history.add(1, 0, 0);
  history.reached_library();
  EXPECT_FALSE(history.put_before(1, 0));
  EXPECT_EQ(history.records(), 1);
}

// Holes: new elements get the fill value; what has values keeps them, unless the same layout gave all of it.
TEST(PutHistory, HolesKeepWhatAnotherLayoutGave) {
  const Schema schema = four_variables();
  PutHistory history(schema);
  history.begin(false);
  EXPECT_EQ(history.cover(1, 0, 7, WEIR_FILL, false), WEIR_FILL);
  EXPECT_EQ(history.cover(1, 0, 7, WEIR_NOFILL, false), WEIR_NOFILL);
  EXPECT_EQ(history.cover(1, 0, 7, WEIR_NOFILL, true), WEIR_FILL);  // a chunk is written whole
  history.add(1, 0, 7);
  EXPECT_EQ(history.cover(1, 0, 7, WEIR_FILL, false), WEIR_FILL);
  EXPECT_EQ(history.cover(1, 0, 8, WEIR_FILL, false), WEIR_NOFILL);
  EXPECT_EQ(history.cover(1, 0, 8, WEIR_FILL, true), WEIR_COVER);
  EXPECT_EQ(history.cover(1, 1, 8, WEIR_FILL, false), WEIR_FILL);
  history.add(1, 0, 8);
  EXPECT_EQ(history.cover(1, 0, 7, WEIR_FILL, false), WEIR_NOFILL);  // several layouts have given it
  EXPECT_EQ(history.cover(1, 0, 8, WEIR_COVER, false), WEIR_COVER);
}

}  // namespace
}  // namespace weir
