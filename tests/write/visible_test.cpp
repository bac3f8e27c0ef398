// SPDX-License-Identifier: Apache-2.0
#include "write/visible.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

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

TEST_F(VisibleTest, RemovesWhatIsLeftOfThisFileAlone) {
  const std::string path = (folder_ / "history.nc").string();
  const std::set<std::string> others = {
      "history.nc",       ".history.nc.weir",           ".history.nc.0000.weir", ".history.nc.0123456g.weir",
      "history.nc.00.nc", ".history2.nc.01234567.weir", "x.01234567.weir"};
  for (const std::string& name : others) make(name);
  make(fs::path(partial_name(path, 0)).filename());
  make(fs::path(partial_name(path, 0xfedcba98)).filename());
  remove_leftovers(path);
  EXPECT_EQ(names(), others);
}

TEST_F(VisibleTest, AFolderThatIsNotThereHasNothingLeft) {
  remove_leftovers((folder_ / "missing" / "history.nc").string());
  EXPECT_EQ(names(), std::set<std::string>());
}

}  // namespace
}  // namespace weir
