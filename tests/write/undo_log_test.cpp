// SPDX-License-Identifier: Apache-2.0
// alone: its own calls to the storage
// A commit that a kill cuts short is taken back; one that goes on, or whose journal is not whole, is left alone.
#include "commit/undo_log.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "faults/held_to_permissions.hpp"
#include "storage/filesystem.hpp"
#include "storage/identity.hpp"
#include "write/record_bytes.hpp"

namespace {
bool locks = true;
std::function<void()> before_lock;    // once
std::function<int()> before_removal;  // 0, or with what errno files cannot be removed
}  // namespace

// In place of the system's.
extern "C" int unlink(const char* path) noexcept {
  errno = before_removal ? before_removal() : 0;
  return errno == 0 ? static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, 0)) : -1;
}

extern "C" int flock(int file, int how) noexcept {
  if (before_lock) std::exchange(before_lock, nullptr)();
  if (locks) return static_cast<int>(::syscall(SYS_flock, file, how));
  errno = ENOSYS;
  return -1;
}

namespace weir {
namespace {

namespace fs = std::filesystem;

const std::string before(10000, 'a');

class ChangeJournalTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() / ("journal_" + std::to_string(::getpid()) + ".nc");
    std::ofstream(path_) << before;
  }
  void TearDown() override {
    locks = true;
    before_removal = nullptr;
    fs::remove(path_);
    fs::remove(undo_log_name(path_));
  }

  std::string contents() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  static std::vector<Change> changes() {
    const std::vector<std::byte> other(500, std::byte{'b'});
    return {{0, other}, {4096, other}, {9900, other}, {20000, other}};
  }
  Descriptor open() const { return {::open(path_.c_str(), O_RDWR | O_CLOEXEC), path_}; }

