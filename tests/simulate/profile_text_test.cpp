// SPDX-License-Identifier: Apache-2.0
// What is written of a profile is read again as the same.
#include "simulate/profile_text.hpp"

#include <gtest/gtest.h>

namespace weir::simulate {
namespace {

// Every key there is.
const char* const everything = R"(
weir_machine: 1
name: toy
about: "a machine: with a colon"
measured: 2026-01-31T12:00:00Z
nodes: {count: 12, cores: 48, memory: 192GiB}
copy: {bandwidth: [{at: 1, value: 5GB/s, low: 3GB/s, high: 8GB/s, source: measured}, {at: 48, value: 60GB/s}]}
network:
  within: {latency: 0.5us, overhead: 120ns, bandwidth: 9GB/s}
  between:
    latency: {value: 2.5us, low: 2us, high: 30us, source: published}
    overhead: 1us
    bandwidth: [{at: 1, value: 10GB/s}, {at: 64, value: 8GB/s, source: fitted}]
  total: 100GB/s
  eager: 12345B
storage:
  shared: true
  coherent: false
  rate: [{at: 1, value: 0.9GB/s}, {at: 32, value: 9.1GB/s}]
  together: [{at: 1, value: 1}, {at: 32, value: 0.204}]
  total: 16GB/s
  piece: [{at: 1, value: 0.3us}, {at: 16, value: 7us, low: 5us}]
  processor: {value: 3GB/s, low: 2GB/s}
  stripes: {servers: 160, count: 4, size: 1MiB, told: false, server_bandwidth: 200MB/s, request: 0.3ms, lock: 1ms}
  create: 20ms
  commit: 5ms
packing:
  plain: {value: 3GB/s, low: 2GB/s}
  zlib: {rate: [{at: 1, value: 190MB/s, low: 180MB/s, source: measured}, {at: 9, value: 20MB/s}], ratio: 1.9}
  zstd: {rate: 900MB/s, ratio: [{at: 1, value: 1.8}, {at: 9, value: 2.1}]}
  netcdf4: {create: 3ms, create_variable: 0.1ms, commit: 0s, commit_variable: 2us, chunk: 1us}
  zarr: {create: 1ms, create_variable: 20us, commit: 0.5ms, commit_variable: 80us, file: 30us}
two_phase: {aggregators: 7, buffer: 4MiB, rank: 2us, piece: 0.1us}
compute: {spread: {value: 0.03, low: 0.01, high: 0.05}}
control: {message: 2us}
)";

const char* const least = R"(
weir_machine: 1
name: bare
nodes: {cores: 1, memory: 1GB}
copy: {bandwidth: 1GB/s}
network: {within: {latency: 0s, bandwidth: 1GB/s}}
storage: {shared: false, coherent: true, rate: 1GB/s}
)";

void expect_same(const Estimate& a, const Estimate& b) {
  EXPECT_DOUBLE_EQ(a.value, b.value);
  EXPECT_DOUBLE_EQ(a.low, b.low);
  EXPECT_DOUBLE_EQ(a.high, b.high);
  EXPECT_EQ(a.source, b.source);
}

void expect_same(const Curve& a, const Curve& b) {
  ASSERT_EQ(a.points().size(), b.points().size());
  for (std::size_t i = 0; i < a.points().size(); ++i) {
    EXPECT_EQ(a.points()[i].at, b.points()[i].at);
    expect_same(a.points()[i].rate, b.points()[i].rate);
  }
}

void expect_same(const Link& a, const Link& b) {
  expect_same(a.latency, b.latency);
  expect_same(a.overhead, b.overhead);
  expect_same(a.bandwidth, b.bandwidth);
}

void expect_same(const StorageSpeed& a, const StorageSpeed& b) {
  EXPECT_EQ(a.shared, b.shared);
  EXPECT_EQ(a.coherent, b.coherent);
  expect_same(a.rate, b.rate);
  expect_same(a.together, b.together);
  expect_same(a.total, b.total);
  expect_same(a.piece, b.piece);
  expect_same(a.processor, b.processor);
  expect_same(a.create, b.create);
  expect_same(a.commit, b.commit);
  EXPECT_EQ(a.stripes.servers, b.stripes.servers);
  EXPECT_EQ(a.stripes.count, b.stripes.count);
  EXPECT_EQ(a.stripes.size, b.stripes.size);
  EXPECT_EQ(a.stripes.told, b.stripes.told);
  expect_same(a.stripes.server_bandwidth, b.stripes.server_bandwidth);
  expect_same(a.stripes.request, b.stripes.request);
  expect_same(a.stripes.lock, b.stripes.lock);
}

void expect_same(const FormatCost& a, const FormatCost& b) {
  expect_same(a.create, b.create);
  expect_same(a.create_variable, b.create_variable);
  expect_same(a.commit, b.commit);
  expect_same(a.commit_variable, b.commit_variable);
  expect_same(a.piece, b.piece);
}

void expect_same(const PackingSpeed& a, const PackingSpeed& b) {
  expect_same(a.plain, b.plain);
  expect_same(a.zlib.rate, b.zlib.rate);
  expect_same(a.zlib.ratio, b.zlib.ratio);
  expect_same(a.zstd.rate, b.zstd.rate);
  expect_same(a.zstd.ratio, b.zstd.ratio);
  expect_same(a.netcdf4, b.netcdf4);
  expect_same(a.zarr, b.zarr);
  EXPECT_EQ(a.netcdf4_known, b.netcdf4_known);
  EXPECT_EQ(a.zarr_known, b.zarr_known);
}

void expect_same(const Profile& a, const Profile& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.about, b.about);
  EXPECT_EQ(a.measured, b.measured);
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.cores, b.cores);
  EXPECT_EQ(a.memory, b.memory);
  EXPECT_EQ(a.eager, b.eager);
  expect_same(a.copy, b.copy);
  expect_same(a.within, b.within);
  expect_same(a.between, b.between);
  expect_same(a.network_total, b.network_total);
  expect_same(a.storage, b.storage);
  expect_same(a.packing, b.packing);
  EXPECT_EQ(a.two_phase.aggregators, b.two_phase.aggregators);
  EXPECT_EQ(a.two_phase.count, b.two_phase.count);
  EXPECT_EQ(a.two_phase.buffer, b.two_phase.buffer);
  expect_same(a.two_phase.rank, b.two_phase.rank);
  expect_same(a.two_phase.piece, b.two_phase.piece);
  expect_same(a.compute_spread, b.compute_spread);
  expect_same(a.control, b.control);
}

TEST(ProfileText, IsReadAsWhatWasWritten) {
  for (const char* text : {everything, least}) {
    const Profile profile = parse_profile(text, "the test");
    expect_same(parse_profile(profile_text(profile), "what was written"), profile);
  }
}

TEST(ProfileText, LeavesOutAWayBetweenNodesThatIsUnknown) {
  Profile profile = parse_profile(least, "the test");
  profile.between = {};
  EXPECT_EQ(profile_text(profile).find("between"), std::string::npos);
  expect_same(parse_profile(profile_text(profile), "what was written").between, profile.within);
}

}  // namespace
}  // namespace weir::simulate
