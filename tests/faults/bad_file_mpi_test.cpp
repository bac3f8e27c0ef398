// ranks: 1 4
// SPDX-License-Identifier: Apache-2.0
// Files that cannot be written, disks that are full, files that are not what they should be.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/faults.hpp"

namespace faults {
namespace {

class BadFile : public FaultTest {
 protected:
  // The test syncs every hundred records, so a file holds hundreds of them.
  void expect_committed_hundreds() {
    MPI_Comm alone = MPI_COMM_NULL;
    weir_t* reader = nullptr;
    weir_file* file = nullptr;
    std::int64_t records = 0;
    ASSERT_EQ(weir_init(MPI_COMM_SELF, "strategy: serial\n", &alone, &reader), WEIR_OK);
    EXPECT_EQ(weir_open(reader, path().c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(reader);
    EXPECT_EQ(weir_inq_nrecords(file, &records), WEIR_OK);
    EXPECT_GT(records, 0);
    EXPECT_EQ(records % 100, 0);
    weir_finalize(&reader);
    MPI_Comm_free(&alone);
    expect_good_file(records);
  }
};

class FullDisk : public FaultTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    getrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, SIG_IGN);
  }
  void TearDown() override {
    set_limit(before_.rlim_cur);
    FaultTest::TearDown();
  }
  // No file of this process can grow beyond `bytes`: what a disk without room is to it. Shared memory is a file too,
  // and has its size already.
  void set_limit(rlim_t bytes) const {
    const rlimit limit{bytes, before_.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }

  rlimit before_{};
};
INSTANTIATE_TEST_SUITE_P(All, FullDisk,
                         testing::Values("strategy: serial\nsink: direct\n", "strategy: serial\nsink: pnetcdf\n",
                                         "strategy: remap\nsink: direct\n", "strategy: remap\nsink: pnetcdf\n",
                                         "strategy: collective\nsink: direct\n",
                                         "strategy: collective\nsink: pnetcdf\n",
                                         "strategy: rows\nsink: direct\ndebug.forward: messages\n",
                                         "strategy: dynamic\nsink: direct\noverlap: none\n",
                                         "strategy: dynamic\nsink: direct\noverlap: slack\n",
                                         "strategy: dynamic\nsink: direct\noverlap: background\n",
                                         "strategy: dynamic\nsink: direct\ndebug.ranks_per_host: 2\n",
                                         "strategy: dynamic\nsink: pnetcdf\n"),
                         [](const auto& tested) {
                           std::string text;
                           for (const char c : std::string(tested.param))
                             if (c != ':' && c != ' ' && c != '.') text += c == '\n' ? '_' : c;
                           return text + "case";
                         });

TEST_P(FullDisk, LeavesNothingOfANewFile) {
  start(GetParam());
  weir_file* file = begin();
  set_limit(2000);
  Outcome outcome;
  for (std::int64_t r = 0; r < 40; ++r) {
    const Outcome each = first_error([&] { return put_field(file, r); });
    if (outcome.code == WEIR_OK) outcome = each;
  }
  const Outcome last = first_error([&] { return weir_sync(file); });
  if (outcome.code == WEIR_OK) outcome = last;
  expect_same(outcome, WEIR_EIO, {"rank ", "writing of \"temp\" record ", path()});
  expect_same(first_error([&] { return weir_close(file); }), WEIR_EIO, {path("")});
  set_limit(before_.rlim_cur);
  expect_files({});
  make_good_file(3, "after.nc");
  expect_good_file(3, "after.nc");
}

TEST_P(FullDisk, HasNoRoomForTheHeader) {
  start(GetParam());
  weir_file* file = create();
  define(file);
  set_limit(100);
  expect_same(first_error([&] { return weir_enddef(file); }), WEIR_EIO, {path(""), "larger than the limit"});
  EXPECT_EQ(weir_close(file), WEIR_EIO);
  set_limit(before_.rlim_cur);
  expect_files({});
}

TEST_P(FullDisk, LeavesWhatWasCommitted) {
  start(GetParam());
  weir_file* file = begin();
  for (std::int64_t r = 0; r < 3; ++r) EXPECT_EQ(put_field(file, r), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
  set_limit(fs::file_size(path()) + 20);
  MPI_Barrier(MPI_COMM_WORLD);
  const Outcome outcome = last_error([&] { return put_field(file, 3); }, [&] { return weir_sync(file); });
  expect_same(outcome, WEIR_EIO, {path()});
  EXPECT_EQ(weir_close(file), WEIR_EIO);
  set_limit(before_.rlim_cur);
  expect_files({"file.nc"});
  expect_good_file(3);
}

// On a real disk that is full, which tests/cli/full_disk.sh makes: a file system of 300 KiB with a ballast in it.
TEST_F(BadFile, DiskThatIsFull) {
  const char* disk = std::getenv("FULL_DISK");
  if (!disk) GTEST_SKIP() << "tests/cli/full_disk.sh runs this";
  fs::remove_all(folder_);
  folder_ = disk;
  for (const char* config :
       {"strategy: remap\nsink: direct\n", "strategy: serial\nsink: pnetcdf\n", "strategy: collective\n",
        "strategy: serial\nsink: pnetcdf\n", "strategy: collective\n",  // after an error inside MPI-IO
        "strategy: dynamic\n", "strategy: dynamic\noverlap: slack\ndebug.ranks_per_host: 2\n"}) {
    SCOPED_TRACE(config);
    start(config);
    weir_file* file = begin();
    Outcome outcome;
    for (std::int64_t r = 0; r < 40000 && outcome.code == WEIR_OK; ++r)
      outcome =
          first_error([&] { return put_field(file, r); }, [&] { return r % 100 == 99 ? weir_sync(file) : WEIR_OK; });
    expect_same(outcome, WEIR_EIO, {path(""), "rank ", "No space left on device"});
    std::int64_t committed = fs::exists(path()) ? 1 : 0;
    EXPECT_EQ(weir_close(file), WEIR_EIO);
    EXPECT_EQ(end().code, WEIR_OK);
    MPI_Barrier(MPI_COMM_WORLD);
    for (const auto& entry : fs::directory_iterator(path("")))
      EXPECT_FALSE(entry.path().filename().string().starts_with(".file.nc.")) << entry.path();
    EXPECT_EQ(fs::exists(path()), committed == 1);
    if (committed == 1) expect_committed_hundreds();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) fs::remove(path());
    MPI_Barrier(MPI_COMM_WORLD);
  }
  folder_ = folder_ / "none";
}

// Tiles that lie in memory as in the file go past the page cache: the disk is full within one, and at once.
TEST_F(BadFile, DiskThatIsFullPastThePageCache) {
  const char* disk = std::getenv("FULL_DISK");
  if (!disk) GTEST_SKIP() << "tests/cli/full_disk.sh runs this";
  fs::remove_all(folder_);
  folder_ = disk;
  for (const char* config : {"strategy: remap\n", "strategy: dynamic\noverlap: background\n"}) {
    SCOPED_TRACE(config);
    start(std::string("page_cache: past\nbuffer_limit: 4MiB\n") + config);
    weir_file* file = create();
    define(file);
    constexpr std::int64_t columns = 1 << 16;
    int dims[3], field = -1, layout = -1;
    for (int d = 0; d < 2; ++d) EXPECT_EQ(weir_inq_dimid(file, d == 0 ? "time" : "y", &dims[d]), WEIR_OK);
    EXPECT_EQ(weir_def_dim(file, "columns", columns, &dims[2]), WEIR_OK);
    EXPECT_EQ(weir_def_var(file, "field", WEIR_FLOAT, 3, dims, &field), WEIR_OK);
    EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir_);
    const std::int64_t shape[] = {2 * ranks_, columns}, at[] = {2 * rank_, 0}, count[] = {2, columns};
    EXPECT_EQ(weir_def_layout(weir_, 2, shape, 1, at, count, nullptr, &layout), WEIR_OK);
    rows_ = layout_of(2 * rank_, 2);
    const std::vector<float> values(2 * columns, 2.5F);
    Outcome outcome;
    std::int64_t committed = -1;
    for (std::int64_t r = 0; r < 100 && outcome.code == WEIR_OK; ++r) {
      outcome = last_error([&] { return put_field(file, r); },
                           [&] { return weir_put(file, field, r, layout, WEIR_FLOAT, values.data()); },
                           [&] { return weir_sync(file); });
      committed = r;
    }
    expect_same(outcome, WEIR_EIO, {path(""), "rank ", "No space left on device"});
    EXPECT_EQ(weir_close(file), WEIR_EIO);
    EXPECT_EQ(end().code, WEIR_OK);
    EXPECT_GT(committed, 1);
    expect_good_file(committed);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) fs::remove(path());
    MPI_Barrier(MPI_COMM_WORLD);
  }
  folder_ = folder_ / "none";
}