  // What a process does that is killed after so many of the changes.
  void commit_until(std::size_t done) const {
    const pid_t child = ::fork();
    if (child == 0) {
      const Descriptor file = open();
      const UndoLog journal(path_, file, changes(), Durability::storage);
      for (std::size_t i = 0; i < done; ++i)
        if (write_whole(file.number(), changes()[i].bytes, changes()[i].offset) != 0) ::_exit(1);
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }

  // As if another user had written both.
  void give_away(mode_t mode) const {
    constexpr uid_t somebody = 12345;
    for (const std::string& name : {path_, undo_log_name(path_)}) {
      if (!fs::exists(name)) continue;
      ASSERT_EQ(::chown(name.c_str(), somebody, somebody), 0);
    }
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
  }
  static std::string refusal_of(bool (*asked)(const std::string&), const std::string& path) {
    try {
      asked(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  std::string path_;
};

TEST_F(ChangeJournalTest, TakesBackACommitThatWasCutShort) {
  for (std::size_t done = 0; done <= changes().size(); ++done) {
    commit_until(done);
    EXPECT_TRUE(has_interrupted_commit(path_));
    EXPECT_EQ(contents() == before, done == 0);
    EXPECT_TRUE(roll_back_commit(path_));
    EXPECT_EQ(contents(), before) << done;
    EXPECT_FALSE(fs::exists(undo_log_name(path_)));
  }
}

TEST_F(ChangeJournalTest, LeavesAFileThatNothingBefell) {
  EXPECT_FALSE(has_interrupted_commit(path_));
  EXPECT_FALSE(roll_back_commit(path_));
  EXPECT_EQ(contents(), before);
}

TEST_F(ChangeJournalTest, LeavesACommitThatGoesOn) {
  const Descriptor file = open();
  UndoLog journal(path_, file, changes(), Durability::storage);
  ASSERT_EQ(write_whole(file.number(), changes()[0].bytes, 0), 0);
  EXPECT_FALSE(roll_back_commit(path_));
  EXPECT_NE(contents(), before);
  EXPECT_TRUE(journal.remove().ok());
  EXPECT_FALSE(fs::exists(undo_log_name(path_)));
}

// A run of any version reads them.
TEST_F(ChangeJournalTest, KeepsItsBytes) {
  commit_until(0);
  RecordBytes expected;
  expected.word(static_cast<std::int64_t>(identity_of(open().number(), path_).inode)).word(std::ssize(before)).word(4);
  expected.word(0).text(before.substr(0, 500));
  expected.word(4096).text(before.substr(0, 500));
  expected.word(9900).text(before.substr(0, 100));
  expected.word(20000).text("");
  constexpr std::int64_t mark = 0x574549524a4e4c32;  // "WEIRJNL2"
  std::ifstream file(undo_log_name(path_), std::ios::binary);
  EXPECT_EQ(bytes_of({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}), expected.sealed(mark));
}

// Nothing of the file was written before the journal was whole.
TEST_F(ChangeJournalTest, DropsAJournalThatIsNotWhole) {
  commit_until(0);
  const auto bytes = static_cast<std::uintmax_t>(fs::file_size(undo_log_name(path_)));
  for (const std::uintmax_t kept : {bytes - 1, bytes / 2, std::uintmax_t{10}, std::uintmax_t{0}}) {
    commit_until(0);
    fs::resize_file(undo_log_name(path_), kept);
    EXPECT_FALSE(roll_back_commit(path_));
    EXPECT_EQ(contents(), before);
    EXPECT_FALSE(fs::exists(undo_log_name(path_)));
  }
}

TEST_F(ChangeJournalTest, LeavesAnotherFileOfThatName) {
  commit_until(2);
  std::ofstream(path_ + ".new") << "another";
  fs::rename(path_ + ".new", path_);
  roll_back_commit(path_);
  EXPECT_EQ(contents(), "another");
}

// Nobody can know there whether a run lives.
TEST_F(ChangeJournalTest, SaysThatItCannotBeKnownWhereThereAreNoLocks) {
  locks = false;
  commit_until(2);
  for (const std::string& refusal : {refusal_of(roll_back_commit, path_), refusal_of(has_interrupted_commit, path_)}) {
    EXPECT_NE(refusal.find("cannot determine"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("weir-verify --clean"), std::string::npos) << refusal;
  }
  EXPECT_NE(contents(), before);
  EXPECT_TRUE(roll_back_commit(path_, IfLocksMissing::roll_back));
  EXPECT_EQ(contents(), before);
  EXPECT_FALSE(fs::exists(undo_log_name(path_)));
}

// Whoever may read the file may know of its commits; who may not write it is told who can take one back.
TEST_F(ChangeJournalTest, TellsAReaderWhatHolds) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  commit_until(2);
  give_away(0644);
  const faults::HeldToPermissions held;
  if (!held.worked()) GTEST_SKIP() << "this system does not hold root to permissions";
  EXPECT_TRUE(has_interrupted_commit(path_));
  const std::string refusal = refusal_of(roll_back_commit, path_);
  EXPECT_NE(refusal.find("a commit of"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("interrupted"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("owner"), std::string::npos) << refusal;
}

TEST_F(ChangeJournalTest, LeavesACommitOfAnotherUserThatGoesOn) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const Descriptor file = open();
  UndoLog journal(path_, file, changes(), Durability::storage);
  give_away(0644);
  const faults::HeldToPermissions held;
  if (!held.worked()) GTEST_SKIP() << "this system does not hold root to permissions";
  EXPECT_FALSE(has_interrupted_commit(path_));
  EXPECT_FALSE(roll_back_commit(path_));
}

// Taken back once more later, it would undo commits that came after it.
TEST_F(ChangeJournalTest, TellsOfACommitThatIsTakenBackButKeepsItsJournal) {
  commit_until(2);
  before_removal = [] { return EBUSY; };
  const std::string refusal = refusal_of(roll_back_commit, path_);
  EXPECT_NE(refusal.find("cannot be removed"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("remove it"), std::string::npos) << refusal;
  EXPECT_EQ(contents(), before);
  before_removal = [] { return ENOENT; };  // somebody else was faster
  EXPECT_TRUE(roll_back_commit(path_));
}

TEST_F(ChangeJournalTest, TakesBackItsOwnCommitWhileNobodyElseCan) {
  const Descriptor file = open();
  UndoLog journal(path_, file, changes(), Durability::storage);
  ASSERT_EQ(write_whole(file.number(), changes()[0].bytes, 0), 0);
  bool held = false;
  before_removal = [&] {
    held = !has_interrupted_commit(path_);
    return 0;
  };
  const Status status = journal.roll_back();
  EXPECT_TRUE(status.ok()) << status.message;
  EXPECT_TRUE(held);
  EXPECT_EQ(contents(), before);
  EXPECT_FALSE(fs::exists(undo_log_name(path_)));
}

// Between its making and its lock it looks like one that a kill has left unfinished.
TEST_F(ChangeJournalTest, IsMadeAnewWhereAnotherProgramRemovesIt) {
  const Descriptor file = open();
  before_lock = [&] { EXPECT_FALSE(roll_back_commit(path_)); };
  UndoLog journal(path_, file, changes(), Durability::storage);
  EXPECT_TRUE(fs::exists(undo_log_name(path_)));
  EXPECT_FALSE(has_interrupted_commit(path_));
  EXPECT_TRUE(journal.remove().ok());
}

// Files of netCDF may have names that leave no room for a journal's.
TEST_F(ChangeJournalTest, IsNotThereForNamesThatAreAsLongAsTheyCanBe) {
  const std::string longest = fs::temp_directory_path() / std::string(255, 'n');
  EXPECT_FALSE(has_interrupted_commit(longest));
  EXPECT_FALSE(roll_back_commit(longest));
}

// It holds what the file held.
TEST_F(ChangeJournalTest, IsReadByNobodyWhoMayNotReadTheFile) {
  for (const auto& [mode, of_journal] : {std::pair(0600U, 0600U), std::pair(0640U, 0640U), std::pair(0664U, 0644U)}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    const Descriptor file = open();
    UndoLog journal(path_, file, changes(), Durability::storage);
    struct stat status {};
    ASSERT_EQ(::stat(undo_log_name(path_).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, of_journal);
    EXPECT_TRUE(journal.remove().ok());
  }
}

}  // namespace
}  // namespace weir
