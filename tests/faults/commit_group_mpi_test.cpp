// ranks: 3
// SPDX-License-Identifier: Apache-2.0
// Files that are committed as one: by weir_sync_all, and by the group of the configuration. What cannot be promised is
// said, and what fails fails for all of them, on all ranks with one sentence.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "commit/group_record.hpp"
#include "faults/strategies.hpp"
#include "formats/classic/visible.hpp"

namespace faults {
namespace {

class CommitGroup : public StrategyTest {
 protected:
  // Records that the file shows to others; -1: it is not there.
  std::int64_t shown(const std::string& where) {
    weir_file* file = nullptr;
    std::int64_t records = -1;
    if (weir_open(weir_, where.c_str(), WEIR_NOWRITE, &file) != WEIR_OK) return -1;
    EXPECT_EQ(weir_inq_nrecords(file, &records), WEIR_OK);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    return records;
  }
  std::int64_t shown_of(const std::string& name) { return shown(path(name)); }
  // A netCDF-4 file cannot be opened by Weir: whether it is there.
  bool there(const std::string& name) {
    MPI_Barrier(team_);
    return fs::exists(path(name));
  }
  void expect_ok(int code) { EXPECT_EQ(code, WEIR_OK) << weir_error(weir_); }
};

INSTANTIATE_TEST_SUITE_P(All, CommitGroup, testing::Values("remap", "collective", "dynamic", "servers"), strategy_name);

TEST_P(CommitGroup, AllFilesAreCommitted) {
  if (!begin_strategy()) return;
  weir_file *a = begin("a.nc"), *b = begin("b.nc", WEIR_NETCDF4), *c = begin("c.nc", WEIR_CDF5);
  for (weir_file* file : {a, b, c}) expect_ok(put_field(file, 0));
  expect_ok(weir_sync_all(weir_));
  EXPECT_EQ(shown_of("a.nc"), 1);
  EXPECT_TRUE(there("b.nc"));
  EXPECT_EQ(shown_of("c.nc"), 1);
  for (weir_file* file : {a, b}) expect_ok(put_field(file, 1));
  expect_ok(weir_sync_all(weir_));
  EXPECT_EQ(shown_of("a.nc"), 2);
  EXPECT_EQ(shown_of("c.nc"), 1);
  for (weir_file* file : {a, b, c}) expect_ok(weir_close(file));
  expect_ok(weir_sync_all(weir_));  // of no file
  expect_files({"a.nc", "b.nc", "c.nc"});
}

TEST_P(CommitGroup, ASyncOrCloseOfOneCommitsTheGroup) {
  if (!begin_strategy("timeout: 60\ncommit_group: \"a*.nc r?.nc\"\n")) return;
  weir_file *a = begin("a.nc"), *b = begin("b.nc"), *aa = begin("aa.nc", WEIR_NETCDF4);
  for (weir_file* file : {a, b, aa}) expect_ok(put_field(file, 0));
  expect_ok(weir_sync(aa));
  EXPECT_EQ(shown_of("a.nc"), 1);
  EXPECT_EQ(shown_of("b.nc"), -1);
  EXPECT_TRUE(there("aa.nc"));
  weir_file* restart = begin("r1.nc");
  for (weir_file* file : {a, b, restart}) expect_ok(put_field(file, file == restart ? 0 : 1));
  expect_ok(weir_close(restart));
  EXPECT_EQ(shown_of("r1.nc"), 1);
  EXPECT_EQ(shown_of("a.nc"), 2);
  EXPECT_EQ(shown_of("b.nc"), -1);
  for (weir_file* file : {a, b, aa}) expect_ok(weir_close(file));
  expect_files({"a.nc", "aa.nc", "b.nc", "r1.nc"});
}

// Something moves one of the files away between two commits.
TEST_P(CommitGroup, AFileThatFailsFailsAll) {
  if (!begin_strategy()) return;
  weir_file *a = begin("a.nc"), *b = begin("b.nc", WEIR_NETCDF4), *fresh = begin("fresh.nc");
  for (weir_file* file : {a, b}) expect_ok(put_field(file, 0));
  expect_ok(weir_sync(a));
  expect_ok(weir_sync(b));
  MPI_Barrier(team_);
  if (rank_ == 0) fs::rename(path("b.nc"), path("away.nc"));
  MPI_Barrier(team_);
  for (weir_file* file : {a, b, fresh}) expect_ok(put_field(file, file == fresh ? 0 : 1));
  const Outcome outcome = first_error([&] { return weir_sync_all(weir_); });
  expect_same(outcome, WEIR_EIO, {"weir_sync_all", "b.nc has failed"});
  for (weir_file* file : {a, b, fresh}) {
    EXPECT_EQ(put_field(file, 2), WEIR_EIO);
    EXPECT_EQ(weir_close(file), WEIR_EIO);
  }
  EXPECT_EQ(shown_of("a.nc"), 1);
  expect_files({"a.nc", "away.nc"});
}

// Rank 0's calls of the system fail, by a folder that takes no new names: the record cannot be made.
TEST_P(CommitGroup, ARecordThatCannotBeMadeCommitsNothing) {
  if (!begin_strategy()) return;
  weir_file *a = begin("a.nc"), *b = begin("b.nc");
  for (weir_file* file : {a, b}) expect_ok(put_field(file, 0));
  MPI_Barrier(team_);
  if (rank_ == 0) fs::create_directory(path(".a.nc.weir-commit"));  // where the link is to be
  MPI_Barrier(team_);
  expect_same(first_error([&] { return weir_sync_all(weir_); }), WEIR_EIO, {"a.nc", "committed as one"});
  for (weir_file* file : {a, b}) EXPECT_EQ(weir_close(file), WEIR_EIO);
  EXPECT_EQ(shown_of("a.nc"), -1);
  EXPECT_EQ(shown_of("b.nc"), -1);
  expect_files({".a.nc.weir-commit"});
}

// A new folder on another file system than the test's own; empty where there is none.
class OtherFileSystem {
 public:
  explicit OtherFileSystem(const fs::path& beside) {
    for (const char* folder : {"/dev/shm", "/tmp", "/var/tmp"}) {
      std::string made = std::string(folder) + "/weir_commit_group.XXXXXX";
      if (device_of(folder) == device_of(beside) || ::mkdtemp(made.data()) == nullptr) continue;
      path = made;
      return;
    }
  }
  ~OtherFileSystem() {
    if (!path.empty()) fs::remove_all(path);
  }
  OtherFileSystem(const OtherFileSystem&) = delete;
  OtherFileSystem& operator=(const OtherFileSystem&) = delete;

