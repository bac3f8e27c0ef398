// SPDX-License-Identifier: Apache-2.0
// Simulated files of packed chunks: cut as the library cuts them, smaller by the ratio, never sooner than the cores can
// pack; and what is asked for and cannot be known is refused.
#include "simulate/packing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "formats/chunked/packed_file.hpp"
#include "formats/zarr/array.hpp"
#include "machines.hpp"
#include "plan/chunk_grid.hpp"
#include "simulate/study.hpp"

namespace weir::simulate {
namespace {

using tests::plain_machine;
using tests::weak;
using tests::with;

constexpr double zlib_rate = 200e6, zlib_ratio = 2;

const std::string packing_machine = plain_machine + R"(
packing:
  plain: 4GB/s
  zlib: {rate: [{at: 1, value: 200MB/s}, {at: 9, value: 20MB/s}], ratio: [{at: 1, value: 2}, {at: 9, value: 2.2}]}
  netcdf4: {create: 3ms, create_variable: 0.1ms, commit: 1ms, commit_variable: 2us, chunk: 1us}
  zarr: {create: 1ms, commit: 0.5ms, commit_variable: 80us, file: 30us}
)";

Profile machine() {
  return parse_profile(packing_machine, "the machine of the test");
}

Result run(const Workload& work, const std::string& config, int ranks_per_node = 0,
           const Profile& profile = machine()) {
  RunRequest request;
  request.ranks_per_node = ranks_per_node;
  return simulate(profile, work, with("strategy: " + config), request);
}

const std::string zlib = "\nformat: netcdf4\ncompression: zlib";

class EveryStrategyPacks : public testing::TestWithParam<std::tuple<const char*, const char*, int>> {
 protected:
  std::string config(const std::string& more) const {
    return std::string(std::get<0>(GetParam())) + "\nformat: " + std::get<1>(GetParam()) + more;
  }
  Result run_with(const std::string& more) const {
    return run(weak(13, 0.3, 2), config(more), std::get<2>(GetParam()));
  }
};

TEST_P(EveryStrategyPacks, WritesWhatIsLeftOfEveryByte) {
  const std::int64_t bytes = weak(13, 0.3, 2).bytes();
  EXPECT_EQ(run_with("").bytes_written, bytes);
  const Result packed = run_with("\ncompression: zlib");
  EXPECT_NEAR(static_cast<double>(packed.bytes_written), static_cast<double>(bytes) / zlib_ratio,
              1e-3 * static_cast<double>(bytes));
}

TEST_P(EveryStrategyPacks, TakesTheCoresThatPackingTakes) {
  const Result packed = run_with("\ncompression: zlib");
  const double seconds = static_cast<double>(packed.bytes) / zlib_rate;
  EXPECT_GE(packed.compress_seconds, seconds * (1 - 1e-9));
  const int nodes = (13 + std::get<2>(GetParam()) - 1) / std::get<2>(GetParam());
  EXPECT_GE(packed.seconds, seconds / (4 * nodes)) << "four cores a node";
  EXPECT_GT(packed.seconds, run_with("").seconds);
  EXPECT_EQ(packed.seconds, run_with("\ncompression: zlib").seconds) << "the same twice";
}

INSTANTIATE_TEST_SUITE_P(Packing, EveryStrategyPacks,
                         testing::Combine(testing::Values("serial", "collective", "rows", "columns", "remap", "dynamic",
                                                          "dynamic\noverlap: none", "dynamic\ncontrol: rank",
                                                          "servers\nservers: 2", "remap\noverlap: background"),
                                          testing::Values("netcdf4", "zarr"), testing::Values(4, 13)));

TEST(SimulatedPacking, OfRanksThatShareCoresTakesAsMuchLonger) {
  Profile two = machine();
  two.cores = 2;
  const double four_cores = run(weak(4, 1), "remap" + zlib, 4).seconds,
               two_cores = run(weak(4, 1), "remap" + zlib, 4, two).seconds;
  const double least = static_cast<double>(weak(4, 1).bytes()) / zlib_rate / 4;
  EXPECT_NEAR(two_cores - four_cores, least, 0.2 * least);
}

TEST(SimulatedPacking, MakesAModelLateThatComputesOnTheSameCores) {
  Workload work = weak(4, 0.5, 4);
  work.compute = {1, 0, false, 1, Halo::none};
  const double seconds = run(work, "dynamic" + zlib, 4).seconds;
  work.compute.sleeps = true;
  const double beside = run(work, "dynamic" + zlib, 4).seconds;
  // Three records are packed while the fourth is computed: spread over four cores.
  const double taken = 0.75 * static_cast<double>(work.bytes()) / zlib_rate / 4;
  EXPECT_GT(seconds, beside + 0.5 * taken);
  EXPECT_LT(seconds, beside + 4 * taken);
}

TEST(SimulatedPacking, GoesByTheLevel) {
  const auto took = [](const char* level) {
    return run(weak(4), "remap" + zlib + "\ncompression_level: " + level).compress_seconds;
  };
  const double one = took("1"), three = took("3"), nine = took("9");
  EXPECT_NEAR(nine, 10 * one, 1e-6 * nine);
  EXPECT_GT(three, one);
  EXPECT_LT(three, nine);
}

// Tiles are cut where the library's files say.
RC_GTEST_PROP(SimulatedPacking, CutsAsTheLibraryDoes, ()) {
  Schema schema;
  std::vector<int> dims;
  const bool record = *rc::gen::arbitrary<bool>();
  if (record) dims.push_back(schema.add_dimension("time", 0));
  Shape shape;
  for (int d = *rc::gen::inRange(record ? 0 : 1, 4); d > 0; --d) {
    shape.push_back(*rc::gen::inRange<std::int64_t>(1, 300));
    dims.push_back(schema.add_dimension("d" + std::to_string(d), shape.back()));
  }
  const int var = schema.add_variable("value", *rc::gen::element(WEIR_FLOAT, WEIR_DOUBLE, WEIR_SHORT), dims);
  const int size = type_bytes(schema.variable(var).type);
  const bool zarr = *rc::gen::arbitrary<bool>(), compressed = *rc::gen::arbitrary<bool>();
  const Config config = with(std::string("strategy: remap\nformat: ") + (zarr ? "zarr" : "netcdf4") +
                             "\ncompression: " + (compressed ? "zlib" : "none"));
  const Machine ranks = Machine::from_leaders(std::vector<int>(static_cast<std::size_t>(*rc::gen::inRange(1, 20)), 0));
  const Roles roles(config, ranks);
  const Profile profile = machine();
  const PackedVariable found = Packing(profile, config, {}).variable(shape, size, record, roles);
  // As Definitions::pack_by_rule.
  const bool squeezed =
      compressed && !dims.empty() && !shape.empty() && worth_compressing(elements(schema.chunk(var)) * size);
  if (squeezed) {
    weir::Storage storage = schema.variable(var).storage;
    storage.deflate_level = 1;
    schema.set_storage(var, std::move(storage));
  }
  RC_ASSERT(found.compressed == squeezed);
  const Granule all{1, 1, squeezed};
  if (!zarr) {
    Granule granule = chunk_grid(schema, var).granule();
    granule.packed = squeezed;
    RC_ASSERT(found.granule == granule);
    return;
  }
  const ZarrArray array = zarr_array(schema, var, shard_rule(config, std::ssize(roles.writers_of(all))));
  RC_ASSERT(found.kept == array.kept);
  if (array.kept) return;
  Granule granule = array.shards().granule();
  granule.packed = squeezed;
  RC_ASSERT(found.granule == granule);
}

nlohmann::json study_of(const std::string& profile, const std::string& mode) {
  const nlohmann::json request{{"profile_text", profile}, {"ranks", 4}, {"scale", 0.1}, {"modes", {mode}}};
  return nlohmann::json::parse(study(request.dump()))["runs"][0];
}

std::string refusal_of(const std::string& profile, const std::string& mode) {
  try {
    study_of(profile, mode);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SimulatedPacking, TakesRatioAndRateFromItsMode) {
  const auto run = study_of(plain_machine, "remap:format=netcdf4,compression=zstd,ratio=4,pack_rate=1GB/s");
  EXPECT_NEAR(run["bytes_written"].get<double>(), run["bytes"].get<double>() / 4, 100);
  EXPECT_NEAR(run["compress_processor_seconds"]["sum"].get<double>(), run["bytes"].get<double>() / 1e9, 1e-6);
}

TEST(SimulatedPacking, RefusesWhatItCannotKnow) {
  const auto says = [](const std::string& sentence, const char* what) {
    EXPECT_NE(sentence.find(what), std::string::npos) << sentence;
  };
  says(refusal_of(plain_machine, "remap:format=netcdf4,compression=zlib"), "how fast this machine compresses by zlib");
  says(refusal_of(packing_machine, "remap:format=netcdf4,compression=zstd"), "by zstd");
  says(refusal_of(packing_machine, "remap:ratio=2"), "ratio and pack_rate are of what is compressed");
  says(refusal_of(packing_machine, "remap:format=zarr,ratio=2"), "ratio and pack_rate are of what is compressed");
  says(refusal_of(packing_machine, "remap:format=zarr,compression=zlib,ratio=0.01"), "is invalid");
  says(refusal_of(packing_machine, "peer:serial:format=netcdf4"), "classic files");
  says(refusal_of(packing_machine, "file_per_rank:format=netcdf4"), "part files");
  EXPECT_EQ(refusal_of(plain_machine, "remap:format=netcdf4"), "") << "nothing need be known of what is not compressed";
}

TEST(SimulatedPacking, RefusesNetcdf4WhereHostsWritesAreNotKeptApart) {
  const std::string machine =
      std::string(packing_machine).replace(packing_machine.find("coherent: true"), 14, "coherent: false");
  const auto refused = [&](const char* mode) {
    const nlohmann::json request{{"profile_text", machine}, {"ranks", 8}, {"scale", 0.1}, {"modes", {mode}}};
    try {
      study(request.dump());
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused("remap:format=netcdf4"));
  EXPECT_FALSE(refused("remap:format=zarr"));
  EXPECT_FALSE(refused("remap:format=netcdf4,sink=null")) << "nothing is written";
}

}  // namespace
}  // namespace weir::simulate
