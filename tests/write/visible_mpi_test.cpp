// ranks: 1
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "formats/classic/visible.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

class VisibleTest : public ::testing::Test {
 protected:
  VisibleTest() {
    folder_ = fs::temp_directory_path() / ("visible." + std::to_string(::getpid()));
    fs::create_directory(folder_);
  }
  ~VisibleTest() override { fs::remove_all(folder_); }

  void make(const std::string& name) const { std::ofstream(folder_ / name) << name; }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.insert(entry.path().filename().string());
    return found;
  }

  fs::path folder_;
};

TEST(PartialName, IsHiddenBesideTheFile) {
  EXPECT_EQ(partial_name("/data/history.nc"), "/data/.history.nc.weir");
  EXPECT_EQ(partial_name("/data/history.nc", 0x1f), "/data/.history.nc.0000001f.weir");
  EXPECT_EQ(partial_name("history.nc", 0xffffffff), ".history.nc.ffffffff.weir");
}

// A header of one variable without records.
DefinedHeader header_of(const std::string& path) {
  Schema schema;
  schema.add_variable("x", WEIR_INT, std::vector<int>{schema.add_dimension("d", 2)});
  return define_header(path, schema, {}, 1);
}

TEST_F(VisibleTest, TheNextRunRemovesWhatAKilledOneHasLeft) {
  const std::string path = (folder_ / "history.nc").string();
  std::string left;
  {
    const VisibleFile killed(path, header_of(path), Durability::cache);  // never published, never discarded
    left = killed.written_path();
  }
  EXPECT_TRUE(fs::exists(left));
  EXPECT_TRUE(fs::is_symlink(partial_name(path)));
  VisibleFile next(path, header_of(path), Durability::cache);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(next.publish(header_of(path).geometry, 0).ok());
  EXPECT_EQ(names(), std::set<std::string>{"history.nc"});
}

// Whoever can write into the folder may leave a link there: nothing is removed or overwritten through it.
TEST_F(VisibleTest, ALinkThatLeadsElsewhereIsNotFollowed) {
  const std::string path = (folder_ / "history.nc").string();
  make("precious");
  fs::create_symlink("precious", partial_name(path));
  VisibleFile file(path, header_of(path), Durability::cache);
  EXPECT_TRUE(file.publish(header_of(path).geometry, 0).ok());
  EXPECT_EQ(names(), (std::set<std::string>{"history.nc", "precious"}));
  EXPECT_EQ(fs::file_size(folder_ / "precious"), 8U);
}

// Whatever the name has come to mean meanwhile stays as it is, and so does what was written.
class SwappedTest : public VisibleTest {
 protected:
  SwappedTest()
      : path_((folder_ / "a.nc").string()), header_(header_of(path_)), file_(path_, header_, Durability::cache) {
    EXPECT_TRUE(file_.publish(header_.geometry, 0).ok());
    make("foreign.nc");
  }
  void expect_refused(const std::string& words) {
    const Status status = file_.publish(header_.geometry, 0);
    EXPECT_EQ(status.code, WEIR_EIO);
    EXPECT_NE(status.message.find(words), std::string::npos) << status.message;
  }
  std::string path_;
  DefinedHeader header_;
  VisibleFile file_;
};

TEST_F(SwappedTest, AnotherFileOfTheName) {
  fs::rename(path_, folder_ / "archived.nc");
  fs::copy_file(folder_ / "foreign.nc", path_);
  expect_refused("is no longer the file");
  EXPECT_EQ(fs::file_size(path_), 10U);
}

TEST_F(SwappedTest, AHardLinkOfTheName) {
  fs::rename(path_, folder_ / "archived.nc");
  fs::create_hard_link(folder_ / "foreign.nc", path_);
  expect_refused("is no longer the file");
}

TEST_F(SwappedTest, ASymbolicLinkOfTheName) {
  fs::rename(path_, folder_ / "archived.nc");
  fs::create_symlink("foreign.nc", path_);
  expect_refused("is no longer the file");
}

TEST_F(SwappedTest, NoFileOfTheName) {
  fs::rename(path_, folder_ / "archived.nc");
  expect_refused("no longer exists");
}

TEST_F(SwappedTest, TheFileItselfByWayOfALink) {
  fs::rename(path_, folder_ / "moved.nc");
  fs::create_symlink("moved.nc", path_);
  EXPECT_TRUE(file_.publish(header_.geometry, 0).ok());
}

TEST_F(SwappedTest, AnEmptiedFile) {
  fs::resize_file(path_, 0);
  expect_refused("a header that this run did not write");
  EXPECT_EQ(fs::file_size(path_), 0U);
}

TEST_F(SwappedTest, AChangedHeader) {
  std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary).seekp(20).put('\7');
  expect_refused("a header that this run did not write");
}

TEST_F(VisibleTest, KeepsTheModeOfTheFileItReplaces) {
  const std::string path = (folder_ / "history.nc").string();
  make("history.nc");
  fs::permissions(path, fs::perms::owner_all | fs::perms::group_read);
  VisibleFile file(path, header_of(path), Durability::cache);
  EXPECT_TRUE(file.publish(header_of(path).geometry, 0).ok());
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all | fs::perms::group_read);
}

TEST_F(VisibleTest, APathIsResolvedOnce) {
  fs::create_symlink("target.nc", folder_ / "link.nc");
  EXPECT_EQ(resolved_path((folder_ / "link.nc").string()), (folder_ / "target.nc").string());
  EXPECT_EQ(resolved_path("history.nc"), (fs::current_path() / "history.nc").string());
  fs::create_symlink("round.nc", folder_ / "round.nc");
  EXPECT_THROW(resolved_path((folder_ / "round.nc").string()), Error);
}

TEST_F(VisibleTest, CutsWhatIsBehindTheLastRecord) {
  const std::string path = (folder_ / "history.nc").string();
  const DefinedHeader header = header_of(path);
  VisibleFile(path, header, Durability::cache).publish(header.geometry, 0).raise();
  const auto whole = fs::file_size(path);
  fs::resize_file(path, whole + 1000);
  VisibleFile appended(path, header.geometry, Durability::cache);
  EXPECT_EQ(fs::file_size(path), whole);
}

}  // namespace
}  // namespace weir
