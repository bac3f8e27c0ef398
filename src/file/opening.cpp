// SPDX-License-Identifier: Apache-2.0
#include "file/opening.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commit/done_marker.hpp"
#include "commit/group_record.hpp"
#include "commit/undo_log.hpp"
#include "engine/reader.hpp"
#include "formats/chunked/packed_file.hpp"
#include "formats/chunked/unpacker.hpp"
#include "formats/classic/stored_file.hpp"
#include "formats/netcdf4/metadata.hpp"
#include "formats/netcdf4/module.hpp"
#include "formats/netcdf4/netcdf4_store.hpp"
#include "formats/zarr/folder.hpp"
#include "formats/zarr/going_back.hpp"
#include "formats/zarr/store.hpp"
#include "formats/zarr/stored_tables.hpp"

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
        state_.context.config().page_cache, std::exchange(opened, std::nullopt));
  return of_all_;
}

std::shared_ptr<ChunkedSource> Sources::of_this_rank() {
  if (!of_this_rank_) of_this_rank_ = chunked(std::nullopt);
  return of_this_rank_;
}

// Chunks that may be wanted again take no more than a tile buffer does.
std::shared_ptr<ChunkedSource> Sources::chunked(std::optional<Descriptor> opened) const {
  const auto& tables = state_.found.tables;
  std::unique_ptr<ChunkStore> store;
  if (state_.geometry().format == zarr_format)
    store = std::make_unique<ZarrStore>(ZarrStore::Known{state_.file.resolved, state_.identity(), tables});
  else
    store = std::make_unique<Netcdf4Store>(Netcdf4Store::Known{state_.file.resolved, state_.identity(), tables},
                                           std::move(opened));
  return std::make_shared<ChunkedSource>(std::move(store), state_.file.schema,
                                         state_.context.config().buffer_limit_bytes / 4);
}

void Sources::end() {
  state_.found.opened.reset();
  if (!of_all_ && !of_this_rank_) return;
  StorageCalls::Call end = [all = std::exchange(of_all_, nullptr), alone = std::exchange(of_this_rank_, nullptr)] {
    return Status();
  };
  static_cast<void>(state_.context.pipeline.storage().run(std::move(end), formatted("closing {}", state_.file.path)));
}

namespace {

// Of a Zarr folder.
struct FoundFolder {
  FileIdentity identity;
  StoredTables tables;
};

FoundFolder read_folder(const std::string& path, StringVariables strings) {
  const FileIdentity identity = identity_of(path);
  return {identity, read_zarr(path, identity, strings)};
}

// What rank 0 sends of the file.
struct Description {
  Schema schema;
  Geometry geometry;
  FileIdentity identity;
  FoundFile::Where where;
  std::optional<StoredTables> tables = {};
};
void fields(auto& archive, Either<Description> auto& file) {
  archive(file.schema, file.geometry, file.identity, file.where, file.tables);
}

}  // namespace

void Opening::read(int mode, std::optional<std::int64_t> records) {
  Status status = state_.resolve();
  if (records) status.merge(problem_of(mode, *records));
  read(mode, "weir_open", std::move(status), records);
  const std::int64_t there = found_.geometry.records;
  if (records && *records > there)
    throw Error(
        WEIR_EARGUMENT,
        "{} has {} record(s) and cannot go back to {}; give a number up to that, or open the file that has them",
        file_.path, there, *records);
}

// Before anything of the file changes.
Status Opening::forget_marker() {
  const auto remove = [path = file_.resolved, whose = state_.whose_marker()] { return remove_marker(path, whose); };
  return context_.pipeline.storage().run(remove, formatted("removing the marker of {}", file_.resolved));
}

Status Opening::problem_of(int mode, std::int64_t records) const {
  const Scope here = Scope::of(file_.serial);
  if (!(mode & WEIR_WRITE))
    return {WEIR_EARGUMENT, formatted("{}: a file goes back to fewer records only with WEIR_WRITE", file_.path), here};
  if (records < 0)
    return {WEIR_EARGUMENT, formatted("{} cannot go back to {} records; give 0 or more", file_.path, records), here};
  return {};
}

void Opening::read_again() {
  const Schema defined = file_.schema;
  found_.tables.reset();
  read(WEIR_WRITE, "weir_enddef", {}, {});
  const auto same = [](const Variable& one, const Variable& other) {
    return one.name == other.name && one.type == other.type && one.dims.size() == other.dims.size();
  };
  const std::vector<Variable>&there = file_.schema.variables(), &wanted = defined.variables();
  const bool in_order = std::equal(there.begin(), there.end(), wanted.begin(), wanted.end(), same);
  require(in_order || found_.tables, WEIR_EINTERNAL, "{}: the file has other variables than were defined", file_.path);
  file_.schema = defined;
  if (in_order) return;
  // netCDF-4 lists a group's variables before those of the groups that it holds, whichever was defined first.
  StoredTables tables = *found_.tables;
  std::vector<std::int64_t> begin;
  for (const int var : order_as(defined, tables)) begin.push_back(found_.geometry.begin[static_cast<std::size_t>(var)]);
  found_.geometry.begin = std::move(begin);
  found_.tables = std::make_shared<const StoredTables>(std::move(tables));
}

