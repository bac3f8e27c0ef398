// SPDX-License-Identifier: Apache-2.0
// alone: its own calls to the storage
// Three files in two folders are committed as one: a count in a header, a new name that replaces an older file, and
// tables in several places. The process ends at each of its calls to the storage, in each way, and so does the one that
// finishes what it has left: then all files show the commit, or none.
#include "commit/group_record.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "formats/classic/visible.hpp"
#include "write/cut_calls.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

void write_file(const std::string& path, const std::string& contents) {
  std::ofstream(path, std::ios::binary) << contents;
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::byte> bytes(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

class GroupRecordTest : public testing::Test {
 protected:
  GroupRecordTest() : folder_(fs::temp_directory_path() / ("group." + std::to_string(::getpid()))) {}
  void SetUp() override { make_files(); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string count() const { return path("a/count.nc"); }
  std::string named() const { return path("b/named.nc"); }
  std::string tables() const { return path("b/tables.nc"); }
  std::vector<std::string> paths() const { return {count(), named(), tables()}; }
  std::string unnamed() const { return partial_name(named(), 0x1234); }

  void make_files() const {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "a");
    fs::create_directories(folder_ / "b");
    write_file(count(), "CDF\2" + std::string(4, '\0') + "rest");
    write_file(named(), "an older file");
    write_file(unnamed(), "a new file");
    fs::create_symlink(fs::path(unnamed()).filename(), partial_name(named()));
    write_file(tables(), std::string(6000, 't') + "chunks behind the end");
  }

  std::vector<PublishStep> steps() const {
    PublishStep counts{count(), count(), mark_of(count()),
                       {},      -1,      {{4, bytes(std::string(4, '\0')), bytes({"\0\0\0\1", 4})}}};
    PublishStep names{named(), unnamed(), mark_of(unnamed()), mark_of(named()), -1, {}};
    PublishStep changes{tables(), tables(), mark_of(tables()), {}, 6010, {}};
    changes.edits.push_back({0, bytes("ttt"), bytes("TTT")});
    changes.edits.push_back({5990, bytes(std::string(10, 't')), bytes(std::string(10, 'T'))});
    changes.edits.push_back({6021, {}, bytes("more")});
    return {counts, names, changes};
  }

  // How many of the files show the commit; -1: one shows neither.
  int published() const {
    const std::string old_count = "CDF\2" + std::string(4, '\0') + "rest",
                      new_count = "CDF\2" + std::string("\0\0\0\1", 4) + "rest";
    const std::string old_tables = std::string(6000, 't') + "chunks behind the end";
    const std::string new_tables = "TTT" + std::string(5987, 't') + std::string(10, 'T') + "chunks beh";
    int found = 0;
    for (const auto& [file, before, after] :
         {std::tuple{count(), old_count, new_count},
          std::tuple{named(), std::string("an older file"), std::string("a new file")},
          std::tuple{tables(), old_tables, new_tables}}) {
      const std::string now = contents_of(file);
      if (now != before && now != after) return -1;
      found += now == after ? 1 : 0;
    }
    return found;
  }

  std::set<std::string> hidden() const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (const std::string name = entry.path().filename().string(); name.find("weir-commit") != name.npos)
        names.insert(name);
    return names;
  }

  // How a process ends that does this: its exit code.
  template <class Action>
  static int in_a_process(Action action) {
    const pid_t child = ::fork();
    if (child == 0) {
      action();
      ::_exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  // A commit, up to the end of the run.
  void commit(const std::string& returned) const {
    GroupRecord record(Durability::storage);
    const std::vector<PublishStep> all = steps();
    record.decide(all);
    std::size_t step = 0;
    if (!record.carry_out(all, step).ok()) ::_exit(1);
    ::close(::creat(returned.c_str(), 0600));
    for (const std::string& each : paths()) record.leave(each);
  }
  // One that is cut short once it counts, none of its steps done.
  void decide_only() const {
    ASSERT_EQ(in_a_process([&] { GroupRecord(Durability::storage).decide(steps()); }), 0);
    ASSERT_EQ(published(), 0);
  }

  fs::path folder_;
};

TEST_F(GroupRecordTest, AllOrNoneWhereverItIsCut) {
  const std::string returned = path("returned");
  bool none = false, all = false;
  for (const cut::Loss loss : {cut::Loss::nothing, cut::Loss::all, cut::Loss::at_random}) {
    int calls = 0;
    for (int ended = cut::exit_code; ended == cut::exit_code;) {
      make_files();
      const auto seed = static_cast<std::uint64_t>(++calls);
      ended = in_a_process([&] {
        cut::begin({calls, loss, seed});
        commit(returned);
      });
      ASSERT_TRUE(ended == 0 || ended == cut::exit_code) << ended;
      const std::string first = paths()[seed % 3];
      in_a_process([&] {  // the run that finishes it is cut, too
        cut::begin({calls * 5 % 13 + 1, loss, seed + 1});
        finish_group_commit(first);
      });
      finish_group_commit(first);
      const int found = published();
      EXPECT_TRUE(found == 0 || found == 3)
          << found << " published, call " << calls << ", loss " << static_cast<int>(loss);
      EXPECT_TRUE(found == 3 || !fs::exists(returned)) << "lost, call " << calls;
      none = none || found == 0;
      all = all || (found == 3 && !fs::exists(returned));
      for (const std::string& each : paths()) finish_group_commit(each);
      EXPECT_EQ(published(), found) << "not found from " << first << ", call " << calls;
      // After a power cut a record that is void may be there again.
      if (loss == cut::Loss::nothing) {
        EXPECT_EQ(hidden(), std::set<std::string>{}) << "call " << calls;
      }
    }
    EXPECT_GT(calls, 20);
  }
  EXPECT_TRUE(none);
  EXPECT_TRUE(all);
}

TEST_F(GroupRecordTest, EveryFileFindsIt) {
  for (const std::string& first : paths()) {
    make_files();
    decide_only();
    EXPECT_TRUE(has_interrupted_group_commit(first));
    const auto finished = finish_group_commit(first);
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->published, paths());
    EXPECT_EQ(finished->left, std::vector<std::string>{});
    EXPECT_EQ(published(), 3);
    EXPECT_EQ(hidden(), std::set<std::string>{});
    EXPECT_FALSE(fs::is_symlink(partial_name(named())));
    EXPECT_FALSE(finish_group_commit(first));
  }
}

TEST_F(GroupRecordTest, IsFoundWhereTheFolderWasMoved) {
  decide_only();
  const fs::path before = folder_;
  folder_ += ".moved";
  fs::rename(before, folder_);
  EXPECT_TRUE(finish_group_commit(count()));
  EXPECT_EQ(published(), 3);
}

TEST_F(GroupRecordTest, GoesOnWithoutAFileThatIsGone) {
  decide_only();
  fs::remove(count());
  const auto finished = finish_group_commit(tables());
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->left, std::vector<std::string>{count()});
  EXPECT_EQ(contents_of(named()), "a new file");
  EXPECT_FALSE(fs::exists(count()));
}

TEST_F(GroupRecordTest, LeavesOtherFilesOfTheseNames) {
  decide_only();
  for (const std::string& each : {count(), named()}) {
    write_file(each + ".new", "another");
    fs::rename(each + ".new", each);
  }
  const auto finished = finish_group_commit(named());
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->left, (std::vector<std::string>{count(), named()}));
  EXPECT_EQ(contents_of(count()), "another");
  EXPECT_EQ(contents_of(named()), "another");
}

