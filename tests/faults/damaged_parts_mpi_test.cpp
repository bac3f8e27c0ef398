// ranks: 1 3
// timeout: 180
// SPDX-License-Identifier: Apache-2.0
// weir-merge on parts that are damaged: whatever their bytes say, it makes the right file, one with other values, or
// gives one sentence; it takes no more memory or disk than whole parts need. WEIR_TEST_SEED=N replays a model and its
// damages.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/error.hpp"
#include "conformance/model_file.hpp"
#include "formats/definition.hpp"
#include "merge.hpp"
#include "parts.hpp"

namespace {

namespace fs = std::filesystem;
using conformance::contents;
using conformance::draw;
using conformance::happens;
using conformance::Model;
using conformance::ModelRun;
using conformance::Random;

constexpr std::uint64_t models = 30;  // fewer on more ranks
constexpr int damages_a_model = 20;

// While it lives this process can make no file, and take no memory, much larger than what whole parts need.
class Bounds {
 public:
  Bounds() : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &files_);
    getrlimit(RLIMIT_AS, &memory_);
    set(RLIMIT_FSIZE, files_, 64 << 20);
#ifndef __SANITIZE_ADDRESS__
    std::ifstream sizes("/proc/self/statm");
    std::uint64_t pages = 0;
    sizes >> pages;
    set(RLIMIT_AS, memory_, pages * 4096 + (512 << 20));
#endif
  }
  ~Bounds() {
    setrlimit(RLIMIT_FSIZE, &files_);
    setrlimit(RLIMIT_AS, &memory_);
    std::signal(SIGXFSZ, signal_);
  }
  Bounds(const Bounds&) = delete;
  Bounds& operator=(const Bounds&) = delete;

 private:
  static void set(__rlimit_resource what, rlimit limit, std::uint64_t bytes) {
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, bytes);
    setrlimit(what, &limit);
  }

  void (*signal_)(int);
  rlimit files_, memory_;
};

struct Outcome {
  int code = WEIR_OK;
  std::string sentence;
};

class DamagedParts : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    folder_ = fs::temp_directory_path() / ("damaged_" + std::to_string(ranks_));
    if (rank_ == 0) fs::remove_all(folder_);
    if (rank_ == 0) fs::create_directories(folder_);
    meet();
  }
  void TearDown() override {
    meet();
    if (rank_ == 0) fs::remove_all(folder_);
  }

  static void meet() { MPI_Barrier(MPI_COMM_WORLD); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string part(int number) const { return path("parts.nc.000" + std::to_string(number)); }
  void put_bytes(const std::string& file, const std::string& bytes) const {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  }
  // Rank 0 changes one byte of a part.
  void poke(int number, std::size_t at, char byte) const {
    meet();
    std::string bytes = contents(part(number));
    bytes.at(at) = byte;
    meet();
    if (rank_ == 0) put_bytes(part(number), bytes);
    meet();
  }

  Outcome merge(weir::MergeOptions options = {}) const {
    options.config = "strategy: remap\ndurability: cache\nbuffer_limit: 256KiB\ntimeout: 30s\n";
    const std::vector<std::string> parts = weir::find_parts(path("parts.nc"));
    meet();
    const Bounds bounds;
    Outcome outcome;
    try {
      weir::merge(MPI_COMM_WORLD, path("parts.nc"), parts, options);
    } catch (const weir::Error& error) {
      outcome = {error.code(), error.what()};
    } catch (const std::exception& error) {
      outcome = {WEIR_EINTERNAL, error.what()};
    }
    meet();
    return outcome;
  }

  // Three records of 2 rows a rank, a part a rank.
  void write_parts() const {
    weir_t* weir = nullptr;
    weir_file* file = nullptr;
    MPI_Comm comm = MPI_COMM_NULL;
    int dims[3], temp = -1;
    ASSERT_EQ(weir_init(MPI_COMM_WORLD, "strategy: file_per_rank\ndurability: cache\n", &comm, &weir), WEIR_OK);
    ASSERT_EQ(weir_create(weir, path("parts.nc").c_str(), 0, &file), WEIR_OK);
    weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]);
    weir_def_dim(file, "y", 2 * ranks_, &dims[1]);
    weir_def_dim(file, "x", 5, &dims[2]);
    weir_def_var(file, "temp", WEIR_FLOAT, 3, dims, &temp);
    weir_enddef(file);
    const std::vector<float> values(10, static_cast<float>(rank_ + 1));
    for (std::int64_t record = 0; record < 3; ++record) {
      const std::int64_t start[] = {record, 2 * rank_, 0}, count[] = {1, 2, 5};
      EXPECT_EQ(weir_put_vara(file, temp, start, count, WEIR_FLOAT, values.data()), WEIR_OK);
    }
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir);
    weir_finalize(&weir);
    MPI_Comm_free(&comm);
    meet();
  }

  void expect_refused(const Outcome& outcome, int code, const std::string& words) const {
    EXPECT_EQ(outcome.code, code) << outcome.sentence;
    EXPECT_NE(outcome.sentence.find(words), std::string::npos) << outcome.sentence;
    expect_nothing_left();
  }
  void expect_nothing_left() const {
    EXPECT_FALSE(fs::exists(path("parts.nc")));
    for (const auto& entry : fs::directory_iterator(folder_))
      EXPECT_FALSE(entry.path().filename().string().starts_with(".parts.nc.")) << entry.path();
    meet();
  }

  int rank_ = 0, ranks_ = 1;
  fs::path folder_;
};

