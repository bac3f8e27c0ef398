// SPDX-License-Identifier: Apache-2.0
// A commit that a kill cuts short is taken back; one that goes on, or whose journal is not whole, is left alone.
#include "write/change_journal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "write/whole_write.hpp"

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
    fs::remove(path_);
    fs::remove(journal_name(path_));
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
      const ChangeJournal journal(path_, file, changes(), Durability::storage);
      for (std::size_t i = 0; i < done; ++i)
        if (write_whole(file.number(), changes()[i].bytes, changes()[i].offset) != 0) ::_exit(1);
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }

  std::string path_;
};

TEST_F(ChangeJournalTest, TakesBackACommitThatWasCutShort) {
  for (std::size_t done = 0; done <= changes().size(); ++done) {
    commit_until(done);
    EXPECT_TRUE(commit_was_cut_short(path_));
    EXPECT_EQ(contents() == before, done == 0);
    EXPECT_TRUE(take_back_commit(path_));
    EXPECT_EQ(contents(), before) << done;
    EXPECT_FALSE(fs::exists(journal_name(path_)));
  }
}

TEST_F(ChangeJournalTest, LeavesAFileThatNothingBefell) {
  EXPECT_FALSE(commit_was_cut_short(path_));
  EXPECT_FALSE(take_back_commit(path_));
  EXPECT_EQ(contents(), before);
}

TEST_F(ChangeJournalTest, LeavesACommitThatGoesOn) {
  const Descriptor file = open();
  ChangeJournal journal(path_, file, changes(), Durability::storage);
  ASSERT_EQ(write_whole(file.number(), changes()[0].bytes, 0), 0);
  EXPECT_FALSE(take_back_commit(path_));
  EXPECT_NE(contents(), before);
  EXPECT_TRUE(journal.remove().ok());
  EXPECT_FALSE(fs::exists(journal_name(path_)));
}

// Nothing of the file was written before the journal was whole.
TEST_F(ChangeJournalTest, DropsAJournalThatIsNotWhole) {
  commit_until(0);
  const auto bytes = static_cast<std::uintmax_t>(fs::file_size(journal_name(path_)));
  for (const std::uintmax_t kept : {bytes - 1, bytes / 2, std::uintmax_t{10}, std::uintmax_t{0}}) {
    commit_until(0);
    fs::resize_file(journal_name(path_), kept);
    EXPECT_FALSE(take_back_commit(path_));
    EXPECT_EQ(contents(), before);
    EXPECT_FALSE(fs::exists(journal_name(path_)));
  }
}

TEST_F(ChangeJournalTest, LeavesAnotherFileOfThatName) {
  commit_until(2);
  std::ofstream(path_ + ".new") << "another";
  fs::rename(path_ + ".new", path_);
  take_back_commit(path_);
  EXPECT_EQ(contents(), "another");
}

}  // namespace
}  // namespace weir
