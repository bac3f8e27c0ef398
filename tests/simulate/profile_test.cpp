// SPDX-License-Identifier: Apache-2.0
// Profiles of machines: what is read, and what is refused with which sentence.
#include "simulate/profile.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "machines.hpp"
#include "simulate/profile_number.hpp"

namespace weir::simulate {
namespace {

// The plain machine's text with one part replaced.
std::string with_part(const std::string& part, const std::string& other) {
  std::string text = tests::plain_machine;
  const auto at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), other);
}

std::string refusal(const std::string& text) {
  try {
    parse_profile(text, "machine.yaml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_ECONFIG);
    return error.what();
  }
  return "not refused";
}

void expect_refused(const std::string& part, const std::string& other, const std::string& words) {
  const std::string sentence = refusal(with_part(part, other));
  EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
}

TEST(Profile, IsReadWithUnits) {
  const Profile profile = tests::plain();
  EXPECT_EQ(profile.name, "plain");
  EXPECT_EQ(profile.cores, 4);
  EXPECT_EQ(profile.memory, 64LL << 30);
  EXPECT_DOUBLE_EQ(profile.between.latency.value, 2e-6);
  EXPECT_DOUBLE_EQ(profile.between.bandwidth(7), 1e9);
}

TEST(Profile, CurvesAreLogarithmicBetweenPointsAndFlatBeyond) {
  const Profile profile = parse_profile(
      with_part("rate: 2GB/s", "rate: [{at: 1, value: 1GB/s}, {at: 4, value: 4GB/s, low: 3GB/s, source: measured}]"),
      "machine.yaml");
  EXPECT_DOUBLE_EQ(profile.storage.rate(1), 1e9);
  EXPECT_NEAR(profile.storage.rate(2), 2e9, 1);
  EXPECT_DOUBLE_EQ(profile.storage.rate(100), 4e9);
  EXPECT_EQ(profile.storage.rate.points()[1].rate.source, Source::measured);
  EXPECT_DOUBLE_EQ(profile.storage.rate.points()[1].rate.low, 3e9);
}

TEST(Profile, NonsenseIsRefusedInASentence) {
  expect_refused("latency: 2us", "latency: 2h",
                 "network.between.latency: \"2h\" is invalid: give a value between 0s and 1s");
  expect_refused("bandwidth: 1GB/s", "bandwidth: -1GB/s", "is invalid");
  expect_refused("bandwidth: 1GB/s", "bandwidth: 1GB", "give a rate with its unit");
  expect_refused("bandwidth: 1GB/s", "bandwidth: fast", "is no number");
  expect_refused("latency: 2us", "latency: 2", "give a time with its unit");
  expect_refused("rate: 2GB/s", "rate: []", "has no points");
  expect_refused("rate: 2GB/s", "rate: [{at: 4, value: 1GB/s}, {at: 2, value: 1GB/s}]", "must ascend");
  expect_refused("rate: 2GB/s", "rate: {value: 2GB/s, low: 3GB/s}", "not between low and high");
  expect_refused("rate: 2GB/s", "rate: {value: 2GB/s, source: guessed}", "\"guessed\" is no source");
  expect_refused("shared: true", "shared: perhaps", "neither true nor false");
  expect_refused("cores: 4", "cores: 4.5", "not a whole number");
  expect_refused("cores: 4", "coers: 4", "unknown key \"coers\": did you mean \"cores\"?");
  expect_refused("copy: {bandwidth: 10GB/s}", "", "copy: is missing");
}

TEST(Profile, OtherVersionsAreRefused) {
  expect_refused("weir_machine: 1", "weir_machine: 2", "this Weir reads version 1");
  expect_refused("weir_machine: 1", "", "this is no profile of a machine");
  EXPECT_NE(refusal("- a\n- b\n").find("does not hold keys and values"), std::string::npos);
  EXPECT_NE(refusal("a: [").find("is not YAML"), std::string::npos);
}

TEST(Profile, AMissingFileIsRefused) {
  try {
    read_profile("no/such/machine.yaml");
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be read"), std::string::npos) << error.what();
  }
}

TEST(Profile, MachinesOfThePapersAreRead) {
  const char* source = std::getenv("WEIR_SOURCE_DIR");
  ASSERT_NE(source, nullptr);
  int found = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::string(source) + "/python/weir/machines")) {
    const Profile profile = read_profile(file.path());
    EXPECT_EQ(profile.name + ".yaml", file.path().filename().string());
    ++found;
  }
  EXPECT_GE(found, 1);
}

TEST(ProfileNumber, IsShownAsItIsRead) {
  for (const double rate : {1.5e3, 2e6, 3.1e9, 4e12})
    EXPECT_NEAR(parse_number(show_number(rate, Unit::bytes_a_second), rates), rate, rate * 1e-3);
  for (const double time : {2e-9, 3e-6, 4e-3, 0.5})
    EXPECT_NEAR(parse_number(show_number(time, Unit::seconds), latencies), time, time * 1e-3);
}

}  // namespace
}  // namespace weir::simulate
