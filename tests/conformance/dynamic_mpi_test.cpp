// SPDX-License-Identifier: Apache-2.0
// ranks: 5 8 13
// timeout: 180
// alone: MPI with another level of threads
// Random models under the dynamic strategy, on ranks that come at random times: the file is, byte for byte, what
// `serial` writes on the same ranks. The last rank is Weir's where the scheduler has a rank of its own, else idle.
// random_models.hpp says which. The writer thread under ThreadSanitizer:
//   cmake --preset tsan && cmake --build build-tsan --target test_conformance_dynamic
//   WEIR_OVERLAP=background ctest --test-dir build-tsan -R 'conformance.dynamic_np5' --output-on-failure
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "conformance/model_file.hpp"
#include "conformance/random_models.hpp"
#include "mpi_main.hpp"

// `progress: thread` wants it.
int thread_level() {
  return MPI_THREAD_MULTIPLE;
}

namespace {

using conformance::draw;
using conformance::happens;
using conformance::Model;
using conformance::ModelRun;
using conformance::on_all_ranks;
using conformance::Random;

constexpr int variations_of_a_model = 8;
constexpr int models = 4;

class DynamicTest : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &world_ranks_);
    ranks_ = world_ranks_ - 1;
    MPI_Comm_split(MPI_COMM_WORLD, rank_ < ranks_ ? 0 : MPI_UNDEFINED, rank_, &model_);
    const std::string base = std::filesystem::temp_directory_path().string() + "/dynamic_" + std::to_string(ranks_);
    reference_ = base + "_serial.nc";
    path_ = base + "_other.nc";
  }

  void TearDown() override {
    if (model_ != MPI_COMM_NULL) MPI_Comm_free(&model_);
    if (rank_ != 0) return;
    std::remove(reference_.c_str());
    std::remove(path_.c_str());
  }

  // Who is the last rank: nobody's, the scheduler's, a server.
  enum class Last { idle, control, server };

  std::string random_configuration(Random& random, Last last) const {
    std::string text = "durability: cache\ntimeout: 20s\n";
    if (last == Last::server) {
      text += std::string("strategy: servers\noverlap: ") + (happens(random, 50) ? "none" : "background") + "\n";
    } else {
      text += random_schedule(random, last == Last::control);
      text += "writers_per_host: " + std::to_string(draw(random, 1, 3)) + "\n";
    }
    if (happens(random, 50))
      text += std::string("debug.forward: ") + (happens(random, 50) ? "shared" : "messages") + "\n";
    if (happens(random, 60)) text += "debug.ranks_per_host: " + std::to_string(draw(random, 1, 4)) + "\n";
    if (happens(random, 60)) text += std::string("sink: ") + (happens(random, 70) ? "direct" : "pnetcdf") + "\n";
    if (happens(random, 60)) text += "buffer_limit: 64KiB\n";
    if (happens(random, 40)) text += "bundle_size: " + std::to_string(draw(random, 0, 1) * 500) + "\n";
    static const char* const stripes[] = {"64KiB", "4096", "512", "1000"};
    if (happens(random, 40)) text += std::string("stripe_size: ") + stripes[draw(random, 0, 3)] + "\n";
    return text;
  }

  std::string random_schedule(Random& random, bool control_rank) const {
    std::string text = std::string("strategy: dynamic\ncontrol: ") + (control_rank ? "rank" : "hosted") + "\n";
    static const char* const overlaps[] = {"none", "slack", "background"};
    static const char* const choices[] = {"auto", "arrival", "recent", "warm"};
    text += std::string("overlap: ") + overlaps[draw(random, 0, 2)] + "\n";
    text += std::string("progress: ") + (happens(random, 60) ? "auto" : "calls") + "\n";
    const bool two_hops = control_rank && happens(random, 50);
    if (two_hops) text += "debug.hops: two\n";
    // The others seldom leave a rank before a unit whose slots are not all taken.
    const bool arrival = two_hops && happens(random, 70);
    text += std::string("debug.choose: ") + (arrival ? "arrival" : choices[draw(random, 0, 3)]) + "\n";
    text += "flush_after: " + std::to_string(draw(random, 1, 4)) + "\n";
    if (happens(random, 70)) text += "writers_per_variable: " + std::to_string(draw(random, 1, ranks_ + 2)) + "\n";
    return text;
  }

  std::string write_reference(const Model& model) const {
    if (model_ == MPI_COMM_NULL) return "";
    return ModelRun(model, model_).write("durability: cache\nstrategy: serial\n", reference_);
  }

  std::string write(const Model& model, Random& random, std::string& configuration) const {
    const Last last = happens(random, 25) ? Last::server : happens(random, 50) ? Last::control : Last::idle;
    configuration = random_configuration(random, last);
    if (say_ && rank_ == 0) std::printf("%s\n", configuration.c_str()), std::fflush(stdout);
    const int most = happens(random, 70) ? static_cast<int>(draw(random, 1, 4) * 1000) : 0;
    const std::uint64_t seed = random();
    std::string failure;
    if (last != Last::idle || model_ != MPI_COMM_NULL) {
      ModelRun run(model, last != Last::idle ? MPI_COMM_WORLD : model_);
      run.dawdle(seed, most);
      failure = run.write(configuration, path_);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (failure.empty() && rank_ == 0) failure = conformance::difference_of_files(path_, reference_);
    return failure;
  }

  std::string try_model(std::uint64_t seed) {
    const Model model = conformance::make_model(seed, ranks_);
    Random random(seed ^ 0x5eed);
    if (!on_all_ranks(write_reference(model).empty())) return "no reference";
    for (int variation = 0; variation < variations_of_a_model; ++variation) {
      std::string configuration;
      const std::string failure = write(model, random, configuration);
      if (!on_all_ranks(failure.empty())) return failure + " with\n" + configuration;
    }
    return "";
  }

  int rank_ = 0, world_ranks_ = 1, ranks_ = 1;
  MPI_Comm model_ = MPI_COMM_NULL;
  const bool say_ = std::getenv("WEIR_TEST_SEED") != nullptr;
  std::string reference_, path_;
};