// What a disk, a network or a careless hand does to one of the files.
std::string damage(Random& random, const std::string& whole) {
  std::string bytes = whole;
  const auto length = static_cast<std::int64_t>(bytes.size());
  const std::int64_t kind = draw(random, 0, 19);
  if (kind == 0) return bytes.substr(0, static_cast<std::size_t>(draw(random, 0, length - 1)));
  if (kind == 1) return bytes + std::string(static_cast<std::size_t>(draw(random, 1, 5000)), '\x7f');
  if (kind == 2) return bytes.insert(static_cast<std::size_t>(draw(random, 0, length)), 1, '\1');
  if (kind == 3) return bytes.erase(static_cast<std::size_t>(draw(random, 0, length - 1)), 4);
  for (std::int64_t left = happens(random, 60) ? 1 : draw(random, 2, 16); left > 0; --left) {
    const std::int64_t end = happens(random, 80) ? std::min<std::int64_t>(length, 3000) : length;
    char& byte = bytes[static_cast<std::size_t>(draw(random, 0, end - 1))];
    if (kind < 8)
      byte = static_cast<char>(draw(random, 0, 255));
    else if (kind < 14)
      byte = static_cast<char>(byte ^ (1 << draw(random, 0, 7)));
    else
      byte = kind < 17 ? '\0' : '\xff';
  }
  return bytes;
}

class RandomDamage : public DamagedParts {
 protected:
  void write_random_parts(std::uint64_t seed) {
    const Model model = conformance::make_model(seed, ranks_);
    const std::string strategy = seed % 3 == 0 ? "file_per_domain\ndomains: 2\n" : "file_per_rank\n";
    const std::string way = "durability: cache\nstrategy: " + strategy;
    ASSERT_EQ(ModelRun(model, MPI_COMM_WORLD).write(way, path("parts.nc")), "");
    meet();
    ASSERT_EQ(merge().sentence, "");
    whole_ = weir::read_definition(path("parts.nc"));
    right_ = contents(path("parts.nc"));
    meet();
    if (rank_ == 0) fs::remove(path("parts.nc"));
    meet();
  }

  void look_at(const Outcome& outcome) {
    if (outcome.code != WEIR_OK) {
      ++refused_;
      EXPECT_TRUE(outcome.code == WEIR_EFORMAT || outcome.code == WEIR_EIO || outcome.code == WEIR_EOVERLAP)
          << outcome.code << ": " << outcome.sentence;
      EXPECT_EQ(outcome.sentence.find_first_of("\n"), std::string::npos) << outcome.sentence;
      EXPECT_EQ(outcome.sentence.find("File too large"), std::string::npos) << outcome.sentence;
      expect_nothing_left();
      return;
    }
    const std::string made = contents(path("parts.nc"));
    (made == right_ ? as_before_ : other_values_) += 1;
    EXPECT_EQ(made.size(), right_.size());
    const weir::DefinedFile defined = weir::read_definition(path("parts.nc"));
    EXPECT_EQ(defined.schema, whole_.schema);
    EXPECT_EQ(defined.geometry.records, whole_.geometry.records);
    meet();
    if (rank_ == 0) fs::remove(path("parts.nc"));
    meet();
  }

