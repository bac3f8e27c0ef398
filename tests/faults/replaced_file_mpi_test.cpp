// ranks: 1 4
// SPDX-License-Identifier: Apache-2.0
// A new file over what its name stands for already (docs/decisions/018-which-file.md): a link, one of several hard
// links, a file of another owner or mode, one that may not be written; and a name that is relative to a folder which
// the model leaves.
#include <sys/stat.h>
#include <unistd.h>

#include "faults/held_to_permissions.hpp"
#include "faults/strategies.hpp"

namespace faults {
namespace {

constexpr uid_t another_user = 54321;
constexpr gid_t another_group = 54322;

class Replaced : public StrategyTest {
 protected:
  // On rank 0 alone, before the others go on.
  template <class Make>
  void make_first(Make make) const {
    if (rank_ == 0) make();
    MPI_Barrier(team_);
  }
  void make_text(const std::string& name) const { std::ofstream(path(name)) << "old"; }
  // Everybody may write it, and it is another user's.
  void make_strangers() const {
    make_text("file.nc");
    ASSERT_EQ(::chmod(path().c_str(), 0666), 0);
    ASSERT_EQ(::chown(path().c_str(), another_user, another_group), 0);
  }
  // A file of one record, by one name of it.
  void write_file(const std::string& name) {
    weir_file* file = begin(name);
    EXPECT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    MPI_Barrier(team_);
  }
  struct stat status_of(const std::string& name) const {
    struct stat status {};
    EXPECT_EQ(::lstat(path(name).c_str(), &status), 0) << path(name);
    return status;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Replaced, testing::Values("remap", "collective", "dynamic", "servers"), strategy_name);

TEST_P(Replaced, ALinkStaysAndItsFileIsReplaced) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  make_first([&] {
    fs::create_directory(path("far"));
    make_text("far/target.nc");
    fs::create_symlink("far/target.nc", path("link.nc"));
    fs::create_symlink("far/none_yet.nc", path("dangling.nc"));
  });
  for (const char* name : {"link.nc", "dangling.nc"}) write_file(name);
  EXPECT_EQ(fs::read_symlink(path("link.nc")), "far/target.nc");
  EXPECT_EQ(fs::read_symlink(path("dangling.nc")), "far/none_yet.nc");
  expect_files({"far", "link.nc", "dangling.nc"});
  for (const char* name : {"far/target.nc", "far/none_yet.nc"}) {
    EXPECT_FALSE(fs::is_symlink(path(name)));
    expect_good_file(1, name);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(path("far")), {}), 2);
}

TEST_P(Replaced, OneOfSeveralHardLinksAloneGetsTheNewFile) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  make_first([&] {
    make_text("file.nc");
    fs::create_hard_link(path("file.nc"), path("other.nc"));
  });
  write_file("file.nc");
  expect_good_file(1);
  EXPECT_EQ(contents(path("other.nc")), "old");
  EXPECT_EQ(fs::hard_link_count(path("file.nc")), 1U);
  EXPECT_EQ(fs::hard_link_count(path("other.nc")), 1U);
}

TEST_P(Replaced, ModeStays) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  for (const mode_t mode : {0600, 0664, 0666, 02770}) {
    make_first([&] {
      make_text("file.nc");
      ASSERT_EQ(::chmod(path().c_str(), mode), 0);
    });
    write_file("file.nc");
    EXPECT_EQ(status_of("file.nc").st_mode & 07777, mode);
    MPI_Barrier(team_);
  }
}

TEST_P(Replaced, OwnerStays) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  if (!begin_strategy()) return;
  make_first([&] { make_strangers(); });
  write_file("file.nc");
  EXPECT_EQ(status_of("file.nc").st_uid, another_user);
  EXPECT_EQ(status_of("file.nc").st_gid, another_group);
}