TEST_F(DynamicTest, WritesTheSameBytesWhoeverComesFirst) {
  conformance::try_models(models, [&](std::uint64_t seed) { return try_model(seed); });
}

// Two hosts or more have a slot each, so that the second rank of a host that comes is told a relay.
TEST_F(DynamicTest, PiecesGoThroughRelays) {
  const std::string report = reference_ + ".report";
  std::int64_t relayed = 0;
  conformance::try_models(models, [&](std::uint64_t seed) {
    const Model model = conformance::make_model(seed, ranks_);
    if (!on_all_ranks(write_reference(model).empty())) return std::string("no reference");
    static const char* const overlaps[] = {"none", "slack", "background"};
    ModelRun run(model, MPI_COMM_WORLD);
    run.dawdle(seed, 2000);
    std::string failure = run.write(
        "strategy: dynamic\ncontrol: rank\ndebug.hops: two\ndebug.choose: arrival\ndebug.ranks_per_host: "
        "2\nbundle_size: 0\ntimeout: "
        "20s\n"
        "durability: cache\nsink: direct\nbuffer_limit: 64KiB\noverlap: " +
            std::string(overlaps[seed % 3]) + "\nreport: " + report + "\n",
        path_);
    MPI_Barrier(MPI_COMM_WORLD);
    if (failure.empty() && rank_ == 0) failure = conformance::difference_of_files(path_, reference_);
    if (rank_ == 0) {
      relayed += nlohmann::json::parse(conformance::contents(report))["relayed_messages"].get<int>();
      std::remove(report.c_str());  // the next instance's has it alone
    }
    return failure;
  });
  if (rank_ == 0) {
    EXPECT_GT(relayed, 0);
  }
}

}  // namespace
