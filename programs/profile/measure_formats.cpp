// SPDX-License-Identifier: Apache-2.0
// What files of packed chunks cost besides their bytes, by the library's own files with one variable and with many:
// making them, the commit that gives them their names, what rank 0 enters for each chunk (netCDF-4), and a file for
// each shard (Zarr). By rank 0, as in a run.
#include <array>
#include <filesystem>

#include "base/text.hpp"
#include "formats/netcdf4/metadata.hpp"
#include "formats/netcdf4/module.hpp"
#include "formats/zarr/shard_files.hpp"
#include "measure.hpp"
#include "trial_output.hpp"

namespace weir::profile {

namespace {

constexpr int few_variables = 1, many_variables = 33;
constexpr std::int64_t chunk_count = 4096, file_count = 64;
constexpr double weight_of_each = format_weight / 6;  // of each thing that is measured

// Of so many variables more, one variable.
Estimate each_more(const Estimate& few, const Estimate& many) {
  return scaled(difference(many, few), 1.0 / (many_variables - few_variables));
}

struct Costs {
  Estimate few, many;
};

// What `timed` takes after `before`, with few variables and with many.
template <class Before, class Timed>
Costs of_rank_0(const Site& site, Sampler& sampler, TrialFormat format, const Before& before, const Timed& timed) {
  TrialOutput few(site, format, few_variables), many(site, format, many_variables);
  std::vector<std::function<Span()>> each;
  for (TrialOutput* file : {&few, &many})
    each.emplace_back([&, file] {
      if (site.rank() == 0) before(*file);
      return by_rank_0(site, [&] { timed(*file); });
    });
  const auto times = sampler.in_turn(weight_of_each, each);
  return {estimate(times[0]), estimate(times[1])};
}

simulate::FormatCost cost_of(const Site& site, Sampler& sampler, TrialFormat format) {
  const auto nothing = [](TrialOutput&) {};
  const auto make = [](TrialOutput& file) { file.make(); };
  const auto commit = [](TrialOutput& file) { file.commit(); };
  simulate::FormatCost cost;
  const Costs making = of_rank_0(site, sampler, format, nothing, make);
  cost.create_variable = each_more(making.few, making.many);
  cost.create = difference(making.few, cost.create_variable);
  const Costs committing = of_rank_0(site, sampler, format, make, commit);
  cost.commit_variable = each_more(committing.few, committing.many);
  cost.commit = difference(committing.few, cost.commit_variable);
  return cost;
}

// HDF5's time for a chunk, in a new file each time.
Estimate chunk_seconds(const Site& site, Sampler& sampler) {
  Schema schema;
  const std::array dims{schema.add_dimension("time", 0), schema.add_dimension("x", chunk_count)};
  Storage storage;
  storage.chunk = {1, 1};
  schema.set_storage(schema.add_variable("value", WEIR_FLOAT, dims), std::move(storage));
  const std::string path = site.path("chunks.nc");
  const auto once = [&]() -> Span {
    if (site.rank() != 0) return {};
    const auto metadata = define_netcdf4(path, schema);
    std::vector<PlacedChunk> chunks;
    for (std::int64_t number = 0; number < chunk_count; ++number)
      chunks.push_back({0, 0, number, 0, metadata->end() + 4 * number, 4, 0});
    MetadataUpdate update;
    const double start = now_seconds();
    metadata->place({chunks, {}, 1}, update).raise();
    return Span::since(start);
  };
  return scaled(estimate(sampler.repeat(weight_of_each, once)), 1.0 / chunk_count);
}

// From making to stable storage; its bytes are the storage's.
Estimate file_seconds(const Site& site, Sampler& sampler) {
  const std::string folder = site.path("shards");
  CompressClock clock;
  ShardFiles shards(true, Durability::storage, clock);
  const auto write = [&](std::int64_t number) {
    shards.begin(folder, formatted("c.{}", number), 1).raise();
    shards.packed().room(1);
    shards.packed().add_from_room(1);
    shards.take(0).raise();
    shards.end().raise();
  };
  const auto once = [&]() -> Span {
    if (site.rank() != 0) return {};
    std::filesystem::create_directory(folder);
    const Span span = by_rank_0(site, [&] {
      for (std::int64_t number = 0; number < file_count; ++number) write(number);
      shards.make_durable().raise();
    });
    std::filesystem::remove_all(folder);
    return span;
  };
  return scaled(estimate(sampler.repeat(weight_of_each, once)), 1.0 / file_count);
}

// Whether rank 0 can make one: its HDF5 may be none that this Weir knows.
bool can_make(const Site& site, TrialFormat format) {
  std::int64_t can = 1;
  if (site.rank() == 0) {
    try {
      TrialOutput(site, format, 1).make();
    } catch (const Error&) {
      can = 0;
    }
  } else {
    const TrialOutput takes_part(site, format, 1);
  }
  broadcast(site.world, std::span(&can, 1), 0, Deadline(), "measuring");
  return can == 1;
}

}  // namespace

void measure_formats(const Site& site, Sampler& sampler, Profile& profile) {
  auto& packing = profile.packing;
  packing.netcdf4_known = has_netcdf4() && can_make(site, TrialFormat::netcdf4);
  if (packing.netcdf4_known) {
    packing.netcdf4 = cost_of(site, sampler, TrialFormat::netcdf4);
    packing.netcdf4.piece = chunk_seconds(site, sampler);
  }
  packing.zarr_known = can_make(site, TrialFormat::zarr);
  if (!packing.zarr_known) return;
  packing.zarr = cost_of(site, sampler, TrialFormat::zarr);
  packing.zarr.piece = file_seconds(site, sampler);
}

}  // namespace weir::profile