TEST_P(Replaced, ModeStaysWhereTheOwnerMayNot) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  make_first([&] { make_strangers(); });
  {
    const HeldToPermissions held(HeldToPermissions::giving_away);  // from the start: the storage's thread begins so
    if (!held.worked()) GTEST_SKIP() << "this system does not let a process give up its rights";
    if (!begin_strategy()) return;
    write_file("file.nc");
  }
  EXPECT_EQ(status_of("file.nc").st_uid, ::geteuid());
  EXPECT_EQ(status_of("file.nc").st_gid, ::getegid());
  EXPECT_EQ(status_of("file.nc").st_mode & 07777, 0666U);
  expect_good_file(1);
}

// netCDF says "Permission denied" of it, and leaves it alone.
TEST_P(Replaced, AFileThatMayNotBeWrittenIsRefused) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  {
    const HeldToPermissions held;  // from the start: the thread that calls the storage begins with these rights
    if (!held.worked()) GTEST_SKIP() << "this system does not let a process give up its rights";
    if (!begin_strategy()) return;
    make_first([&] {
      make_text("file.nc");
      ASSERT_EQ(::chmod(path().c_str(), 0444), 0);
    });
    weir_file* file = nullptr;
    expect_same(first_error([&] { return weir_create(weir_, path().c_str(), 0, &file); }), WEIR_EIO,
                {"cannot replace", path(), "permission denied", "change its permissions"});
  }
  expect_files({"file.nc"});
  EXPECT_EQ(contents(path()), "old");
  EXPECT_EQ(status_of("file.nc").st_mode & 07777, 0444U);
}

// A model that goes from folder to folder: a relative path means what it did when the call was made.
class Elsewhere : public Replaced {
 protected:
  void SetUp() override {
    Replaced::SetUp();
    at_the_start_ = fs::current_path();
    make_first([&] {
      for (const char* name : {"here", "here/sub", "there"}) fs::create_directory(path(name));
    });
  }
  void TearDown() override {
    fs::current_path(at_the_start_);
    Replaced::TearDown();
  }
  weir_file* begin_here() {
    weir_file* file = nullptr;
    fs::current_path(path("here"));
    EXPECT_EQ(weir_create(weir_, "sub/file.nc", 0, &file), WEIR_OK) << weir_error(weir_);
    fs::current_path(path("there"));
    define(file);
    EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
    rows_ = layout_of(2 * rank_, 2);
    return file;
  }
  void expect_only(const std::set<std::string>& names) const {
    MPI_Barrier(team_);
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (!entry.is_directory()) found.insert(fs::relative(entry.path(), folder_));
    EXPECT_EQ(found, names);
    MPI_Barrier(team_);
  }

 private:
  fs::path at_the_start_;
};
INSTANTIATE_TEST_SUITE_P(All, Elsewhere, testing::Values("remap", "collective", "dynamic", "servers", "auto"),
                         strategy_name);

TEST_P(Elsewhere, TheFileIsWhereItWasMade) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  weir_file* file = begin_here();
  for (std::int64_t r = 0; r < 3; ++r) {
    EXPECT_EQ(put_field(file, r), WEIR_OK) << weir_error(weir_);
    if (r == 1) {
      EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
    }
    fs::current_path(r % 2 == 0 ? "/" : path("there"));
  }
  EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  expect_only({"here/sub/file.nc"});
  expect_good_file(3, "here/sub/file.nc");
}

TEST_P(Elsewhere, NothingIsLeftOfAFileThatFails) {
  if (too_few()) GTEST_SKIP() << "wants a rank more";
  if (!begin_strategy()) return;
  weir_file* file = begin_here();
  EXPECT_EQ(put_field(file, 0), WEIR_OK) << weir_error(weir_);
  if (is_last()) {
    EXPECT_EQ(weir_fail(file, WEIR_EARGUMENT, "the field has no mean"), WEIR_EARGUMENT);
  }
  EXPECT_EQ(weir_close(file), WEIR_EARGUMENT) << weir_error(weir_);
  expect_only({});
}

}  // namespace
}  // namespace faults
