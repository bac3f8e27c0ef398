// SPDX-License-Identifier: Apache-2.0
#include "file/plan_key.hpp"

#include "read/chunk_map.hpp"

namespace weir {

namespace {

int element_bytes(const FileState& state, int var) {
  return type_bytes(state.file.schema.variables()[static_cast<std::size_t>(var)].type);
}

PlanPlace place_of(const FileState& state, int var, std::int64_t record, const Granule& granule, bool read) {
  const Schema& schema = state.file.schema;
  const FoundFile& found = state.found;
  const std::int64_t stripe =
      state.file.output ? state.file.output->stripe_bytes() : (found.tables ? 0 : found.where.stripe_bytes);
  return weir::place_of(
      {state.geometry(), var, schema.elements(var), element_bytes(state, var), schema.is_record(var), record},
      state.context.pipeline.roles().owning(granule, read), {stripe, granule});
}

// A chunk is read and unpacked by one rank, where it fits its tile.
Granule read_granule(const FileState& state, int var) {
  if (!state.found.tables) return {};
  return granule_of(state.found.tables->arrays[static_cast<std::size_t>(var)], state.file.schema.shape(var),
                    state.file.schema.is_record(var));
}

}  // namespace

PlanKey write_key(const FileState& state, int var, std::int64_t record, int layout) {
  const Granule granule = state.file.output->granule(var);
  const weir_fill_mode cover = state.history.cover(var, record, layout, state.fill, granule.any());
  PlanKey key{layout, element_bytes(state, var), cover, {}};
  if (!state.geometry().begin.empty()) key.place = place_of(state, var, record, granule, false);
  return key;
}

PlanKey read_key(const FileState& state, int var, std::int64_t record, int layout) {
  PlanKey key{layout, element_bytes(state, var), WEIR_NOFILL, {}, true};
  const Granule granule = read_granule(state, var);
  if (!state.geometry().begin.empty()) key.place = place_of(state, var, record, granule, true);
  return key;
}

}  // namespace weir