  weir::DefinedFile whole_;
  std::string right_;
  int refused_ = 0, as_before_ = 0, other_values_ = 0;
};

TEST_F(RandomDamage, MakesTheFileOrGivesASentence) {
  std::uint64_t first = std::random_device()();
  const char* given = std::getenv("WEIR_TEST_SEED");
  if (given) first = std::strtoull(given, nullptr, 10);
  MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  const std::uint64_t count = given ? 1 : models / static_cast<std::uint64_t>(ranks_);
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    SCOPED_TRACE("WEIR_TEST_SEED=" + std::to_string(seed) + " on " + std::to_string(ranks_) + " ranks");
    write_random_parts(seed);
    if (HasFatalFailure()) break;
    const std::vector<std::string> parts = weir::find_parts(path("parts.nc"));
    Random random(seed);
    for (int d = 0; d < damages_a_model; ++d) {
      const std::string& victim = parts[static_cast<std::size_t>(draw(random, 0, std::ssize(parts) - 1))];
      const std::string before = contents(victim), damaged = damage(random, before);
      SCOPED_TRACE("damage " + std::to_string(d) + ", to " + victim);
      meet();
      if (rank_ == 0) put_bytes(victim, damaged);
      meet();
      look_at(merge());
      if (rank_ == 0) put_bytes(victim, before);
      meet();
    }
    if (rank_ == 0)
      for (const std::string& name : parts) fs::remove(name);
    meet();
  }
  if (rank_ == 0)
    std::printf("seed %ju: %d refused, %d as before, %d with other values\n", static_cast<std::uintmax_t>(first),
                refused_, as_before_, other_values_);
  EXPECT_TRUE(given || (refused_ > 0 && as_before_ > 0));
}

// y = 2 * ranks, in the definitions of the whole, becomes 2^24 times as long: no file of gigabytes comes of it.
TEST_F(DamagedParts, LengthOfADimension) {
  write_parts();
  const std::string length{'\0', '\0', '\0', '\0', '\0', '\0', '\0', static_cast<char>(2 * ranks_)};
  const std::size_t at = contents(part(0)).find(std::string("\0\0\0\0\0\0\0\1y", 9) + length);
  ASSERT_NE(at, std::string::npos);
  poke(0, at + 9 + 4, '\2');
  expect_refused(merge(), WEIR_EFORMAT, "checksum");
}

TEST_F(DamagedParts, BoxesOutsideTheVariable) {
  write_parts();
  std::string box(32, '\0');  // 0, 0 to 2, 5
  box[23] = '\2', box[31] = '\5';
  const std::size_t at = contents(part(0)).find(box);
  ASSERT_NE(at, std::string::npos);
  poke(0, at + 16, '\1');
  expect_refused(merge(), WEIR_EFORMAT, "is not inside it");
  poke(0, at + 16, '\0');
  poke(0, at + 31, '\4');
  expect_refused(merge(), WEIR_EFORMAT, "have 8 elements, and the part has 10");
}

TEST_F(DamagedParts, OnePartTwice) {
  if (ranks_ == 1) GTEST_SKIP() << "there is one part only";
  write_parts();
  if (rank_ == 0) fs::copy_file(part(0), part(1), fs::copy_options::overwrite_existing);
  meet();
  expect_refused(merge(), WEIR_EOVERLAP, "\"temp\"");
}

TEST_F(DamagedParts, OtherNumberOfRecords) {
  write_parts();
  poke(ranks_ - 1, 11, '\2');
  expect_refused(merge(), WEIR_EFORMAT, "--records 2");
  EXPECT_EQ(merge({.records = 2}).sentence, "");
  EXPECT_EQ(weir::read_definition(path("parts.nc")).geometry.records, 2);
}

TEST_F(DamagedParts, DoNotReplaceAFileThatIsThere) {
  write_parts();
  if (rank_ == 0) put_bytes(path("parts.nc"), "precious");
  meet();
  const Outcome refused = merge();
  EXPECT_EQ(refused.code, WEIR_EIO);
  EXPECT_NE(refused.sentence.find("--overwrite"), std::string::npos) << refused.sentence;
  EXPECT_EQ(contents(path("parts.nc")), "precious");
  meet();
  EXPECT_EQ(merge({.overwrite = true}).sentence, "");
  EXPECT_EQ(weir::read_definition(path("parts.nc")).geometry.records, 3);
  meet();
}

}  // namespace