// The same file, but a program has written there since: a commit of old would undo it.
TEST_F(GroupRecordTest, LeavesAFileThatAnotherProgramHasChanged) {
  decide_only();
  std::fstream(count(), std::ios::in | std::ios::out | std::ios::binary).seekp(4).write("\0\0\0\7", 4);
  const std::string changed = contents_of(count());
  const auto finished = finish_group_commit(named());
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->left, std::vector<std::string>{count()});
  EXPECT_EQ(contents_of(count()), changed);
}

TEST_F(GroupRecordTest, ARunThatLivesKeepsItsRecord) {
  GroupRecord record(Durability::storage);
  record.decide(steps());
  EXPECT_FALSE(has_interrupted_group_commit(count()));
  std::size_t step = 0;
  EXPECT_TRUE(record.carry_out(steps(), step).ok());
  EXPECT_FALSE(finish_group_commit(count()));
  EXPECT_EQ(hidden().size(), 4U);
  for (const std::string& each : paths()) record.leave(each);
  EXPECT_EQ(hidden(), std::set<std::string>{});
}

// Who reads meanwhile gets what the commit shows.
TEST_F(GroupRecordTest, WaitsForACommitThatIsUnderWay) {
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    GroupRecord record(Durability::storage);
    const std::vector<PublishStep> all = steps();
    record.decide(all);
    if (::write(told[1], "x", 1) != 1) ::_exit(1);
    ::usleep(200000);
    std::size_t step = 0;
    if (!record.carry_out(all, step).ok()) ::_exit(1);
    ::pause();
  }
  char word = 0;
  ASSERT_EQ(::read(told[0], &word, 1), 1);
  EXPECT_FALSE(finish_group_commit(tables()));
  EXPECT_EQ(published(), 3);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(GroupRecordTest, AStepThatFailsIsLeftToTheNextRun) {
  std::vector<PublishStep> all = steps();
  GroupRecord record(Durability::storage);
  record.decide(all);
  const std::string aside = path("a/aside");
  fs::rename(count(), aside);
  std::size_t failed_step = 1;
  const Status status = record.carry_out(all, failed_step);
  EXPECT_EQ(status.code, WEIR_EIO);
  EXPECT_EQ(failed_step, 0U);
  EXPECT_NE(status.message.find("count.nc"), std::string::npos) << status.message;
  fs::rename(aside, count());
  EXPECT_TRUE(finish_group_commit(tables()));
  EXPECT_EQ(published(), 3);
}