TEST_F(BadFile, PathThatCannotBeWritten) {
  const auto refuse = [&](const std::string& bad, const std::string& why) {
    weir_file* file = nullptr;
    Outcome outcome = first_error([&] { return weir_create(weir_, bad.c_str(), 0, &file); });
    if (file) {
      define(file);
      rows_ = rows_ < 0 ? layout_of(2 * rank_, 2) : rows_;
      outcome = last_error([&] { return weir_enddef(file); }, [&] { return put_field(file, 0); },
                           [&] { return weir_sync(file); });
      EXPECT_EQ(weir_close(file), outcome.code) << weir_error(weir_);
    }
    expect_same(outcome, WEIR_EIO, {fs::path(bad).parent_path().string(), why});
  };
  start("strategy: auto\ntuned: none\n");
  refuse(path("no_such_folder/file.nc"), "does not exist");
  end();
  start();
  refuse(path("no_such_folder/file.nc"), "does not exist");
  refuse("/proc/weir_test.nc", "takes no new files");
  refuse(path(std::string(250, 'n') + ".nc"), "File name too long");
  if (rank_ == 0) std::ofstream(path("a_file")) << "text";
  MPI_Barrier(MPI_COMM_WORLD);
  refuse(path("a_file/file.nc"), "is a file");
  expect_files({"a_file"});
  weir_file* file = nullptr;
  expect_same(first_error([&] { return weir_create(weir_, "", 0, &file); }), WEIR_EARGUMENT, {"path"});
}

