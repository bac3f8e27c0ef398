// SPDX-License-Identifier: Apache-2.0
// ranks: 3 5 8
// What a program of CFIO2 can get wrong: every rank is told, with one sentence that says what, and nothing hangs.
#include <chrono>
#include <thread>

#include "cfio2/fixture.hpp"

namespace cfio2_tests {
namespace {

const Variable temperature{"temperature", {"y", "x"}, {14, 5}};
const Variable flow{"flow", {"time", "y", "x"}, {0, 14, 5}};

class RefusalsTest : public ProgramTest {
 protected:
  bool is_last() const { return rank_ == ranks_ - 1; }
  // As the program numbers its ranks, the control process first.
  std::string last_rank() const { return "rank " + std::to_string(ranks_ - 1); }

  void note(int code) {
    code_ = code;
    sentence_ = cfio2_error();
  }

  // `body` notes what each rank has been told in the end: the same everywhere, with `code` and each of `words`.
  template <class Body>
  void expect_refusal(int code, const std::vector<std::string>& words, Body body) {
    const Setting timeout("WEIR_TIMEOUT", "30");
    run(body);
    expect_alike(code_, sentence_);
    if (rank_ == 0) return;
    EXPECT_EQ(code_, code) << sentence_;
    for (const std::string& word : words)
      EXPECT_NE(sentence_.find(word), std::string::npos) << "\"" << word << "\" is not in: " << sentence_;
    EXPECT_EQ(sentence_.find('\n'), std::string::npos) << sentence_;
  }
  void wait() { note(cfio2_wait_output(MPI_COMM_WORLD)); }
  void expect_no_file(const std::string& name = "file.nc") const {
    EXPECT_FALSE(rank_ == 0 && std::filesystem::exists(path(name))) << name;
  }

