// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// Agreement: one status on all ranks, whoever failed, wherever they are; and an end where a rank does not come.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "mpi/agree.hpp"

namespace weir {
namespace {

constexpr AgreementPoint here = AgreementPoint::flush, there = AgreementPoint::close;

class Agree : public testing::Test {
 protected:
  Agree() : comm_(Comm::duplicate(MPI_COMM_WORLD)) {}
  Status agree_here(const Point& point, const Status& mine = {}, Question* question = nullptr) const {
    return agree(comm_, point, mine, Deadline(60), question);
  }
  int rank() const { return comm_.rank(); }
  int last() const { return comm_.size() - 1; }

  Comm comm_;
};

TEST_F(Agree, AllIsWell) {
  const Status common = agree_here({here, 2, "flush"});
  EXPECT_TRUE(common.ok());
  EXPECT_EQ(common.message, "");
}

TEST_F(Agree, StatusOfTheLowestRankThatFailed) {
  for (int lowest = 0; lowest <= last(); ++lowest) {
    Status mine;
    if (rank() >= lowest)
      mine = {rank() % 2 ? WEIR_EIO : WEIR_ERANGE, "rank " + std::to_string(rank()) + " failed",
              Scope::of(rank() + 10)};
    const Status common = agree_here({here, 2, "flush"}, mine);
    EXPECT_EQ(common.code, lowest % 2 ? WEIR_EIO : WEIR_ERANGE);
    EXPECT_EQ(common.message, "rank " + std::to_string(lowest) + " failed");
    EXPECT_EQ(common.scope, Scope::of(lowest + 10));
  }
}

TEST_F(Agree, LongMessageArrivesWhole) {
  const std::string text(100000, 'x');
  EXPECT_EQ(agree_here({here, 2, "flush"}, rank() == last() ? Status{WEIR_EIO, text} : Status{}).message, text);
}

TEST_F(Agree, FailureComesBeforeDisagreement) {
  const Status common = agree_here({rank() % 2 ? here : there, 2, "flush"},
                                   rank() == last() ? Status{WEIR_EIO, "disk full", Scope::of(3)} : Status{});
  EXPECT_EQ(common.code, WEIR_EIO);
  EXPECT_EQ(common.message, "disk full");
}

TEST_F(Agree, QuestionIsAnsweredByTheLargest) {
  for (const std::int64_t sign : {1, -1}) {
    Question question{sign * (rank() + 5)};
    EXPECT_TRUE(agree_here({here, 2, "flush"}, {}, &question).ok());
    EXPECT_EQ(question.value, sign > 0 ? last() + 5 : -5);
    EXPECT_TRUE(question.together);
  }
}

TEST_F(Agree, OtherCallIsNamed) {
  for (int other = 1; other <= last(); ++other) {
    const bool odd = rank() == other;
    Question question;
    const Status common = agree_here({odd ? there : here, 0, odd ? "weir_close" : "weir_sync"}, {}, &question);
    EXPECT_FALSE(question.together);
    EXPECT_EQ(common.code, WEIR_EMISMATCH);
    EXPECT_EQ(common.message,
              "rank " + std::to_string(other) +
                  " calls weir_close where rank 0 calls weir_sync: all ranks must make the same collective "
                  "calls in the same order");
  }
}

TEST_F(Agree, FirstDifferenceOfTheHistoriesIsNamed) {
  if (last() == 0) GTEST_SKIP() << "needs two ranks";
  const bool other = rank() == last();
  const std::function<std::vector<std::string>()> history = [&] {
    return std::vector<std::string>{"put of \"a\"", other ? "put of \"c\"" : "put of \"b\"", "put of \"d\""};
  };
  const Status common = agree_here({here, other ? 8U : 9U, "flush", &history});
  EXPECT_EQ(common.code, WEIR_EMISMATCH);
  EXPECT_EQ(common.message,
            "rank " + std::to_string(last()) +
                " calls put of \"c\" where rank 0 calls put of \"b\": all ranks must make the same collective "
                "calls in the same order");
}

TEST_F(Agree, ShorterHistoryIsNamed) {
  if (last() == 0) GTEST_SKIP() << "needs two ranks";
  const bool other = rank() == last();
  const std::function<std::vector<std::string>()> history = [&] {
    std::vector<std::string> puts{"put of \"a\""};
    if (!other) puts.push_back("put of \"b\"");
    return puts;
  };
  const Status common = agree_here({here, other ? 8U : 9U, "flush", &history});
  EXPECT_NE(common.message.find("calls nothing more before flush where rank 0 calls put of \"b\""), std::string::npos)
      << common.message;
}

TEST_F(Agree, NextPointIsReachedAfterADisagreement) {
  (void)agree_here({rank() % 2 ? here : there, 0, "here"});
  EXPECT_TRUE(agree_here({there, 0, "there"}).ok());
}

// Whoever is in the recovery, and whether or not a rank has failed: the same end for all.
TEST_F(Agree, RecoveryThatPartsTheRanksEndsTheInstanceOnAll) {
  for (int alone = 0; alone < comm_.size() && last() > 0; ++alone) {
    for (const bool failed : {false, true}) {
      const bool odd = rank() == alone;
      const Status mine = failed && !odd ? Status{WEIR_EIO, "disk full", Scope::of(3)} : Status{};
      Code code = WEIR_OK;
      std::string message;
      try {
        (void)agree_here({odd ? AgreementPoint::recovery : here, 0, odd ? "recovery" : "weir_sync"}, mine);
      } catch (const Error& error) {
        code = error.code();
        message = error.what();
      }
      EXPECT_TRUE(ends_instance(code)) << code;
      EXPECT_TRUE(message.starts_with("the ranks did not recover together from a failure, and output ends: "))
          << message;
      for (const char* word : failed ? std::vector<const char*>{"disk full"} : std::vector{"recovery", "weir_sync"})
        EXPECT_NE(message.find(word), std::string::npos) << message;
      std::string first = message;
      EXPECT_EQ(message, broadcast_value(comm_, first, 0, Deadline(60), "test"));
    }
  }
}

TEST_F(Agree, RecoveryOfAllGoesOn) {
  EXPECT_TRUE(agree_here({AgreementPoint::recovery, 0, "recovery"}).ok());
}

// The last rank comes too late. The others have their error in time; what comes late disturbs nobody's memory.
TEST_F(Agree, RankThatDoesNotComeIsATimeout) {
  if (last() == 0) GTEST_SKIP() << "needs two ranks";
  const bool late = rank() == last();
  const double started = now_seconds();
  if (late) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  Code code = WEIR_OK;
  std::string message;
  Question question{4};
  try {
    (void)agree(comm_, {here, 2, "flush"}, {}, Deadline(late ? 5.0 : 0.3), &question);
  } catch (const Error& error) {
    code = error.code();
    message = error.what();
  }
  // Where the late rank finds all that the others left, it ends well; else it waits in vain.
  EXPECT_TRUE(late || code == WEIR_ETIMEOUT);
  EXPECT_TRUE(code == WEIR_OK || message.find("flush") != std::string::npos) << message;
  EXPECT_LT(now_seconds() - started, 20.0);
  if (!late) {
    EXPECT_EQ(question.value, 4);
    std::this_thread::sleep_for(std::chrono::milliseconds(2000));
  }
  MPI_Barrier(MPI_COMM_WORLD);  // the world's own communicator is not the one that was lost
  EXPECT_TRUE(late || question.value == 4);
  comm_.abandon();
}

TEST(Signature, DependsOnOrderAndBounds) {
  EXPECT_NE(mix(mix(0, std::uint64_t{1}), std::uint64_t{2}), mix(mix(0, std::uint64_t{2}), std::uint64_t{1}));
  EXPECT_NE(mix(mix(0, "ab"), "c"), mix(mix(0, "a"), "bc"));
  EXPECT_NE(mix(0, ""), mix(mix(0, ""), ""));
}

}  // namespace
}  // namespace weir
