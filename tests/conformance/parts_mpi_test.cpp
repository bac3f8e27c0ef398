// ranks: 1 4 7
// timeout: 180
// SPDX-License-Identifier: Apache-2.0
// Part files, merged, are the file that a strategy for one file writes, byte for byte: random models, one after another
// and several at once, in one Weir and in several.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "conformance/model_file.hpp"
#include "conformance/random_models.hpp"
#include "merge.hpp"
#include "parts.hpp"

namespace {

namespace fs = std::filesystem;
using conformance::draw;
using conformance::happens;
using conformance::Model;
using conformance::ModelRun;
using conformance::on_all_ranks;
using conformance::Random;

constexpr int models_in_parts = 12;

class PartsTest : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    folder_ = fs::temp_directory_path() / ("parts_" + std::to_string(ranks_));
    if (rank_ == 0) fs::remove_all(folder_);
    if (rank_ == 0) fs::create_directories(folder_);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) fs::remove_all(folder_);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static std::string part_configuration(Random& random) {
    std::string text = "durability: cache\n";
    text += happens(random, 50) ? "strategy: file_per_rank\n" : "strategy: file_per_domain\n";
    if (happens(random, 50)) text += "writers: " + std::to_string(draw(random, 1, 5)) + "\n";
    if (happens(random, 50))
      text += std::string("debug.forward: ") + (happens(random, 50) ? "shared" : "messages") + "\n";
    if (happens(random, 50)) text += "debug.ranks_per_host: " + std::to_string(draw(random, 1, 3)) + "\n";
    if (happens(random, 50)) text += "buffer_limit: 64KiB\n";
    return text;
  }
  static std::string merge_configuration(Random& random) {
    static const char* const strategies[] = {"serial", "collective", "rows", "remap"};
    return std::string("durability: cache\nstrategy: ") + strategies[draw(random, 0, 3)] + "\n";
  }

  // Merges on all ranks and compares with what `serial` writes. Collective; the sentence is of this rank.
  std::string difference_after_merging(const Model& model, const std::string& name, const std::string& config,
                                       MPI_Comm comm = MPI_COMM_WORLD) const {
    const std::string reference = path(name + ".serial");
    std::string failure = ModelRun(model, comm).write("durability: cache\nstrategy: serial\n", reference);
    if (!failure.empty()) return failure;
    failure = merge(name, config, comm);
    MPI_Barrier(comm);
    return failure.empty() ? conformance::difference_of_files(path(name), reference) : failure;
  }
  std::string merge(const std::string& name, const std::string& config, MPI_Comm comm) const {
    const std::vector<std::string> parts = weir::find_parts(path(name));
    MPI_Barrier(comm);
    try {
      weir::merge(comm, path(name), parts, {.config = config});
    } catch (const weir::Error& error) {
      return error.what();
    }
    return "";
  }

  void clear() const {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0)
      for (const auto& entry : fs::directory_iterator(folder_)) fs::remove(entry);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  int rank_ = 0, ranks_ = 1;
  fs::path folder_;
};

TEST_F(PartsTest, MergeToTheFileOfOtherStrategies) {
  conformance::try_models(models_in_parts, [&](std::uint64_t seed) {
    const Model model = conformance::make_model(seed, ranks_);
    Random random(seed);
    const std::string config = part_configuration(random), merging = merge_configuration(random);
    std::string failure = ModelRun(model, MPI_COMM_WORLD).write(config, path("parts.nc"));
    if (on_all_ranks(failure.empty())) failure = difference_after_merging(model, "parts.nc", merging);
    if (!on_all_ranks(failure.empty())) return failure + " with\n" + config + "merged with\n" + merging;
    clear();
    return failure;
  });
}