  int code_ = WEIR_OK;
  std::string sentence_;
};

TEST_F(RefusalsTest, DimensionsThatDiffer) {
  expect_refusal(WEIR_EMISMATCH, {"temperature", "y 14", "y 15", "same order"}, [&] {
    Variable mine = temperature;
    if (is_last()) mine.global[0] = 15;
    put(path(), mine, 0, false, 0, {{0, 0}, {0, 0}}, true);
    wait();
  });
  expect_no_file();
}

TEST_F(RefusalsTest, DimensionNamesThatDiffer) {
  expect_refusal(WEIR_EMISMATCH, {"temperature", "(y 14", "(row 14"}, [&] {
    Variable mine = temperature;
    if (is_last()) mine.dims[0] = "row";
    put(path(), mine, 0, false);
    wait();
  });
}

TEST_F(RefusalsTest, ADatatypeThatIsNone) {
  expect_refusal(WEIR_EARGUMENT, {"temperature", "datatype 11", "cfio2_data_type_int"}, [&] {
    Variable mine = temperature;
    mine.datatype = 11;
    EXPECT_EQ(put(path(), mine, 0, false), WEIR_EARGUMENT);
    wait();
  });
  expect_no_file();
}

TEST_F(RefusalsTest, ADatatypeThatIsNoneOnOneRank) {
  expect_refusal(WEIR_EARGUMENT, {"temperature", "datatype -1", last_rank() + ": "}, [&] {
    Variable mine = temperature;
    if (is_last()) mine.datatype = -1;
    EXPECT_EQ(put(path(), mine, 0, false), is_last() ? WEIR_EARGUMENT : WEIR_OK) << cfio2_error();
    wait();
  });
  expect_no_file();
}

TEST_F(RefusalsTest, APartBeyondTheWhole) {
  expect_refusal(WEIR_EARGUMENT, {"temperature", "\"y\"", "start 12", "count 3", "global length 14"}, [&] {
    const RankBox beyond{{12, 0}, {3, 5}};
    EXPECT_EQ(put(path(), temperature, 0, false, 0, is_last() ? beyond : part_of(temperature.global), true),
              is_last() ? WEIR_EARGUMENT : WEIR_OK);
    wait();
  });
  expect_no_file();
}

// In a file that is defined the others hear of it in the very put, and the file does not suffer.
TEST_F(RefusalsTest, APartBeyondTheWholeOfAKnownVariable) {
  expect_refusal(WEIR_EARGUMENT, {"start 14", "count 1"}, [&] {
    expect_ok(put(path(), temperature, 1, false), "the first put");
    expect_ok(put(path(), temperature, 2, true), "the second put");
    const RankBox beyond{{14, 0}, {1, 5}};
    note(put(path(), temperature, 3, true, 0, is_last() ? beyond : part_of(temperature.global), true));
    expect_ok(cfio2_wait_output(MPI_COMM_WORLD), "cfio2_wait_output");
  });
  expect_values(path(), temperature, 2);
}

TEST_F(RefusalsTest, NegativeStartsAndLengths) {
  expect_refusal(WEIR_EARGUMENT, {"\"x\"", "start -1"}, [&] {
    put(path(), temperature, 0, false, 0, {{0, -1}, {1, 1}}, true);
    wait();
  });
  expect_refusal(WEIR_EARGUMENT, {"\"y\"", "global length -3"}, [&] {
    put(path(), {"v", {"y"}, {-3}}, 0, false, 0, {{0}, {0}}, true);
    wait();
  });
}

TEST_F(RefusalsTest, PartsThatOverlap) {
  expect_refusal(WEIR_EOVERLAP, {"temperature", "rank 1 holds", "rank 2 holds"}, [&] {
    const RankBox same{{0, 0}, {2, 5}};
    put(path(), temperature, 0, false, 0, same, true);
    wait();
  });
  expect_no_file();
}

TEST_F(RefusalsTest, MissingNamesAndBuffers) {
  expect_refusal(WEIR_EARGUMENT, {"file's name"}, [&] {
    double value = 0;
    const std::int64_t one = 1, zero = 0;
    const char* dim = "x";
    const char* name = is_last() ? nullptr : "f.nc";
    cfio2_put_vara_nd(MPI_COMM_WORLD, name, "v", cfio2_data_type_double, 1, &dim, &one, &zero, &one, &value, 0);
    wait();
  });
  expect_refusal(WEIR_EARGUMENT, {"buffer is NULL"}, [&] {
    put_values(path(), temperature, {{0, 0}, {14, 5}}, nullptr, false);
    wait();
  });
  expect_refusal(WEIR_EARGUMENT, {"variable's name"}, [&] {
    put(path(), {"", {"y"}, {14}}, 0, false);
    wait();
  });
  expect_refusal(WEIR_EARGUMENT, {"a/b"}, [&] {
    put(path(), {"a/b", {"y"}, {14}}, 0, false);
    wait();
  });
}

TEST_F(RefusalsTest, RecordsThatAreNotFirst) {
  expect_refusal(WEIR_EARGUMENT, {"time", "first"}, [&] {
    put_values(path(), {"v", {"y", "time"}, {14, 0}}, {{0, 0}, {0, 0}}, nullptr, false);
    wait();
  });
}

TEST_F(RefusalsTest, ADimensionOfTwoLengths) {
  expect_refusal(WEIR_EARGUMENT, {"\"x\"", "length 5", "length 6", "another name"}, [&] {
    expect_ok(put(path(), temperature, 0, false), "the first put");
    put(path(), {"wider", {"y", "x"}, {14, 6}}, 0, true);
    wait();
  });
}

TEST_F(RefusalsTest, AVariableOfTwoKinds) {
  expect_refusal(WEIR_EARGUMENT, {"temperature", "another type or other dimensions", "append = 0"}, [&] {
    expect_ok(put(path(), temperature, 0, false), "the first put");
    note(put(path(), {"temperature", {"y"}, {14}}, 0, true));
    expect_ok(cfio2_wait_output(MPI_COMM_WORLD), "cfio2_wait_output");
  });
  expect_values(path(), temperature, 0);
}

// The same, where the file is from before.
TEST_F(RefusalsTest, AVariableOfAnotherKindInTheFile) {
  run([&] { put_ok(path(), temperature, 5, false); });
  expect_refusal(WEIR_EARGUMENT, {"temperature", "file.nc"}, [&] {
    expect_ok(put(path(), {"temperature", {"y"}, {14}}, 0, true), "it is held");
    wait();
  });
  expect_values(path(), temperature, 5);
}

TEST_F(RefusalsTest, AnotherVariableOnOneRank) {
  expect_refusal(WEIR_EMISMATCH,
                 {last_rank() + " calls", "\"salt\"", "where rank 1 calls", "\"temperature\"", "same order"}, [&] {
                   Variable mine = temperature;
                   if (is_last()) mine.name = "salt";
                   put(path(), mine, 0, false);
                   wait();
                 });
}

TEST_F(RefusalsTest, APutThatOneRankLeavesOut) {
  finalize_is_to_work_ = false;
  expect_refusal(WEIR_EMISMATCH, {"file.nc", "same order"}, [&] {
    put(path("first.nc"), temperature, 0, false);
    if (!is_last()) put(path(), temperature, 0, false);
    wait();
  });
}

// A rank that leaves out the put of a further record is found at the next meeting.
TEST_F(RefusalsTest, ARecordThatOneRankLeavesOut) {
  finalize_is_to_work_ = false;
  expect_refusal(WEIR_EMISMATCH, {"flow", "same collective calls"}, [&] {
    put_ok(path(), flow, 0, true, 0);
    put_ok(path(), flow, 1, true, 1);
    put_ok(path(), flow, 2, true, 2);
    if (!is_last()) put_ok(path(), flow, 3, true, 3);
    wait();
  });
}

TEST_F(RefusalsTest, RecordsThatDiffer) {
  expect_refusal(WEIR_EMISMATCH, {"flow", "record 4", "record 3"}, [&] {
    put(path(), flow, 0, true, is_last() ? 3 : 4);
    wait();
  });
}

// Further records meet nobody: the one rank is told at once, the others where they wait.
TEST_F(RefusalsTest, PartsOfRecordsThatChangeWhileTheFileIsOpen) {
  finalize_is_to_work_ = false;
  expect_refusal(WEIR_EARGUMENT, {last_rank() + ": ", "flow", "before", "cfio2_wait_output twice"}, [&] {
    put_ok(path(), flow, 0, true, 0);
    put_ok(path(), flow, 1, true, 1);
    put(path(), flow, 2, true, 2, part_of({14, 5}, 0, is_last() ? 1 : 0), true);
    wait();
  });
}

TEST_F(RefusalsTest, OneFileFailsAndTheOthersDoNot) {
  expect_refusal(WEIR_EARGUMENT, {"datatype 99"}, [&] {
    Variable mine = temperature;
    if (is_last()) mine.datatype = 99;
    put_ok(path("good.nc"), flow, 1, false, 0);
    put(path("bad.nc"), mine, 0, false);
    put_ok(path("good.nc"), temperature, 2, true);
    wait();
    put_ok(path("bad.nc"), temperature, 3, false);  // begins anew
    expect_ok(cfio2_wait_output(MPI_COMM_WORLD), "the next cfio2_wait_output");
  });
  expect_values(path("good.nc"), flow, 1, 0);
  expect_values(path("good.nc"), temperature, 2);
  expect_values(path("bad.nc"), temperature, 3);
}

TEST_F(RefusalsTest, AFolderThatIsNotThere) {
  expect_refusal(WEIR_EIO, {"no/such"}, [&] {
    put(path("no/such/file.nc"), temperature, 0, false);
    wait();
  });
}

TEST_F(RefusalsTest, AFileThatIsNoneOfNetcdf) {
  if (rank_ == 0) std::system(("echo text > " + path()).c_str());
  MPI_Barrier(MPI_COMM_WORLD);
  expect_refusal(WEIR_EFORMAT, {"file.nc"}, [&] {
    put(path(), temperature, 0, true);
    wait();
  });
}

TEST_F(RefusalsTest, Attributes) {
  expect_refusal(WEIR_ESTATE, {"cfio2_put_att", "first cfio2_put_vara"},
                 [&] { note(cfio2_put_att_text(MPI_COMM_WORLD, path().c_str(), "temperature", "units", "K")); });
  expect_refusal(WEIR_ENOTFOUND, {"\"salt\"", "\"units\""}, [&] {
    put_ok(path(), temperature, 0, false);
    expect_ok(cfio2_put_att_text(MPI_COMM_WORLD, path().c_str(), "salt", "units", "1"), "it is held");
    wait();
  });
  expect_refusal(WEIR_EARGUMENT, {"_FillValue", "temperature"}, [&] {
    const float fill = 0;
    put_ok(path(), temperature, 0, false);
    cfio2_put_att(MPI_COMM_WORLD, path().c_str(), "temperature", "_FillValue", cfio2_data_type_float, 1, &fill);
    wait();
  });
}

TEST_F(RefusalsTest, CallsAtTheWrongTime) {
  EXPECT_EQ(cfio2_wait_output(MPI_COMM_WORLD), WEIR_ESTATE);
  EXPECT_NE(std::string(cfio2_error()).find("cfio2_init first"), std::string::npos) << cfio2_error();
  EXPECT_EQ(cfio2_finalize(MPI_COMM_WORLD), WEIR_ESTATE);
  EXPECT_EQ(put(path(), temperature, 0, false), WEIR_ESTATE);
  EXPECT_EQ(cfio2_control_process(MPI_COMM_WORLD), 0);
  expect_refusal(WEIR_ESTATE, {"twice"}, [&] { note(cfio2_init(MPI_COMM_WORLD, 1, 1)); });
  EXPECT_EQ(cfio2_finalize(MPI_COMM_WORLD), WEIR_ESTATE);
}

// All ranks, the control process too, are told by cfio2_init.
TEST_F(RefusalsTest, AStartThatCannotBe) {
  const auto refuses = [&](MPI_Comm comm, int per_node, int code, const std::string& word) {
    EXPECT_EQ(cfio2_init(comm, per_node, 1), code) << cfio2_error();
    EXPECT_NE(std::string(cfio2_error()).find(word), std::string::npos) << cfio2_error();
    EXPECT_EQ(cfio2_finalize(comm), WEIR_ESTATE);
  };
  refuses(MPI_COMM_WORLD, 0, WEIR_EARGUMENT, "give 1 or more");
  refuses(MPI_COMM_SELF, 1, WEIR_EARGUMENT, "control: hosted");
  refuses(MPI_COMM_WORLD, is_last() ? 2 : 1, WEIR_EMISMATCH, "calls cfio2_init with 2 I/O processes per node");
  {
    const Setting differing("WEIR_DURABILITY", is_last() ? "cache" : "storage");
    refuses(MPI_COMM_WORLD, 1, WEIR_ECONFIG,
            "durability is \"cache\" on " + last_rank() + " and \"storage\" on rank 0");
  }
  const Setting wrong("WEIR_SINK", "no_such_sink");
  refuses(MPI_COMM_WORLD, 1, WEIR_ECONFIG, "no_such_sink");
}

// A rank that goes on computing: the others are told after `timeout`, and the control process comes back too.
TEST_F(RefusalsTest, ARankThatDoesNotCome) {
  const Setting timeout("WEIR_TIMEOUT", "1");
  const auto before = std::chrono::steady_clock::now();
  const int code = cfio2_init(MPI_COMM_WORLD, 1, 1);
  if (rank_ != 0) {
    expect_ok(code, "cfio2_init");
    put_ok(path(), temperature, 0, false);
    if (is_last()) std::this_thread::sleep_for(std::chrono::seconds(4));
    EXPECT_EQ(cfio2_wait_output(MPI_COMM_WORLD), WEIR_ETIMEOUT) << cfio2_error();
    EXPECT_NE(std::string(cfio2_error()).find("did not reach"), std::string::npos) << cfio2_error();
    EXPECT_EQ(put(path(), temperature, 0, false), WEIR_ETIMEOUT);
    EXPECT_EQ(cfio2_finalize(MPI_COMM_WORLD), WEIR_ETIMEOUT);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(25));
}

}  // namespace
}  // namespace cfio2_tests
