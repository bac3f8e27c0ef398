// SPDX-License-Identifier: Apache-2.0
// The table of what is fast on a machine: what is written is read, and what is wrong is told.
#include "advice/tuned_table.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"

namespace weir {
namespace {

class Tuned : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("weir_tuned_" + std::to_string(::getpid()));
    path_ = (folder_ / "cache" / "tuned.yaml").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void file(const std::string& text) const {
    std::filesystem::create_directories(folder_ / "cache");
    std::ofstream(path_) << text;
  }
  std::string refusal() const {
    try {
      static_cast<void>(TunedTable::read(path_, "lake"));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), WEIR_ECONFIG);
      return error.what();
    }
    return "";
  }
  static TunedEntry entry(int ranks, std::int64_t bytes, const std::string& strategy) {
    return {{ranks, 2, bytes, 10}, {{{"strategy", strategy}, {"writers", "2"}}}, 0.5, 1.5, 2.5};
  }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(Tuned, NoFileIsAnEmptyTable) {
  EXPECT_FALSE(TunedTable::read(path_, "lake").find({4, 1, 1000, 3}).has_value());
  EXPECT_FALSE(TunedTable::read("", "lake").find({4, 1, 1000, 3}).has_value());
}

TEST_F(Tuned, KeepsFilesApartThatArePackedOtherwise) {
  TunedTable table = TunedTable::read(path_, "lake");
  TunedEntry packed = entry(16, 1000000, "remap");
  packed.shape.packing = "netcdf4 zlib 1";
  table.keep(entry(16, 1000000, "dynamic"));
  table.keep(packed);
  table.write(path_);
  const TunedTable read = TunedTable::read(path_, "lake");
  const auto way_of = [&](const char* packing) {
    const auto found = read.find({16, 2, 1000000, 10, packing});
    return found ? found->way.words() : "none";
  };
  EXPECT_EQ(way_of(""), "strategy: dynamic, writers: 2");
  EXPECT_EQ(way_of("netcdf4 zlib 1"), "strategy: remap, writers: 2");
  EXPECT_EQ(way_of("netcdf4 zlib 9"), "none");
}

TEST_F(Tuned, KeepsOneEntryAShapeAndFindsTheNearest) {
  TunedTable table = TunedTable::read(path_, "lake");
  table.keep(entry(16, 1000000, "remap"));
  table.keep(entry(64, 1000000, "rows"));
  table.keep(entry(16, 1000000, "dynamic"));
  table.write(path_);
  const TunedTable read = TunedTable::read(path_, "lake");
  const auto near = read.find({20, 2, 900000, 9});
  ASSERT_TRUE(near);
  EXPECT_EQ(near->way.words(), "strategy: dynamic, writers: 2");
  EXPECT_DOUBLE_EQ(near->seconds, 1.5);
  EXPECT_DOUBLE_EQ(near->default_seconds, 2.5);
  EXPECT_DOUBLE_EQ(near->compute_seconds, 0.5);
  EXPECT_EQ(read.find({60, 2, 900000, 9})->way.words(), "strategy: rows, writers: 2");
  EXPECT_FALSE(read.find({16, 2, 9000000, 9})) << "nine times the bytes are another output";
  EXPECT_FALSE(read.find({1024, 2, 1000000, 9}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "cache"), {}), 1) << "only the table is left";
}

TEST_F(Tuned, WhatIsWrongIsTold) {
  const std::string head = "version: 1\nmachine: lake\nentries:\n";
  const std::string good =
      "  - {ranks: 4, hosts: 1, bytes_per_record: 1000, variables: 2, compute_seconds: 0, seconds: 1, "
      "default_seconds: 1, config: {strategy: remap}}\n";
  file(head + good);
  EXPECT_EQ(refusal(), "");
  const auto refused = [&](const std::string& text, const std::string& words) {
    file(text);
    EXPECT_NE(refusal().find(words), std::string::npos) << refusal();
    EXPECT_NE(refusal().find(path_), std::string::npos) << refusal();
  };
  refused("version: 2\nmachine: lake\nentries: []\n", "version 2");
  refused("version: 1\nmachine: sea\nentries: []\n", "the machine sea, this one is lake");
  refused("nothing", "no version and machine");
  refused("version: 1\nmachine: [", "");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return head + text.replace(text.find(from), from.size(), to);
  };
  refused(with("ranks: 4", "ranks: -4"), "above 0");
  refused(with("seconds: 1,", "seconds: .nan,"), "above 0");
  refused(with("compute_seconds: 0", "compute_seconds: long"), "bad conversion");
  refused(with("remap", "remop"), "did you mean \"remap\"");
  refused(with("strategy: remap", "stratagem: remap"), "unknown key");
}

// `weir tune` leaves more than the library reads: a run that keeps what it found must not drop it.
TEST_F(Tuned, KeepsWhatItDoesNotKnow) {
  const std::string entry_text =
      "  - {ranks: 16, hosts: 2, bytes_per_record: 1000, variables: 10, compute_seconds: 0, seconds: 1, "
      "default_seconds: 1, config: {strategy: remap}, stripes: {stripe_count: 2, stripe_size: 1048576}}\n";
  file("version: 1\nmachine: lake\nhosts: 4\nprofile: 2026-01-31T12:00:00Z\nentries:\n" + entry_text);
  TunedTable table = TunedTable::read(path_, "lake");
  table.keep(entry(64, 1000, "rows"));
  table.write(path_);
  table = TunedTable::read(path_, "lake");
  table.keep(entry(16, 1000, "dynamic"));  // in the place of the one that was tuned
  table.write(path_);
  const YAML::Node root = YAML::LoadFile(path_);
  EXPECT_EQ(root["hosts"].as<int>(), 4);
  EXPECT_EQ(root["profile"].as<std::string>(), "2026-01-31T12:00:00Z");
  ASSERT_EQ(root["entries"].size(), 2U);
  EXPECT_EQ(root["entries"][0]["config"]["strategy"].as<std::string>(), "dynamic");
  EXPECT_EQ(root["entries"][0]["stripes"]["stripe_count"].as<int>(), 2);
  EXPECT_EQ(root["entries"][0]["stripes"]["stripe_size"].as<int>(), 1048576);
  EXPECT_FALSE(root["entries"][1]["stripes"]);
}

// Ranks that are the model's cannot become servers while it runs, and a file that is begun is not cut into parts.
TEST_F(Tuned, PassesOverWhatARunningModelCannotTake) {
  TunedTable table = TunedTable::read(path_, "lake");
  table.keep({{16, 2, 1000, 10}, {{{"strategy", "dynamic"}, {"control", "rank"}}}, 0, 1, 1});
  table.keep({{17, 2, 1000, 10}, {{{"strategy", "servers"}}}, 0, 1, 1});
  table.keep({{18, 2, 1000, 10}, {{{"strategy", "file_per_rank"}}}, 0, 1, 1});
  EXPECT_FALSE(table.find({16, 2, 1000, 10}));
  table.keep(entry(20, 1000, "serial"));
  EXPECT_EQ(table.find({16, 2, 1000, 10})->way.words(), "strategy: serial, writers: 2");
}

}  // namespace
}  // namespace weir
