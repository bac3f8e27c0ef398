// SPDX-License-Identifier: Apache-2.0
#include "file/definitions.hpp"

#include <numeric>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "file/opening.hpp"
#include "formats/classic/redefine.hpp"
#include "formats/definition.hpp"
#include "formats/netcdf4/module.hpp"
#include "formats/netcdf4/netcdf4_store.hpp"
#include "formats/zarr/array.hpp"
#include "formats/zarr/stored_tables.hpp"
#include "plan/chunk_grid.hpp"
#include "schema/file_offsets.hpp"

namespace weir {

namespace {

// One of the settings as it is here and on rank 0.
std::string setting_in_words(std::size_t number, std::int64_t here, std::int64_t on_rank_0) {
  static constexpr const char* names[] = {"the fill mode", "header_free_bytes", "variable_align_bytes",
                                          "record_align_bytes"};
  static constexpr const char* modes[] = {"WEIR_FILL", "WEIR_NOFILL", "WEIR_COVER"};
  const auto show = [&](std::int64_t value) { return number == 0 ? modes[value] : std::to_string(value); };
  return formatted("{} is {} here and {} on rank 0", names[number], show(here), show(on_rank_0));
}

Status of_file(const FileState& state, Status status) {
  if (!status.ok()) status.scope = Scope::of(state.file.serial);
  return status;
}

// A rank may have failed after the others heard that there is a file.
void agree_that_made(FileState& state, Status made, std::string_view verb) {
  const std::string call = formatted("{} of {}", verb, state.file.path);
  try {
    state.context.pipeline.agreement().agree_at(
        {AgreementPoint::definitions_made, mix(0, state.file.path), call, nullptr}, of_file(state, std::move(made)),
        &state.file);
  } catch (const Error&) {
    state.phase = FilePhase::defining;  // on all ranks: no rank has anything to write
    throw;
  }
}

}  // namespace

Definitions::Definitions(FileState& state)
    : state_(state), context_(state.context), file_(state.file), alignment_(alignment_of(context_.config())) {}

// A late definition is a call of this rank alone, so the rank goes on with what the others do until they meet and hear.
void Definitions::require_defining() {
  state_.check_failure();
  if (state_.phase == FilePhase::defining) return;
  const Status late{WEIR_ESTATE,
                    formatted("{}{}: definitions have ended; define before weir_enddef, or after weir_redef",
                              state_.this_rank(), file_.path),
                    Scope::of(file_.serial)};
  if (state_.phase == FilePhase::writing && state_.refused.ok()) context_.pipeline.agreement().note(late);
  state_.refused.merge(late);
  late.raise();
}

void Definitions::set_fill(weir_fill_mode mode) {
  define([&](Schema&) {
    require(mode == WEIR_FILL || mode == WEIR_NOFILL || mode == WEIR_COVER, WEIR_EARGUMENT,
            "{} is not a valid fill mode", mode);
    state_.fill = mode;
  });
}

void Definitions::set_alignment(const Alignment& alignment) {
  define([&](Schema&) {
    const bool asks =
        alignment.header_free_bytes > 0 || alignment.variable_align_bytes > 0 || alignment.record_align_bytes > 0;
    require(!former_ || !asks, WEIR_EARGUMENT,
            "its variables are laid out already: weir_set_alignment is for new files");
    require(
        alignment.header_free_bytes >= 0 && alignment.variable_align_bytes >= 0 && alignment.record_align_bytes >= 0,
        WEIR_EARGUMENT, "alignments are 0 or more bytes");
    if (alignment.header_free_bytes > 0) alignment_.header_free_bytes = alignment.header_free_bytes;
    if (alignment.variable_align_bytes > 0) alignment_.variable_align_bytes = alignment.variable_align_bytes;
    if (alignment.record_align_bytes > 0) alignment_.record_align_bytes = alignment.record_align_bytes;
  });
}

// What ranks must have set alike besides the definitions.
Definitions::Settings Definitions::settings() const noexcept {
  return {state_.fill, alignment_.header_free_bytes, alignment_.variable_align_bytes, alignment_.record_align_bytes};
}

void Definitions::tell() {
  const auto tell = [this] {
    const std::vector<std::byte> schema = file_.schema.serialize();
    const CallBroadcast::Call call(context_.call_broadcast, CallKind::define,
                                   {file_.serial, state_.fill, alignment_.header_free_bytes,
                                    alignment_.variable_align_bytes, alignment_.record_align_bytes},
                                   schema);
    return Status();
  };
  state_.refused.merge(of_file(state_, outcome_to_agree_on(tell)));
}

void Definitions::adopt(const BroadcastCall& definition) {
  file_.schema = Schema::deserialize(definition.bytes);
  state_.fill = static_cast<weir_fill_mode>(definition.words[1]);
  alignment_ = {definition.words[2], definition.words[3], definition.words[4]};
}

void Definitions::enddef() {
  tell();
  const CallBroadcast::Call call_of_all(context_.call_broadcast, CallKind::enddef, {file_.serial});
  require_defining();
  compare();
  Status refused;  // of all: the file goes on with the definitions that it had
  Status made = outcome_to_agree_on([&] {
    if (former_)
      refused = extend();
    else
      begin_writing(nullptr);
    return Status();
  });
  agree_that_made(state_, std::move(made), "weir_enddef");
  refused.raise();
}

// By signature; only where one differs are they sent, to say in words what differs.
void Definitions::compare() {
  std::vector<std::byte> definitions;
  std::uint64_t signature = 0;
  const auto sign = [&] {
    definitions = file_.schema.serialize();
    const std::string_view text(reinterpret_cast<const char*>(definitions.data()), definitions.size());
    signature = mix(mix(0, text), file_.path);
    for (const std::int64_t setting : settings()) signature = mix(signature, static_cast<std::uint64_t>(setting));
    return Status();
  };
  state_.refused.merge(of_file(state_, outcome_of(sign)));
  const std::string call = formatted("weir_enddef of {}", file_.path);
  Agreement& agreement = context_.pipeline.agreement();
  const auto ask = [&] {
    return agreement.try_agree_at({AgreementPoint::definitions, signature, call, nullptr}, state_.refused);
  };
  Status common = ask();
  for (; common.scope.kind == Scope::one_file && common.scope != Scope::of(file_.serial); common = ask())
    agreement.fail(common);  // another's
  if (common.ok()) return;
  const Point here{AgreementPoint::definitions, mix(0, file_.path), call, nullptr};
  Status status = common;
  if (common.code == WEIR_EMISMATCH) {
    agreement.agree_at(here, {}, &file_);  // is every rank here, and only its definitions differ?
    status = difference_from_rank_0(definitions, call);
  }
  agreement.agree_at(here, status, &file_);
  file_.failure = common;
  file_.failure.raise();
}

// In words; ok on a rank that has all as rank 0. Collective.
Status Definitions::difference_from_rank_0(std::vector<std::byte>& definitions, std::string_view call) {
  Settings mine = settings(), first = mine;
  broadcast(context_.comm, definitions, 0, context_.pipeline.deadline(), call);
  broadcast(context_.comm, std::span(first), 0, context_.pipeline.deadline(), call);
  auto words =
      difference(file_.schema, Schema::deserialize(definitions), formatted("rank {}", context_.comm.number_of(0)));
  for (std::size_t i = 0; i < mine.size() && !words; ++i)
    if (mine[i] != first[i]) words = setting_in_words(i, mine[i], first[i]);
  if (!words) return {};
  return {WEIR_EMISMATCH, file_.path + ": " + state_.this_rank() + *words, Scope::of(file_.serial)};
}

void Definitions::go_on_with(const Geometry& existing) {
  Status made = outcome_to_agree_on([&] { return begin_writing(&existing), Status(); });
  if (!file_.attached) return agree_that_made(state_, std::move(made), "weir_open");
  file_.failure.merge(of_file(state_, made));
  made.raise();
}

void Definitions::reopen() {
  former_ = file_.schema;
  state_.refused = {};
  state_.phase = FilePhase::defining;
}

void Definitions::require_kept() const {
  if (!former_) return;
  const auto problem = redefinition_problem(*former_, file_.schema);
  require(!problem, WEIR_EARGUMENT, problem.value_or(""));
}

// Rank 0 gives the file its definitions; all open it as one that is there. Returns why it has those that it had.
Status Definitions::extend() {
  const Schema before = *former_;
  Status status;
  chunk_by_rule(static_cast<int>(before.variables().size()));
  pack_by_rule(static_cast<int>(before.variables().size()));
  if (context_.comm.rank() == 0) status = outcome_of([&] { return redefine(before), Status(); });
  status = broadcast_value(context_.comm, status, 0, context_.pipeline.deadline(),
                           formatted("weir_enddef of {}", file_.path));
  if (!status.ok()) file_.schema = before;
  Opening(state_).read_again();
  begin_writing(&state_.found.geometry);
  former_.reset();
  return status;
}

void Definitions::redefine(const Schema& before) {
  const Redefinition wanted{file_.resolved, before, file_.schema, alignment_, context_.config().durability};
  const int format = state_.found.geometry.format, first = static_cast<int>(before.variables().size());
  std::vector<ZarrArray> arrays;
  if (format == zarr_format) arrays = new_arrays(with_writers(output_options(true)), file_.schema, first);
  if (format == netcdf4_format) load_netcdf4(wanted.path, Netcdf4Use::redefine);
  if (format != zarr_format && format != netcdf4_format) require_unpacked(first);
  const auto change = [wanted, arrays, format] {
    if (format == netcdf4_format)
      redefine_netcdf4(wanted);
    else if (format == zarr_format)
      redefine_zarr(wanted, read_zarr(wanted.path, identity_of(wanted.path), StringVariables::left_out), arrays);
    else
      redefine_classic(wanted);
    return true;
  };
  context_.pipeline.storage().get(change, formatted("new definitions of {}", file_.path));
}

OutputOptions Definitions::output_options(bool existing) const {
  return {file_.resolved,
          context_.pipeline.rank().config,
          context_.comm,
          context_.pipeline.storage(),
          context_.pipeline.roles().writers(),
          context_.pipeline.machine().hosts(),
          format_asked_,
          existing,
          file_.attached,
          alignment_,
          state_.fill,
          hints_,
          &context_.pipeline.machine(),
          &context_.pipeline.rank().host,
          &context_.pipeline.rank().liveness_check,
          {},
          existing ? state_.found.goes_back_to : std::nullopt};
}

void Definitions::begin_writing(const Geometry* existing) {
  context_.pipeline.advice().take(file_, packing_in_words(existing));
  const OutputOptions options = output_options(existing != nullptr);
  make_output(options, existing);
  context_.pipeline.rank().expect(file_.output->geometry(), options.writers);
  if (former_)
    state_.history.add_variables();
  else
    state_.history.begin(existing != nullptr && !file_.attached);
  state_.phase = FilePhase::writing;
}

// The format and strategy of a new file: by the mode of weir_create and the configuration's rules.

namespace {

int format_of(int mode) {
  if (mode & WEIR_NETCDF4) return netcdf4_format;
  if (mode & WEIR_ZARR) return zarr_format;
  if (mode & WEIR_CDF5) return 5;
  if (mode & WEIR_CDF2) return 2;
  return mode & WEIR_CDF1 ? 1 : 0;
}

}  // namespace

// "" of a mode without flags.
std::string mode_in_words(int mode) {
  constexpr std::pair<int, const char*> flags[] = {{WEIR_NOCLOBBER, "WEIR_NOCLOBBER"},
                                                   {WEIR_WRITE, "WEIR_WRITE"},
                                                   {WEIR_NETCDF4, "WEIR_NETCDF4"},
                                                   {WEIR_ZARR, "WEIR_ZARR"},
                                                   {WEIR_CDF1, "WEIR_CDF1"},
                                                   {WEIR_CDF2, "WEIR_CDF2"},
                                                   {WEIR_CDF5, "WEIR_CDF5"}};
  std::string words;
  for (const auto& [flag, name] : flags)
    if (mode & flag) words += (words.empty() ? " with " : " + ") + std::string(name);
  return words;
}

Status Definitions::take_format(int mode) {
  const FileRule* rule = rule_for(context_.config(), file_.path);
  const Config config = rule && !rule->off ? with_rule(context_.config(), *rule) : context_.config();
  packing_ = {config.compression, config.compression_level, config.chunk_records};
  format_asked_ = format_of(mode);
  if (config.format == FormatKind::netcdf4) format_asked_ = netcdf4_format;
  if (config.format == FormatKind::zarr) format_asked_ = zarr_format;
  const auto asks = [&](int flags) { return (mode & flags) != 0; };
  if (asks(WEIR_NETCDF4) + asks(WEIR_ZARR) + asks(WEIR_CDF1 | WEIR_CDF2 | WEIR_CDF5) <= 1) return {};
  return {
      WEIR_EARGUMENT,
      formatted("{}: more than one of WEIR_NETCDF4, WEIR_ZARR and the classic formats is requested; give one of them",
                file_.path),
      Scope::of(file_.serial)};
}

// Variables of which the program has said nothing. All ranks have agreed on what it said.
void Definitions::chunk_by_rule(int first) {
  if (packing_.chunk_records <= 1) return;
  for (int var = first; var < static_cast<int>(file_.schema.variables().size()); ++var) {
    const Variable& variable = file_.schema.variable(var);
    if (!file_.schema.is_record(var) || !variable.storage.chunk.empty()) continue;
    Storage storage = variable.storage;
    storage.chunk = default_chunk(file_.schema.shape(var), type_bytes(variable.type), packing_.chunk_records);
    if (worth_compressing(elements(storage.chunk) * type_bytes(variable.type)))
      file_.schema.set_storage(var, std::move(storage));
  }
}

void Definitions::pack_by_rule(int first) {
  if (packing_.kind == CompressionKind::none) return;
  for (int var = first; var < static_cast<int>(file_.schema.variables().size()); ++var) {
    const Variable& variable = file_.schema.variable(var);
    if (variable.dims.empty() || variable.storage.packed()) continue;
    if (!worth_compressing(elements(file_.schema.chunk(var)) * type_bytes(variable.type))) continue;
    Storage storage = variable.storage;
    storage.shuffle = type_bytes(variable.type) > 1;
    (packing_.kind == CompressionKind::zlib ? storage.deflate_level : storage.zstd_level) = packing_.level;
    file_.schema.set_storage(var, std::move(storage));
  }
}

// As a tuned table has it (advice/tuned_table.hpp): by what the program or the rule says of the records.
std::string Definitions::packing_in_words(const Geometry* existing) const {
  const int format = existing && state_.found.tables ? existing->format : format_asked_;
  if (format != netcdf4_format && format != zarr_format) return "";
  const std::string name = format == zarr_format ? "zarr" : "netcdf4";
  for (int var = 0; var < static_cast<int>(file_.schema.variables().size()); ++var) {
    const Storage& storage = file_.schema.variable(var).storage;
    if (!file_.schema.is_record(var) || !storage.squeezed()) continue;
    return name + (storage.deflate_level ? " zlib " : " zstd ") +
           std::to_string(storage.deflate_level ? *storage.deflate_level : *storage.zstd_level);
  }
  if (packing_.kind == CompressionKind::none) return name;
  return name + (packing_.kind == CompressionKind::zlib ? " zlib " : " zstd ") + std::to_string(packing_.level);
}

void Definitions::make_output(const OutputOptions& options, const Geometry* existing) {
  const StoredTables* const tables = existing ? state_.found.tables.get() : nullptr;
  if (tables) format_asked_ = existing->format;
  const bool zarr = format_asked_ == zarr_format, packs = zarr || format_asked_ == netcdf4_format;
  if (!packs) require_unpacked(0);
  require(!packs || !context_.pipeline.roles().strategy().part_files(), WEIR_EARGUMENT,
          "{}: part files are CDF-5 and cannot be {}; choose another strategy", file_.path, zarr ? "Zarr" : "netCDF-4");
  if (packs) {
    if (tables) {
      take_storage(*tables, file_.schema);
    } else {
      chunk_by_rule(0);
      pack_by_rule(0);
    }
    const OutputOptions packed = with_writers(options);
    file_.output =
        zarr ? make_zarr_file(packed, file_.schema, tables) : make_chunked_file(packed, file_.schema, tables);
    state_.found.tables.reset();  // what is written makes them out of date
  } else if (context_.pipeline.roles().strategy().part_files()) {
    require(existing == nullptr, WEIR_ESTATE,
            "{}: a strategy that writes part files cannot append to a whole file; choose another strategy", file_.path);
    file_.output = make_part_file(options, file_.schema);
  } else {
    file_.output = make_shared_file(options, file_.schema, existing);
  }
}

// Of a file of packed chunks.
OutputOptions Definitions::with_writers(OutputOptions options) const {
  const Roles& roles = context_.pipeline.roles();
  const Machine& machine = context_.pipeline.machine();
  options.writers = roles.writers_of(Granule{1, 1});
  options.compressing_writers = roles.writers_of(Granule{1, 1, true});
  options.packing_hosts = roles.packing_hosts(machine);
  if (context_.pipeline.advice().asked()) {  // the strategy may change
    options.packing_hosts.resize(machine.ranks_of.size());
    std::iota(options.packing_hosts.begin(), options.packing_hosts.end(), 0);
  }
  return options;
}

// Of a file that keeps values as they are.
void Definitions::require_unpacked(int first) const {
  for (int var = first; var < static_cast<int>(file_.schema.variables().size()); ++var)
    require(!file_.schema.variable(var).storage.any(), WEIR_EARGUMENT,
            "{}: variable \"{}\" has chunks or filters, and classic formats have neither; create the file with "
            "WEIR_NETCDF4 or WEIR_ZARR",
            file_.path, file_.schema.variable(var).name);
}

}  // namespace weir