  std::string path;

 private:
  static dev_t device_of(const fs::path& folder) {
    struct stat status {};
    return ::stat(folder.c_str(), &status) == 0 ? status.st_dev : 0;
  }
};

// Nothing is committed, and the files go on; who closes one gets it committed all the same.
TEST_P(CommitGroup, TwoFileSystemsAreTold) {
  if (!begin_strategy("timeout: 60\ncommit_group: \"*.nc\"\n")) return;
  std::optional<OtherFileSystem> other;
  if (rank_ == 0) other.emplace(folder_);
  const std::string far = of_rank_0(other ? other->path : "") + "/far.nc";
  if (far == "/far.nc") GTEST_SKIP() << "wants two file systems";
  weir_file *a = begin("a.nc"), *b = begin(fs::relative(far, folder_).string());
  for (weir_file* file : {a, b}) expect_ok(put_field(file, 0));
  for (const Outcome& told :
       {first_error([&] { return weir_sync_all(weir_); }), first_error([&] { return weir_sync(a); })})
    expect_same(told, WEIR_ECONFIG, {"a.nc", "far.nc", "two file systems"});
  EXPECT_EQ(shown_of("a.nc"), -1);
  EXPECT_EQ(weir_close(a), WEIR_ECONFIG);
  EXPECT_EQ(shown_of("a.nc"), 1);
  expect_ok(weir_close(b));  // alone now
  EXPECT_EQ(shown(far), 1);
  MPI_Barrier(team_);
}

// What a killed run has left: a commit that counts, by which "old.nc" has one record and a new file its name.
class CommitCutShort : public FaultTest {
 protected:
  void leave(const std::string& fresh) {
    make_good_file(2, "old.nc");
    if (rank_ == 0) {
      const std::string written = weir::partial_name(path(fresh), 0xabcd);
      fs::copy_file(path("old.nc"), written);
      const auto count = [](char records) {
        return std::vector<std::byte>{std::byte{0}, std::byte{0}, std::byte{0}, static_cast<std::byte>(records)};
      };
      const std::vector<weir::PublishStep> steps{
          {path("old.nc"), path("old.nc"), weir::mark_of(path("old.nc")), {}, -1, {{4, count(2), count(1)}}},
          {path(fresh), written, weir::mark_of(written), {}, -1, {}}};
      weir::GroupRecord(weir::Durability::cache).decide(steps);
    }
    MPI_Barrier(team_);
  }
  std::int64_t shown(const std::string& name) {
    weir_file* file = nullptr;
    std::int64_t records = -1;
    EXPECT_EQ(weir_open(weir_, path(name).c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir_);
    if (file == nullptr || weir_inq_nrecords(file, &records) != WEIR_OK) return -1;
    EXPECT_EQ(weir_close(file), WEIR_OK);
    return records;
  }
};

TEST_F(CommitCutShort, IsFinishedByWhoOpensAFileOfIt) {
  start();
  leave("fresh.nc");
  EXPECT_EQ(shown("fresh.nc"), 2);
  EXPECT_EQ(shown("old.nc"), 1);
  expect_files({"fresh.nc", "old.nc"});
}

TEST_F(CommitCutShort, IsFinishedByWhoMakesAFileOfIt) {
  start();
  leave("fresh.nc");
  weir_file* file = begin("fresh.nc");
  expect_files({".fresh.nc.weir", "fresh.nc", "old.nc"});
  EXPECT_EQ(weir_close(file), WEIR_OK);
  EXPECT_EQ(shown("old.nc"), 1);
  EXPECT_EQ(shown("fresh.nc"), 0);
}

TEST_F(CommitCutShort, HasMadeTheFileForWhoMustNotReplaceIt) {
  start();
  leave("fresh.nc");
  weir_file* file = nullptr;
  expect_same(first_error([&] { return weir_create(weir_, path("fresh.nc").c_str(), WEIR_NOCLOBBER, &file); }),
              WEIR_EIO, {"fresh.nc exists"});
  EXPECT_EQ(shown("fresh.nc"), 2);
  EXPECT_EQ(shown("old.nc"), 1);
}

// Nothing half shown is handed out.
TEST_F(CommitCutShort, IsToldWhereItCannotBeFinished) {
  start();
  leave("fresh.nc");
  if (rank_ == 0) {  // a record that cannot be read
    const fs::path record = folder_ / fs::read_symlink(path(".old.nc.weir-commit"));
    fs::remove(record);
    fs::create_directory(record);
  }
  MPI_Barrier(team_);
  weir_file* file = nullptr;
  expect_same(first_error([&] { return weir_open(weir_, path("old.nc").c_str(), WEIR_NOWRITE, &file); }), WEIR_EIO,
              {"commit", "weir-verify --clean"});
}

class CommitGroupOfParts : public FaultTest {};

TEST_F(CommitGroupOfParts, AreTold) {
  expect_same(try_start("strategy: file_per_rank\ncommit_group: \"*.nc\"\n"), WEIR_ECONFIG,
              {"commit_group", "file_per_rank"});
  start("strategy: file_per_rank\n");
  weir_file *a = begin("a.nc"), *b = begin("b.nc");
  for (weir_file* file : {a, b}) EXPECT_EQ(put_field(file, 0), WEIR_OK);
  expect_same(first_error([&] { return weir_sync_all(weir_); }), WEIR_ECONFIG, {"a.nc", "in parts"});
  for (weir_file* file : {a, b}) EXPECT_EQ(weir_close(file), WEIR_OK);
}

TEST_F(CommitGroupOfParts, ZarrIsToldTheSame) {
  start("format: zarr\n");
  weir_file *a = begin("a.zarr"), *b = begin("b.zarr");
  for (weir_file* file : {a, b}) EXPECT_EQ(put_field(file, 0), WEIR_OK);
  expect_same(first_error([&] { return weir_sync_all(weir_); }), WEIR_ECONFIG, {"a.zarr", "Zarr folder"});
  for (weir_file* file : {a, b}) EXPECT_EQ(weir_close(file), WEIR_OK);
}

}  // namespace
}  // namespace faults
