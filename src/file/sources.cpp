// SPDX-License-Identifier: Apache-2.0
#include "file/sources.hpp"

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "read/netcdf4_store.hpp"
#include "read/stored_file.hpp"
#include "read/zarr_store.hpp"

namespace weir {

namespace {

// Of each variable, the next one of its shape and size that has records as it has; -1: there is none.
std::vector<int> next_alike(const Schema& schema) {
  std::vector<int> next(schema.variables().size(), -1);
  std::map<std::tuple<bool, std::vector<std::int64_t>, int>, int> last;
  for (int var = 0; var < static_cast<int>(next.size()); ++var) {
    const auto kind = std::tuple(schema.is_record(var), schema.shape(var), type_bytes(schema.variable(var).type));
    const auto [found, is_new] = last.emplace(kind, var);
    if (!is_new) next[static_cast<std::size_t>(std::exchange(found->second, var))] = var;
  }
  return next;
}

}  // namespace

std::shared_ptr<TileSource> Sources::of_all() {
  std::optional<Descriptor>& opened = state_.found.opened;
  if (!of_all_ && state_.found.tables) of_all_ = chunked(std::exchange(opened, std::nullopt));
  if (!of_all_)
    of_all_ = std::make_shared<StoredFile>(
        StoredFile::Known{state_.file.resolved, state_.identity(), state_.geometry(),
                          least_file_bytes({state_.file.schema, state_.geometry(), {}}, state_.geometry().records),
                          next_alike(state_.file.schema), state_.context.pipeline.machine().hosts() > 1},
        state_.context.config.page_cache, std::exchange(opened, std::nullopt));
  return of_all_;
}

std::shared_ptr<ChunkedSource> Sources::of_this_rank() {
  if (!of_this_rank_) of_this_rank_ = chunked(std::nullopt);
  return of_this_rank_;
}

// Chunks that may be wanted again take no more than a place of tile memory does.
std::shared_ptr<ChunkedSource> Sources::chunked(std::optional<Descriptor> opened) const {
  const auto& tables = state_.found.tables;
  std::unique_ptr<ChunkStore> store;
  if (state_.geometry().format == zarr_format)
    store = std::make_unique<ZarrStore>(ZarrStore::Known{state_.file.resolved, state_.identity(), tables});
  else
    store = std::make_unique<Netcdf4Store>(Netcdf4Store::Known{state_.file.resolved, state_.identity(), tables},
                                           std::move(opened));
  return std::make_shared<ChunkedSource>(std::move(store), state_.file.schema,
                                         state_.context.config.buffer_limit_bytes / 4);
}

void Sources::end() {
  state_.found.opened.reset();
  if (!of_all_ && !of_this_rank_) return;
  StorageCalls::Call end = [all = std::exchange(of_all_, nullptr), alone = std::exchange(of_this_rank_, nullptr)] {
    return Status();
  };
  static_cast<void>(state_.context.pipeline.storage().run(std::move(end), "closing " + state_.file.path));
}

}  // namespace weir