void Opening::read(int mode, std::string_view verb, Status status, std::optional<std::int64_t> records) {
  std::vector<std::byte> bytes;
  if (status.ok() && context_.comm.rank() == 0) {
    status = outcome_of([&] {
      DefinedFile existing = read_definition(mode);
      Description described{std::move(existing.schema), std::move(existing.geometry), existing.identity, found_.where};
      if (found_.tables) described.tables = *found_.tables;
      bytes = serialize(described);
      const bool changes = (mode & WEIR_WRITE) && records.value_or(0) <= described.geometry.records;
      return changes ? forget_marker() : Status();
    });
    if (!status.ok()) status.scope = Scope::of(file_.serial);
  }
  const std::string back = records ? formatted(" at {} records", *records) : "";
  const std::string call = formatted("{} of {}{}{}", verb, file_.path, mode_in_words(mode), back);
  const std::uint64_t signature = mix(mix(0, file_.path + back), static_cast<std::uint64_t>(mode));
  context_.pipeline.agreement().agree_at({AgreementPoint::open, signature, call, nullptr, true}, status, &file_);
  broadcast(context_.comm, bytes, 0, context_.pipeline.deadline(), call);
  auto described = deserialize<Description>(bytes);
  file_.schema = std::move(described.schema);
  found_.geometry = std::move(described.geometry);
  found_.identity = described.identity.among(context_.pipeline.machine().hosts());
  found_.where = described.where;
  if (!described.tables) return;
  found_.tables = std::make_shared<const StoredTables>(std::move(*described.tables));
  found_.left_out = found_.tables->left_out;
}

// A file to read stays open for what rank 0 may own of it. How it is striped matters to who reads what.
DefinedFile Opening::read_definition(int mode) {
  struct Found {
    std::optional<Descriptor> file;  // to read; what no rank reads any more is closed in the call to storage
    std::optional<FileHead> head;    // of a classic file
    std::optional<FoundFolder> folder;
    FoundFile::Where where;
  };
  const bool reads = !(mode & WEIR_WRITE);
  const StringVariables strings = reads ? StringVariables::as_text : StringVariables::left_out;
  const Status folder_problem = state_.names_a_folder ? state_.folder_problem() : Status();
  const auto read = [path = file_.resolved, reads, strings, folder_problem] {
    const FileSystem system = inspect_file_system(path);
    const FoundFile::Where where{system.stripe_bytes, system.shared_between_hosts ? 0 : 1};
    if (is_zarr_folder(path)) {
      finish_going_back(path);
      return Found{{}, {}, read_folder(path, strings), where};
    }
    folder_problem.raise();
    static_cast<void>(finish_group_commit(path));
    roll_back_commit(path);
    Descriptor file = open_to_read(path);
    std::optional<FileHead> head;
    const bool packed = is_hdf5(file);
    if (!packed) head = read_head(file);
    return Found{reads || packed ? std::optional(std::move(file)) : std::nullopt, std::move(head), {}, where};
  };
  Found found = context_.pipeline.storage().get(read, formatted("reading {}", file_.resolved));
  found_.where = found.where;
  found_.where.stripe_bytes = stripe_bytes_of(context_.config(), found_.where.stripe_bytes);
  ++context_.pipeline.tally().opens;
  if (found.folder) return take_tables(std::move(found.folder->tables), zarr_format, found.folder->identity);
  found_.opened = std::move(found.file);
  return found.head ? definition_of(*found.head)
                    : read_tables(identity_of(found_.opened->number(), found_.opened->path()), strings);
}

// HDF5 is called here, within the model's call of weir_open. Then no rank calls it any more: all ranks have the tables.
DefinedFile Opening::read_tables(const FileIdentity& identity, StringVariables strings) {
  load_netcdf4(file_.resolved, Netcdf4Use::read);
  const auto read = [path = file_.resolved, strings] { return read_netcdf4(path, strings); };
  StoredTables tables = context_.pipeline.storage().get(read, formatted("reading the tables of {}", file_.resolved));
  if (const auto problem = other_file_problem(file_.resolved, identity))
    throw Error(WEIR_EIO, "{}; open it again", *problem);
  const std::int64_t bytes = found_.opened->bytes(), least = least_file_bytes(tables);
  require(bytes >= least, WEIR_EFORMAT,
          "\"{}\" is truncated: it has {} bytes, and its tables tell of {}; restore the file", file_.resolved, bytes,
          least);
  return take_tables(std::move(tables), netcdf4_format, identity);
}

DefinedFile Opening::take_tables(StoredTables tables, int format, const FileIdentity& identity) {
  for (StoredArray& array : tables.arrays)
    if (array.obstacle.empty()) array.obstacle = unknown_filter(array.filters);
  DefinedFile defined{tables.schema, places_of_neighbours(tables.schema, format), identity};
  defined.geometry.records = tables.records;
  found_.tables = std::make_shared<const StoredTables>(std::move(tables));
  return defined;
}

}  // namespace weir