// One rank alone finds it: all are told, and nothing is left.
TEST_F(PartsTest, ThatCannotBeReadAreNotMerged) {
  const Model model = conformance::make_model(4711, ranks_);
  EXPECT_EQ(ModelRun(model, MPI_COMM_WORLD).write("strategy: file_per_rank\ndurability: cache\n", path("bad.nc")), "");
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string last = weir::find_parts(path("bad.nc")).back();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) fs::resize_file(last, 20);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string failure = merge("bad.nc", "strategy: remap\n", MPI_COMM_WORLD);
  EXPECT_NE(failure.find(last), std::string::npos) << failure;
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_FALSE(fs::exists(path("bad.nc")));
  for (const auto& entry : fs::directory_iterator(path("")))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".bad.nc.")) << entry.path();
}

// Puts into files of two instances over all ranks and of one over half of them take turns at random.
class Turns {
 public:
  Turns(std::uint64_t seed, MPI_Comm comm, const std::string& config) : random_(seed), comm_(comm) {
    MPI_Comm_size(comm, &ranks_);
    const int code = weir_init(comm, config.c_str(), &model_comm_, &weir_);
    if (code != WEIR_OK) throw std::string(weir_init_error());
  }
  ~Turns() {
    if (weir_) weir_finalize(&weir_);
    MPI_Comm_free(&model_comm_);
  }
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  void begin(const std::string& path) {
    models_.push_back(std::make_unique<Model>(conformance::make_model(random_(), ranks_)));
    runs_.push_back(std::make_unique<ModelRun>(*models_.back(), comm_));
    runs_.back()->begin(weir_, path);
    open_.push_back(runs_.size() - 1);
  }
  // One call for one of the open files; false where none is open any more.
  bool turn() {
    if (open_.empty()) return false;
    const auto at = draw(random_, 0, std::ssize(open_) - 1);
    ModelRun& run = *runs_[open_[static_cast<std::size_t>(at)]];
    if (run.step()) return true;
    run.close();
    open_.erase(open_.begin() + at);
    return true;
  }
  const Model& model(std::size_t number) const { return *models_[number]; }
  weir_t* weir() const { return weir_; }

 private:
  Random random_;
  MPI_Comm comm_, model_comm_ = MPI_COMM_NULL;
  int ranks_ = 1;
  weir_t* weir_ = nullptr;
  std::vector<std::unique_ptr<Model>> models_;
  std::vector<std::unique_ptr<ModelRun>> runs_;
  std::vector<std::size_t> open_;
};

TEST_F(PartsTest, OfSeveralFilesAndInstancesAtOnce) {
  constexpr std::uint64_t seed = 1;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank_ % 2, rank_, &half);
  const std::string own = rank_ % 2 == 0 ? "even" : "odd";
  const std::string brief = "durability: cache\nbuffer_limit: 64KiB\n";
  try {
    Turns a(seed, MPI_COMM_WORLD, brief + "strategy: file_per_rank\n");
    Turns b(seed + 1, MPI_COMM_WORLD, "durability: cache\nstrategy: file_per_domain\nwriters: 3\n");
    Turns c(seed + 2 + static_cast<std::uint64_t>(rank_ % 2), half, brief + "strategy: file_per_rank\n");
    constexpr std::size_t files = 4;
    for (std::size_t f = 0; f < files; ++f) {
      a.begin(path("a" + std::to_string(f) + ".nc"));
      b.begin(path("b" + std::to_string(f) + ".nc"));
      c.begin(path(own + std::to_string(f) + ".nc"));
    }
    Random order(seed);
    for (bool more = true; more;) {
      const bool a_first = happens(order, 50);
      more = (a_first ? a : b).turn();
      more = (a_first ? b : a).turn() || more;
      more = c.turn() || more;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    Random merging(seed);  // alike on all ranks, as `order` is no more
    for (std::size_t f = 0; f < files; ++f) {
      const std::string number = std::to_string(f) + ".nc", config = merge_configuration(merging);
      EXPECT_EQ(difference_after_merging(a.model(f), "a" + number, config), "");
      EXPECT_EQ(difference_after_merging(b.model(f), "b" + number, config), "");
      EXPECT_EQ(difference_after_merging(c.model(f), own + number, config, half), "");
    }
  } catch (const std::string& sentence) {
    FAIL() << sentence;  // the other ranks have a deadline
  }
  MPI_Comm_free(&half);
}

}  // namespace
