// SPDX-License-Identifier: Apache-2.0
// A file's gets.
#include <algorithm>
#include <limits>

#include "base/spelling.hpp"
#include "file/file.hpp"
#include "read/box_reader.hpp"
#include "read/netcdf4_store.hpp"
#include "read/reader.hpp"
#include "read/stored_file.hpp"
#include "read/zarr_store.hpp"
#include "read/zarr_tables.hpp"
#include "schema/file_offsets.hpp"
#include "write/change_journal.hpp"
#include "write/group_record.hpp"
#include "write/zarr/folder.hpp"

namespace weir {

namespace {

constexpr std::int64_t get_point = 306;
constexpr std::int64_t get_box_point = 307;
constexpr std::int64_t prefetch_point = 311;
constexpr std::size_t most_records = 4096;  // of one meeting of ranks
constexpr int no_layout = -1;
constexpr std::int64_t none = -std::numeric_limits<std::int64_t>::max();

// Of a Zarr folder.
struct FoundFolder {
  FileIdentity identity;
  StoredTables tables;
};

FoundFolder read_folder(const std::string& path, bool reads) {
  require(reads, WEIR_EFORMAT,
          in_quotes(path) +
              " is a Zarr folder, and Weir adds nothing to one: open it with WEIR_NOWRITE, or make a new one");
  const FileIdentity identity = identity_of(path);
  return {identity, read_zarr(path, identity)};
}

}  // namespace

// A file to read stays open for what rank 0 may own of it. How it is striped matters to who reads what.
DefinedFile File::read_definition_of(int mode) {
  struct Found {
    std::optional<Descriptor> file;  // to read; what nobody reads any more is closed in the call to storage
    std::optional<FileHead> head;    // of a classic file
    std::optional<FoundFolder> folder;
    ReadFrom from;
  };
  const bool reads = !(mode & WEIR_WRITE);
  const auto read = [path = file_.resolved, reads] {
    const FileSystem system = inspect_file_system(path);
    const ReadFrom from{system.stripe_bytes, system.shared_between_hosts ? 0 : 1};
    if (is_zarr_folder(path)) return Found{{}, {}, read_folder(path, reads), from};
    static_cast<void>(finish_group_commit(path));
    take_back_commit(path);
    Descriptor file = open_to_read(path);
    std::optional<FileHead> head;
    if (!reads || !is_hdf5(file)) head = read_head(file);
    return Found{reads ? std::optional(std::move(file)) : std::nullopt, std::move(head), {}, from};
  };
  Found found = context_.pipeline.storage().get(read, "reading " + file_.resolved);
  read_from_ = found.from;
  if (context_.config.stripe_bytes > 0) read_from_.stripe_bytes = context_.config.stripe_bytes;
  ++context_.pipeline.tally().opens;
  if (found.folder) return take_tables(std::move(found.folder->tables), zarr_format, found.folder->identity);
  if (reads) opened_ = std::move(found.file);
  return found.head ? definition_of(*found.head) : read_tables(identity_of(opened_->number(), opened_->path()));
}

// HDF5 is called here, by the rank's own thread in the model's call of weir_open. Then nobody calls it any more: all
// ranks have the tables.
DefinedFile File::read_tables(const FileIdentity& identity) {
  StoredTables tables = read_netcdf4(file_.resolved);
  if (const auto trouble = other_file_trouble(file_.resolved, identity))
    throw Error(WEIR_EIO, *trouble + "; open it again");
  const std::int64_t bytes = opened_->bytes(), least = least_file_bytes(tables);
  require(bytes >= least, WEIR_EFORMAT, [&] {
    return in_quotes(file_.resolved) + " is cut off: it has " + std::to_string(bytes) +
           " bytes, and its tables tell of " + std::to_string(least) + "; restore the file";
  });
  return take_tables(std::move(tables), netcdf4_format, identity);
}

DefinedFile File::take_tables(StoredTables tables, int format, const FileIdentity& identity) {
  for (StoredArray& array : tables.arrays)
    if (array.obstacle.empty()) array.obstacle = unknown_filter(array.filters);
  const FileOffsets places = place_variables(tables.schema, 5);
  DefinedFile defined{tables.schema, {}, identity};
  defined.geometry.format = format;
  defined.geometry.begin = places.begin;
  defined.geometry.record_bytes = places.record_bytes;
  defined.geometry.records = tables.records;
  defined.geometry.fixed_end = defined.geometry.record_begin = places.fixed_end;
  tables_ = std::make_shared<const StoredTables>(std::move(tables));
  return defined;
}

std::string File::why_left_out(std::string_view variable) const {
  if (!tables_) return {};
  const std::string_view group = variable.substr(0, variable.find('/'));
  for (const auto& [name, reason] : tables_->left_out)
    if (name == variable || name == group) return file_.path + " has " + in_quotes(name) + ", but " + reason;
  return {};
}

void File::require_readable() const {
  check_failure();
  require(commits_ && state_ != State::closed, WEIR_ESTATE,
          file_.path + ": nothing to read: weir_sync commits what was put, weir_open opens what is there");
  const int format = geometry().format;
  require((format != netcdf4_format && format != zarr_format) || tables_, WEIR_ESTATE,
          file_.path + " is " + (format == zarr_format ? "Zarr" : "netCDF-4") +
              " and being written: close it and open it again to read it");
  require(!geometry().begin.empty(), WEIR_ESTATE,
          file_.path + " is in parts: weir merge makes a file of them that can be read");
}

void File::require_known_form(int var) const {
  if (!tables_) return;
  const std::string& obstacle = tables_->arrays[static_cast<std::size_t>(var)].obstacle;
  require(obstacle.empty(), WEIR_EFORMAT, [&] {
    return in_quotes(file_.schema.variable(var).name) + " of " + file_.path + " cannot be read: " + obstacle;
  });
}

void File::require_records(int var, std::int64_t first, std::int64_t last) const {
  const std::int64_t there = geometry().records;
  require(first >= 0 && last <= there, WEIR_EARGUMENT, [&] {
    return "record " + file_.counting.number(first < 0 ? first : last - 1) + " of " +
           in_quotes(file_.schema.variable(var).name) + ", but the file has " + std::to_string(there);
  });
}

void File::get_box(int var, IndexView start, IndexView count, Type type, void* values) const {
  require_readable();
  check_types(check_var(var), type);
  require_known_form(var);
  const bool record = file_.schema.is_record(var);
  const std::size_t skip = record ? 1 : 0;
  const Layout box = Layout::boxes(file_.schema.shape(var), start.subspan(skip), count.subspan(skip), {});
  const std::int64_t first = record ? start[0] : 0, records = record ? count[0] : 1;
  if (tables_) {
    if (records == 0) return;
    if (record) require_records(var, first, first + records);
    return require_all_fit(var, type, read_stored_box(var, start, count, type, values));
  }
  for (std::int64_t r = 0; r < records; ++r)
    read(var, first + r, box, type, static_cast<std::byte*>(values) + r * box.buffer_length() * type_bytes(type));
}

void File::read(int var, std::int64_t record, const Layout& layout, Type type, void* values) const {
  const Geometry& places = geometry();
  if (file_.schema.is_record(var)) require_records(var, record, record + 1);
  const Source source{file_.resolved, places.begin[static_cast<std::size_t>(var)] + record * places.record_bytes,
                      file_.schema.variables()[static_cast<std::size_t>(var)].type, identity()};
  require_all_fit(var, type, read_layout(source, layout, values, type, &context_.pipeline.storage()));
}

void File::require_all_fit(int var, Type type, const RangeFailure& failure) const {
  require(failure.count == 0, WEIR_ERANGE,
          "get of \"" + file_.schema.variables()[static_cast<std::size_t>(var)].name + "\" from " + file_.path + ": " +
              std::to_string(failure.count) + " value(s) do not fit " + std::string(type_name(type)));
}

std::string File::get_of(std::string_view call, int var) const {
  const bool known = var >= 0 && var < static_cast<int>(file_.schema.variables().size());
  return std::string(call) + " of " + (known ? in_quotes(file_.schema.variable(var).name) : "no variable") + " from " +
         file_.path;
}

// What this rank alone has wrong becomes all ranks' error where they meet, in a sentence that names it.
template <class Check>
Status File::checked(const std::string& call, Check check) const {
  try {
    check();
    return {};
  } catch (const Error& error) {
    return {error.code(), "rank " + std::to_string(context_.comm.number()) + ": " + call + ": " + error.what(),
            no_file};
  }
}

std::int64_t File::own_record(int var, std::int64_t record) const {
  return var >= 0 && var < std::ssize(file_.schema.variables()) && file_.schema.is_record(var) ? record : 0;
}

void File::require_gettable(int var, std::int64_t record, int layout) const {
  require_known_form(var);
  const Layout& wanted = context_.layouts.at(layout);
  require(file_.schema.has_shape(var, wanted.shape()), WEIR_EARGUMENT, [&] {
    return "the layout is of an array " + in_words(wanted.shape(), file_.counting) + ", the variable is " +
           in_words(file_.schema.shape(var), file_.counting);
  });
  if (file_.schema.is_record(var)) require_records(var, record, record + 1);
}

void File::get(int var, std::int64_t record, int layout, Type type, void* values) {
  const Lead::Call told(context_.lead, Verb::get, {file_.serial, var, record, layout, type});
  const std::string call = get_of("weir_get", var);
  const bool has_records = var >= 0 && var < std::ssize(file_.schema.variables()) && file_.schema.is_record(var);
  const std::int64_t number = own_record(var, record);
  Own own;
  const Status status = checked(call, [&] {
    require_readable();
    check_types(check_var(var), type);
    require_gettable(var, number, layout);
    const Layout& wanted = context_.layouts.at(layout);
    require(values != nullptr || wanted.elements_held() == 0, WEIR_EARGUMENT, [&] {
      return "there is no buffer for the " + std::to_string(wanted.elements_held()) + " elements of the layout";
    });
    own = own_plan(var, layout, wanted);
  });
  std::int64_t by_owners = own ? 0 : 1;
  std::uint64_t signature = mix(static_cast<std::uint64_t>(file_.serial), static_cast<std::uint64_t>(var));
  signature = mix(mix(signature, static_cast<std::uint64_t>(number)), static_cast<std::uint64_t>(layout));
  const std::string words =
      call + (has_records ? ", " + record_in_words(number) : "") + ", by layout " + file_.counting.number(layout);
  context_.pipeline.meet_to_read({get_point, signature, words, nullptr}, status, &by_owners);
  if (by_owners == 0) return get_own(var, {number, number + 1, layout}, context_.layouts.at(layout), own, {type, values});
  get_records(var, {number, number + 1, layout}, {type, values});
}

// Checked here, so that nobody's buffer is touched where the file is not what it was.
File::Own File::own_plan(int var, int number, const Layout& layout) {
  if (tables_ || read_from_.on_this_host == 0) return nullptr;
  Own own = context_.pipeline.own_plan(number, layout, type_bytes(file_.schema.variable(var).type));
  if (!own || own->blocks.empty()) return own;
  Tally& tally = context_.pipeline.tally();
  const std::int64_t before = source()->count().opens;
  context_.pipeline.storage().run([source = source()] { return source->check(), Status(); }, "reading").raise();
  tally.opens += source()->count().opens - before;
  return own;
}

void File::get_own(int var, const BoxRecords& wanted, const Layout& layout, const Own& own, const Target& target) {
  const Type external = file_.schema.variable(var).type;
  const std::int64_t per_record = layout.elements_held() > 0 ? layout.buffer_length() * type_bytes(target.type) : 0;
  Want want{&file_, source(), var, {}, &layout, external, target.type, {}};
  for (std::int64_t record = wanted.first; record < wanted.last; ++record)
    want.records.push_back(
        {record, static_cast<std::byte*>(target.values) + (record - wanted.first) * per_record});
  context_.pipeline.get_own(want, own);
}

// Alike on all ranks before the first of its plans is made, since that takes all of them.
void File::prefetch(const std::vector<int>& vars, std::int64_t record, int layout) {
  std::vector<std::int64_t> words{file_.serial, record, layout};
  words.insert(words.end(), vars.begin(), vars.end());
  const Lead::Call told(context_.lead, Verb::prefetch, words, {});
  const std::string call = "weir_prefetch from " + file_.path;
  std::uint64_t signature = mix(static_cast<std::uint64_t>(file_.serial), static_cast<std::uint64_t>(layout));
  for (const int var : vars)
    signature =
        mix(mix(signature, static_cast<std::uint64_t>(var)), static_cast<std::uint64_t>(own_record(var, record)));
  const Status status = checked(call, [&] {
    require_readable();
    for (const int var : vars) {
      check_var(var);
      require_gettable(var, own_record(var, record), layout);
    }
  });
  const std::string described = call + " of " + std::to_string(vars.size()) + " variable(s), " +
                                record_in_words(record) + ", by layout " + file_.counting.number(layout);
  context_.pipeline.meet_to_read({prefetch_point, signature, described, nullptr}, status);
  for (const int var : vars) {
    const std::int64_t number = own_record(var, record);
    const Type external = file_.schema.variable(var).type;
    context_.pipeline.prefetch({&file_,
                                source(),
                                var,
                                key(var, number, layout, Use::read),
                                &context_.layouts.at(layout),
                                external,
                                external,
                                {{number, nullptr}}});
  }
}

void File::get_box_all(int var, IndexView start, IndexView count, Type type, void* values) {
  const Lead::Call told(context_.lead, Verb::get_box, {file_.serial, var, type});
  Layouts::OwnBox box;
  BoxRecords records{none, none, -1};
  const std::string call = get_of("weir_get_vara_all", var);
  const Status status = checked(call, [&] {
    require_readable();
    check_box(var, start, count, type, values);
    require_known_form(var);
    box = own_box(var, start, count);
    check_inside(var, box);
    if (!file_.schema.is_record(var) || elements(box.count) == 0 || count[0] == 0) return;
    require_records(var, start[0], start[0] + count[0]);
    records = {start[0], start[0] + count[0], -1};
  });
  get_boxes(var, {std::move(box), records}, status, {type, values});
}

// Of a scalar too, which has no count that could be 0.
void File::get_nothing(int var, Type type) {
  Layouts::OwnBox box;
  const Status status = checked(get_of("weir_get_vara_all", var), [&] {
    require_readable();
    check_types(check_var(var), type);
    require_known_form(var);
    box.shape = file_.schema.shape(var);
    if (box.shape.empty()) box.shape = {1};
    box.start = box.count = Shape(box.shape.size(), 0);
  });
  get_boxes(var, {std::move(box), {none, none, -1}}, status, {type, nullptr});
}

void File::get_boxes(int var, WantedBox wanted, Status status, const Target& target) {
  const std::string call = get_of("weir_get_vara_all", var);
  wanted.records.layout = status.ok() ? context_.layouts.find(wanted.box) : -1;
  const auto& [shape, start, count] = wanted.box;
  Layout box;
  Own own;
  status.merge(checked(call, [&] {
    if (!status.ok()) return;
    box = Layout::boxes(shape, start, count, {});
    own = own_plan(var, no_layout, box);
  }));
  std::int64_t by_owners = own ? 0 : 1;
  const std::uint64_t signature = mix(static_cast<std::uint64_t>(file_.serial), static_cast<std::uint64_t>(var));
  context_.pipeline.meet_to_read({get_box_point, signature, call, nullptr}, status, &by_owners);
  BoxRecords all = compare_records(var, wanted.records, call);
  if (by_owners == 0) return get_own(var, all, box, own, target);
  if (all.layout < 0) all.layout = add_own_box(wanted.box);
  get_records(var, all, target);
}

// The records that ranks want: alike on all that want any.
File::BoxRecords File::compare_records(int var, const BoxRecords& mine, const std::string& call) {
  const bool any = mine.first != none;
  std::int64_t most[6] = {mine.first,  any ? -mine.first : none, mine.last, any ? -mine.last : none, mine.layout,
                          -mine.layout};
  allreduce_max(context_.comm, most, context_.pipeline.deadline(), call);
  const int layout = most[4] == -most[5] ? static_cast<int>(most[4]) : -1;
  if (!file_.schema.is_record(var)) return {0, 1, layout};
  if (most[0] == none) return {0, 0, layout};
  require(most[0] == -most[1] && most[2] == -most[3], WEIR_EMISMATCH, [&] {
    return call + ": some ranks begin at " + record_in_words(-most[1]) + " and others at " + record_in_words(most[0]) +
           ", or get more of them: all ranks that want something get the same records in a call";
  });
  return {most[0], most[2], layout};
}

// Records that share a plan are read together, as many at a time as memory holds.
void File::get_records(int var, const BoxRecords& wanted, const Target& target) {
  const Layout& layout = context_.layouts.at(wanted.layout);
  const Type external = file_.schema.variables()[static_cast<std::size_t>(var)].type;
  const std::int64_t per_record = layout.elements_held() > 0 ? layout.buffer_length() * type_bytes(target.type) : 0;
  for (std::int64_t first = wanted.first; first < wanted.last;) {
    Want want{&file_, source(), var, key(var, first, wanted.layout, Use::read), &layout, external, target.type, {}};
    for (; first < wanted.last && want.records.size() < most_records; ++first) {
      if (key(var, first, wanted.layout, Use::read).place != want.key.place) break;
      want.records.push_back({first, static_cast<std::byte*>(target.values) + (first - wanted.first) * per_record});
    }
    context_.pipeline.get(want);
  }
}

// A chunk is read and unpacked by one rank, where it fits its tile.
Granule File::read_granule(int var) const {
  if (!tables_) return {};
  return granule_of(tables_->arrays[static_cast<std::size_t>(var)], file_.schema.shape(var),
                    file_.schema.is_record(var));
}

// Opened by whoever has to read of it, once.
std::shared_ptr<TileSource> File::source() {
  if (!source_ && tables_) source_ = chunked_source(std::exchange(opened_, std::nullopt));
  if (!source_)
    source_ = std::make_shared<StoredFile>(
        StoredFile::Known{file_.resolved, identity(), geometry(),
                          least_file_bytes({file_.schema, geometry(), {}}, geometry().records)},
        context_.config.page_cache, std::exchange(opened_, std::nullopt));
  return source_;
}

// Chunks that may be wanted again take no more than a place of tile memory does.
std::shared_ptr<ChunkedSource> File::chunked_source(std::optional<Descriptor> opened) const {
  std::unique_ptr<ChunkStore> store;
  if (geometry().format == zarr_format)
    store = std::make_unique<ZarrStore>(ZarrStore::Known{file_.resolved, identity(), tables_});
  else
    store = std::make_unique<Netcdf4Store>(Netcdf4Store::Known{file_.resolved, identity(), tables_}, std::move(opened));
  return std::make_shared<ChunkedSource>(std::move(store), file_.schema, context_.config.buffer_limit_bytes / 4);
}

RangeFailure File::read_stored_box(int var, IndexView start, IndexView count, Type type, void* values) const {
  if (!source_alone_) source_alone_ = chunked_source(std::nullopt);
  const Variable& variable = file_.schema.variable(var);
  return read_box(source_alone_, {var, start, count, variable.type, file_.schema.fill_value(var)}, values, type,
                  context_.pipeline.storage());
}

// Closed by the thread that makes calls to storage.
void File::end_source() {
  opened_.reset();
  if (!source_ && !source_alone_) return;
  StorageCalls::Call end = [source = std::exchange(source_, nullptr), alone = std::exchange(source_alone_, nullptr)] {
    return Status();
  };
  static_cast<void>(context_.pipeline.storage().run(std::move(end), "closing " + file_.path));
}

}  // namespace weir
