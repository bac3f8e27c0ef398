// SPDX-License-Identifier: Apache-2.0
#include "file/plan_key.hpp"

#include "read/chunk_map.hpp"

namespace weir {

namespace {

// Who cuts and owns what of a variable.
struct Owning {
  const Strategy& strategy;
  const std::vector<int>& owners;
  Granule granule;
};

PlanPlace place_of(const FileState& state, int var, std::int64_t record, const Owning& own) {
  const Geometry& places = state.geometry();
  const Schema& schema = state.file.schema;
  const int size = type_bytes(schema.variables()[static_cast<std::size_t>(var)].type);
  const std::int64_t begin = places.begin[static_cast<std::size_t>(var)];
  const Spread spread{schema.elements(var) * size, state.context.config.bundle_bytes, std::ssize(own.owners),
                      state.context.pipeline.machine().hosts()};
  const FilePlace in_file =
      place_in_file({places.fixed_end, places.record_begin, places.record_bytes}, begin, schema.is_record(var), record);
  const FoundFile& found = state.found;
  const std::int64_t stripe =
      state.file.output ? state.file.output->stripe_bytes() : (found.tables ? 0 : found.stripe_bytes);
  return plan_place(own.strategy, spread, in_file, {stripe, own.granule});
}

// A chunk is read and unpacked by one rank, where it fits its tile.
Granule read_granule(const FileState& state, int var) {
  if (!state.found.tables) return {};
  return granule_of(state.found.tables->arrays[static_cast<std::size_t>(var)], state.file.schema.shape(var),
                    state.file.schema.is_record(var));
}

int element_bytes(const FileState& state, int var) {
  return type_bytes(state.file.schema.variables()[static_cast<std::size_t>(var)].type);
}

}  // namespace

PlanKey write_key(const FileState& state, int var, std::int64_t record, int layout) {
  const Pipeline& pipeline = state.context.pipeline;
  const Granule granule = state.file.output->granule(var);
  const weir_fill_mode cover = state.history.cover(var, record, layout, state.fill, granule.any());
  PlanKey key{layout, element_bytes(state, var), cover, {}};
  if (!state.geometry().begin.empty())
    key.place =
        place_of(state, var, record, {pipeline.roles().strategy(), pipeline.roles().writers_of(granule), granule});
  return key;
}

PlanKey read_key(const FileState& state, int var, std::int64_t record, int layout) {
  const Pipeline& pipeline = state.context.pipeline;
  PlanKey key{layout, element_bytes(state, var), WEIR_NOFILL, {}, true};
  const Granule granule = read_granule(state, var);
  if (!state.geometry().begin.empty())
    key.place = place_of(state, var, record,
                         {pipeline.roles().reading_strategy(), pipeline.roles().readers_of(granule), granule});
  return key;
}

}  // namespace weir