TEST_F(GroupRecordTest, ARecordThatWasRemovedIsMadeAnew) {
  GroupRecord record(Durability::storage);
  const std::vector<PublishStep> all = steps();
  record.decide(all);
  std::size_t step = 0;
  ASSERT_TRUE(record.carry_out(all, step).ok());
  for (const auto& entry : fs::directory_iterator(folder_ / "a"))
    if (entry.path().filename().string().starts_with(".weir-commit.")) fs::remove(entry.path());
  fs::remove(group_link_name(tables()));
  make_files();
  record.decide(steps());
  record = GroupRecord(Durability::storage);  // the run ends
  EXPECT_TRUE(finish_group_commit(tables()));
  EXPECT_EQ(published(), 3);
}

TEST_F(GroupRecordTest, DropsARecordThatIsNotWhole) {
  for (const std::uintmax_t kept : {0U, 8U, 100U}) {
    make_files();
    decide_only();
    for (const auto& entry : fs::directory_iterator(folder_ / "a"))
      if (entry.path().filename().string().starts_with(".weir-commit.")) fs::resize_file(entry.path(), kept);
    for (const std::string& each : paths()) EXPECT_FALSE(finish_group_commit(each));
    EXPECT_EQ(published(), 0);
    EXPECT_EQ(hidden(), std::set<std::string>{});
  }
}

// Who can write into the folder could leave one that tells to write into a file of somebody else.
TEST_F(GroupRecordTest, IsNotBelievedOfFilesOfOthers) {
  if (::geteuid() != 0) GTEST_SKIP() << "wants root, to give a file to another user";
  decide_only();
  for (const auto& entry : fs::directory_iterator(folder_ / "a"))
    if (entry.path().filename().string().starts_with(".weir-commit.")) {
      ASSERT_EQ(::chown(entry.path().c_str(), 12345, 12345), 0);
    }
  EXPECT_THROW(finish_group_commit(count()), Error);
  EXPECT_EQ(published(), 0);
}

TEST_F(GroupRecordTest, WantsOneFileSystem) {
  EXPECT_FALSE(group_obstacle(paths()));
  const std::vector<std::string> two{count(), "/proc/self/status"};
  const auto problem = group_obstacle(two);
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->find("two file systems"), std::string::npos);
}

}  // namespace
}  // namespace weir