TEST_F(BadFile, PathThatIsAFolder) {
  start();
  if (rank_ == 0) fs::create_directory(path("folder"));
  MPI_Barrier(MPI_COMM_WORLD);
  weir_file* file = nullptr;
  Outcome outcome = first_error([&] { return weir_create(weir_, path("folder").c_str(), 0, &file); });
  if (file) {
    define(file);
    rows_ = layout_of(2 * rank_, 2);
    outcome = last_error([&] { return weir_enddef(file); }, [&] { return put_field(file, 0); },
                         [&] { return weir_close(file); });
  }
  expect_same(outcome, WEIR_EIO, {path("folder")});
  expect_files({"folder"});
}

// A new file appears by rename, which would put a file in the place of a device or pipe, for all who use it.
TEST_F(BadFile, PathThatIsNoFile) {
  if (rank_ == 0) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    ASSERT_EQ(mkfifo(path("parts.nc.0000").c_str(), 0600), 0);
    fs::create_symlink("pipe", path("link"));
  }
  for (const char* strategy : {"strategy: remap\n", "strategy: file_per_rank\n"}) {
    start(strategy);
    for (const char* name : {"pipe", "link"}) {
      weir_file* file = nullptr;
      expect_same(first_error([&] { return weir_create(weir_, path(name).c_str(), 0, &file); }), WEIR_EIO,
                  {path(name), "pipe", "give a file's path"});
    }
    end();
  }
  start("strategy: file_per_rank\n");
  weir_file* file = create("parts.nc");
  define(file);
  expect_same(first_error([&] { return weir_enddef(file); }), WEIR_EIO, {path("parts.nc.0000"), "pipe"});
  EXPECT_EQ(weir_close(file), WEIR_EIO);
  expect_files({"pipe", "link", "parts.nc.0000"});
  EXPECT_TRUE(fs::is_fifo(path("pipe")) && fs::is_fifo(path("parts.nc.0000")));
}

TEST_F(BadFile, FileThatMustNotBeReplaced) {
  start();
  make_good_file(2);
  weir_file* file = nullptr;
  expect_same(first_error([&] { return weir_create(weir_, path().c_str(), WEIR_NOCLOBBER, &file); }), WEIR_EIO,
              {path(), "WEIR_NOCLOBBER"});
  expect_good_file(2);
  expect_files({"file.nc"});
}

// Until the first commit the old file is there, whole; also when the new one fails.
TEST_F(BadFile, OldFileStaysUntilTheFirstCommit) {
  start();
  make_good_file(2);
  weir_file* file = begin();
  EXPECT_EQ(put_field(file, 0), WEIR_OK);
  expect_good_file(2);
  expect_same(
      last_error([&] { return weir_put(file, temp_, 1, 99, WEIR_FLOAT, nullptr); }, [&] { return weir_sync(file); }),
      WEIR_EARGUMENT, {"layout 99"});
  EXPECT_EQ(weir_close(file), WEIR_EARGUMENT);
  expect_good_file(2);
  expect_files({"file.nc"});
}

class UnreadableFile : public FaultTest {
 protected:
  void refuse(const std::string& bytes, int code, const std::vector<std::string>& words) {
    if (rank_ == 0) std::ofstream(path("bad.nc"), std::ios::binary) << bytes;
    MPI_Barrier(MPI_COMM_WORLD);
    for (const int mode : {WEIR_NOWRITE, WEIR_WRITE}) {
      weir_file* file = nullptr;
      expect_same(first_error([&] { return weir_open(weir_, path("bad.nc").c_str(), mode, &file); }), code, words);
      MPI_Barrier(MPI_COMM_WORLD);
      EXPECT_EQ(contents(path("bad.nc")), bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
};

TEST_F(UnreadableFile, IsSaidToBeWhatItIs) {
  start();
  const std::string bad = path("bad.nc");
  refuse("", WEIR_EFORMAT, {bad});
  refuse("time,temp\n0,3.25\n", WEIR_EFORMAT, {bad});
  refuse(std::string("\x89HDF\r\n\x1a\n", 8) + std::string(1000, 'x'), WEIR_EFORMAT, {bad, "HDF5"});
  refuse("CDF\x01", WEIR_EFORMAT, {bad});
  refuse(std::string("CDF\x07\0\0\0\0", 8) + std::string(100, '\0'), WEIR_EFORMAT, {bad});
}

TEST_F(UnreadableFile, IsFoundToBeTruncated) {
  start();
  make_good_file(3);
  const std::string whole = contents(path());
  refuse(whole.substr(0, 30), WEIR_EFORMAT, {path("bad.nc")});
  refuse(whole.substr(0, whole.size() - 8), WEIR_EFORMAT, {path("bad.nc"), std::to_string(whole.size() - 8)});
  expect_good_file(3);
}

TEST_F(UnreadableFile, IsMissing) {
  start();
  weir_file* file = nullptr;
  for (const int mode : {WEIR_NOWRITE, WEIR_WRITE})
    expect_same(first_error([&] { return weir_open(weir_, path("none.nc").c_str(), mode, &file); }), WEIR_EIO,
                {path("none.nc")});
  expect_files({});
}

// A model that appends to a file of another grid is told before a byte is written.
TEST_F(BadFile, AppendToAFileOfOtherDimensions) {
  start();
  make_good_file(2);
  const std::string before = contents(path());
  const std::int64_t shape[] = {2 * ranks_, 7}, at[] = {2 * rank_, 0}, count[] = {2, 7};
  int layout = -1, var = -1;
  EXPECT_EQ(weir_def_layout(weir_, 2, shape, 1, at, count, nullptr, &layout), WEIR_OK);
  weir_file* file = nullptr;
  EXPECT_EQ(weir_open(weir_, path().c_str(), WEIR_WRITE, &file), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_inq_varid(file, "temp", &var), WEIR_OK);
  const std::vector<float> values(14);
  expect_same(last_error([&] { return weir_put(file, var, 2, layout, WEIR_FLOAT, values.data()); },
                         [&] { return weir_sync(file); }),
              WEIR_EARGUMENT, {"\"temp\"", path(), ", 7)", ", 6)"});
  EXPECT_EQ(weir_close(file), WEIR_EARGUMENT);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(contents(path()), before);
  expect_files({"file.nc"});
}

TEST_F(BadFile, AppendThatFailsLeavesTheOldRecords) {
  start();
  make_good_file(2);
  weir_file* file = nullptr;
  EXPECT_EQ(weir_open(weir_, path().c_str(), WEIR_WRITE, &file), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(put_field(file, 2), WEIR_OK) << weir_error(weir_);
  expect_same(last_error(
                  [&] {
                    return rank_ == ranks_ - 1 ? weir_put(file, temp_, 3, rows_, WEIR_FLOAT, nullptr)
                                               : put_field(file, 3);
                  },
                  [&] { return weir_sync(file); }),
              WEIR_EARGUMENT, {"NULL"});
  EXPECT_EQ(weir_close(file), WEIR_EARGUMENT);
  expect_files({"file.nc"});
  expect_good_file(2);
}

// What a format cannot hold is said at enddef, with the name of what is too much.
TEST_F(BadFile, FormatThatCannotHoldTheFile) {
  start();
  const auto refuse = [&](int mode, weir_type type, std::int64_t length) {
    weir_file* file = create("big.nc", mode);
    int dim = -1;
    EXPECT_EQ(weir_def_dim(file, "n", length, &dim), WEIR_OK);
    EXPECT_EQ(weir_def_var(file, "giant", type, 1, &dim, nullptr), WEIR_OK);
    EXPECT_EQ(weir_def_var(file, "after", type, 1, &dim, nullptr), WEIR_OK);
    expect_same(first_error([&] { return weir_enddef(file); }), WEIR_EARGUMENT, {"giant"});
    EXPECT_EQ(weir_close(file), WEIR_EARGUMENT);
    expect_files({});
  };
  refuse(WEIR_CDF1, WEIR_INT64, 10);
  refuse(WEIR_CDF2, WEIR_UINT, 10);
  refuse(WEIR_CDF1, WEIR_FLOAT, 1LL << 30);
  refuse(WEIR_CDF2, WEIR_FLOAT, 1LL << 31);
}

}  // namespace
}  // namespace faults
