// SPDX-License-Identifier: Apache-2.0
#include "netcdf/packed_file.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "core/codes.hpp"
#include "core/definition_agreement.hpp"
#include "core/large_chunks.hpp"
#include "core/missing_ranks.hpp"
#include "netcdf/front.hpp"

namespace weir::bridge {

namespace {

int code_of(const Status& failed) {
  return failed.code == WEIR_EMISMATCH ? differing_code : not_supported_code;
}

// Of all ranks. Collective.
std::int64_t largest_of(std::int64_t value, const RankGroup& group, const std::string& path) {
  allreduce_max(group.comm(), std::span(&value, 1), group.deadline(), formatted("a call on {}", path));
  return value;
}

}  // namespace

PackedFile::PackedFile(std::shared_ptr<RankGroup> group, Opened opened)
    : Border(*group),
      group_(std::move(group)),
      opened_(std::move(opened)),
      shadow_(opened_.ncid, opened_.mode),
      variables_(opened_.ncid, opened_.collective),
      committed_(opened_.path) {
  own_counts_.path = opened_.path;
  group_->process().end_before_hdf5();  // the shadow is HDF5's
}

PackedFile::~PackedFile() {
  if (file_writer_ == nullptr && group_->comm().rank() == 0) group_->process().done(own_counts_);
}

Status PackedFile::go_on() {
  shadow_.enter_define(false);
  is_there_ = true;
  committed_.commit();
  if (const int code = start(); code != NC_NOERR) return {WEIR_EFORMAT, failed_.message};
  return file_writer_->made_file().make();
}

std::int64_t PackedFile::records() const noexcept {
  return file_writer_ ? file_writer_->records() : records_;
}

// ---- What is refused, and what fails
// ---------------------------------------------------------------------------------

int PackedFile::refuse(int code, const std::string& why) {
  if (refused_.insert(why).second && group_->comm().rank() == 0) group_->process().say(opened_.path + ": " + why);
  counts().pass(Reason::packed);
  return code;
}

int PackedFile::refuse_alone(int code, const std::string& why) {
  if (refused_.insert(why).second)
    group_->process().say(formatted("rank {}: {}: {}", group_->comm().number(), opened_.path, why));
  counts().pass(Reason::packed);
  return code;
}

void PackedFile::note(const std::string& sentence) {
  group_->note(opened_.path + ": " + sentence);
}

// ---- Definitions
// -----------------------------------------------------------------------------------------------------

int PackedFile::change() {
  if (!failed_.ok()) return refuse(code_of(failed_), failed_.message);
  redefined_ = file_writer_ != nullptr;
  unsigned_ = true;
  shadow_.begin_change();
  return NC_NOERR;
}

// lacks: what this rank defines that Weir's files have not; "" where it is none of that. missing: nullptr, or whether
// netCDF on this rank lacks it too; becomes true on all ranks if it is true on one.
int PackedFile::compare(PutExtent& extent, const std::string& lacks, bool* missing) {
  if (!failed_.ok()) return refuse(code_of(failed_), failed_.message);
  Schema structure;
  const auto ask = [&] { return structure = structure_of(shadow_.definition().schema), Status(); };
  Status here;
  if (std::exchange(unsigned_, false)) {
    here = outcome_of(ask);
    signature_ = signature_of(structure);
  }
  const std::int64_t asks = lacks.empty() ? 0 : 1;
  std::int64_t most[] = {extent.records, extent.bytes, extent.first_negated, here.ok() ? 0 : 1, signature_, -signature_,
                         asks,           -asks,        missing && *missing};
  allreduce_max(group_->comm(), most, group_->deadline(), formatted("definitions of {}", opened_.path));
  extent = {most[0], most[1], most[2]};
  if (missing != nullptr) *missing = most[8] != 0;
  if (most[3] == 0 && most[4] == -most[5] && most[6] == -most[7]) return NC_NOERR;
  if (here.ok()) here = outcome_of(ask);
  if (here.ok() && asks != -most[7])
    here = {WEIR_EMISMATCH,
            formatted("rank {}: it defines {}, and other ranks do not", group_->comm().number(), lacks)};
  failed_ = difference_of_ranks(*group_, structure, here);
  if (failed_.code == WEIR_EMISMATCH) failed_.message += define_alike;
  return refuse(code_of(failed_), failed_.message);
}

// Weir hears what was defined since it got the definitions; where all ranks agree, it asks the others. Local.
void PackedFile::tell_more() {
  if (!std::exchange(redefined_, false)) return;
  try {
    file_writer_->learn(shadow_.definition());
    committed_.change();
  } catch (const std::exception& error) {
    refuse_alone(not_supported_code, error.what());
  }
}

// Weir gets the definitions, or those that are new, and what was put so far. Collective; alike on all ranks.
int PackedFile::start() {
  if (!failed_.ok()) return refuse(code_of(failed_), failed_.message);
  if (file_writer_) return tell_more(), NC_NOERR;
  PutExtent nothing;
  if (const int code = compare(nothing); code != NC_NOERR) return code;
  const Config* const config = group_->config_for(opened_.path);
  const bool is_zarr = config != nullptr && config->format == FormatKind::zarr;
  shadow_.options().classic_model = shadow_.classic_model() && !is_zarr;
  RankGroup::Decision decision = group_->decide_packed(opened_.path, Reason::none, 0);
  if (decision.reason != Reason::none) {
    failed_ = {WEIR_ECONFIG, std::string(in_words(decision.reason))};
    return refuse(code_of(failed_), failed_.message);
  }
  FileName name{opened_.path, committed_.path(), {},        WEIR_NOFILL,
                "in memory",  WEIR_NETCDF4,      is_there_, Infinities::fit};
  file_writer_ = std::make_unique<FileWriter>(group_, std::move(decision), std::move(name), nullptr);
  file_writer_->counts().add(own_counts_);
  if (!is_zarr)
    file_writer_->made_file().records().read_back_by(
        [this](const RecordPieces::Where& where, IndexView start, IndexView count, std::byte* values) {
          committed_.read_back(where, file_writer_->schema().is_record(where.first), start, count, values);
        });
  file_writer_->learn(shadow_.definition());
  file_writer_->learn_records(records_);
  return put_kept();
}

// ---- Handing the file over to netCDF -------------------------------------------------------------------------------

// A sentence; "" where netCDF can have the file. Local; alike on all ranks.
std::string PackedFile::why_no_handover(const std::string& what) const {
  const Config* const config = group_->config_for(opened_.path);
  if (opened_.origin == Origin::plain)
    return formatted("Weir does not support {} here; create the file by nc_create_par, so that netCDF writes it", what);
  if ((config != nullptr && config->format == FormatKind::zarr) || group_->process().feeds_streams(opened_.path))
    return formatted("Weir does not support {} here; without its rule for this file netCDF writes it", what);
  if (file_writer_ && !is_there_)
    return formatted(
        "Weir does not support {} here; define it before the first large put, so that netCDF writes the file", what);
  if (!has_parallel_netcdf4())
    return formatted("Weir does not support {} here; a netCDF that has parallel netCDF-4 would write this file", what);
  return "";
}

// An existing file is finished first, with what was put; into a new one netCDF puts that. Collective.
int PackedFile::give_to_netcdf() {
  if (file_writer_) {
    if (const int code = put_kept(); code != NC_NOERR && code != NC_ERANGE) return code;
    if (const Status status = file_writer_->made_file().finish(); !status.ok()) return fail(status);
  }
  const bool has_kept = largest_of(kept_.empty() ? 0 : 1, *group_, opened_.path) > 0;
  int code = NC_NOERR;
  const auto put = [&](const KeptPuts::Batch& batch) {
    if (const int one = put_by_netcdf(opened_.ncid, batch.parts, *group_); one != NC_NOERR) code = one;
    return true;
  };
  const auto put_all = [&] {
    kept_.put_all(*group_, put, [] {});
    return code;
  };
  handed_over_ = true;
  const std::string& path = absolute_path(opened_.path) == committed_.path() ? opened_.path : committed_.path();
  return bridge::hand_over(shadow_, {path, opened_.mode, group_->comm().raw(), opened_.info.get(), is_there_},
                           has_kept ? std::function<int()>(put_all) : nullptr);
}

// Some rank misses it. Collective.
std::optional<int> PackedFile::refuse_missing(int refusal, const Plugin& plugin) {
  const std::vector<int> without =
      ranks_where(plugin.missing, group_->comm(), group_->deadline(), formatted("a call on {}", opened_.path));
  if (std::ssize(without) == group_->comm().size()) return std::nullopt;
  return refuse(
      refusal,
      formatted("rank(s) {}: HDF5 does not find {}, so no rank uses it; set HDF5_PLUGIN_PATH to the same on all ranks",
                named_ranks(without), plugin.name));
}

std::optional<int> PackedFile::hand_over(int refusal, const std::string& what, const Plugin& plugin) {
  if (!failed_.ok()) return refuse(code_of(failed_), failed_.message);
  if (const std::string why = why_no_handover(what); !why.empty())
    return plugin.missing ? std::nullopt : std::optional(refuse(refusal, why));
  PutExtent nothing;
  bool missing = plugin.missing;
  if (const int code = compare(nothing, what, &missing); code != NC_NOERR) return code;
  if (missing) return refuse_missing(refusal, plugin);
  committed_.close();
  if (const int code = give_to_netcdf(); code != NC_NOERR) return code;
  variables_.tell_access();
  counts().pass(Reason::format);
  note(formatted("handled by netCDF from here on: Weir does not support {} here", what));
  return std::nullopt;
}

std::optional<int> PackedFile::hand_over_large_chunks() {
  const Config* const config = group_->config_for(opened_.path);
  if (config == nullptr || !why_no_handover("").empty()) return NC_NOERR;
  const Schema schema = shadow_.definition().schema;
  const auto large = chunks_without_room(schema, *config, group_->comm(), group_->deadline());
  if (!large) return NC_NOERR;
  return hand_over(
      NC_ENOMEM,
      formatted("chunks of \"{}\" of which one rank holds {} MiB at a time (buffer_limit: {}MiB has room for them)",
                schema.variable(large->var).name, large->bytes >> 20, large->buffer_limit >> 20));
}

// ---- Puts
// ------------------------------------------------------------------------------------------------------------

int PackedFile::put(const PackedAccess& access, const void* values) noexcept {
  return call([&] {
    if (!failed_.ok()) return refuse(code_of(failed_), failed_.message);
    const PackedVariables::Known* known = nullptr;
    if (const int code = variables_.find(access.var, known); code != NC_NOERR) return code;
    Prepared put;
    int code = prepare(access, known->variable, records(), values, put);
    if (code == NC_NOERR) code = shadow_.end_for_data();
    if (code != NC_NOERR) put = {};
    if (known->collective) return put_together({access.var, known->variable}, code, std::move(put));
    return code == NC_NOERR ? keep(known->variable, put, std::nullopt) : code;
  });
}

// A rank whose call is wrong, with this code, takes part with nothing.
int PackedFile::put_together(const Target& target, int code, Prepared put) {
  if (!file_writer_) {
    PutExtent all{put.records, put.bytes};
    if (put.elements > 0) all.first_negated = -put.part.slabs.front().start[0];
    if (const int problem = compare(all); problem != NC_NOERR) return problem;
    if (target.variable.record) records_ = std::max(records_, all.records);
    if (const auto call = early_.take(target.var, target.variable, all)) {
      const int kept = keep(target.variable, put, call);
      return code != NC_NOERR ? code : kept;
    }
  }
  if (const int problem = start(); problem != NC_NOERR) return problem;
  const std::span<const LocalSlabs> parts(&put.part, code == NC_NOERR ? 1 : 0);
  Reason reason = kept_.has(target.var) ? Reason::kept : Reason::none;
  int carried = carry(parts, put.records, put.bytes, reason);
  if (reason == Reason::kept) {
    if (const int problem = put_kept(); problem != NC_NOERR) return problem;
    reason = Reason::none;
    carried = carry(parts, put.records, put.bytes, reason);
  }
  if (reason == Reason::overlap) carried = refuse(not_supported_code, file_writer_->overlap_in_words());
  if (carried == NC_NOERR || carried == NC_ERANGE) ++counts().taken_over;
  return code != NC_NOERR ? code : carried;
}

int PackedFile::keep(const PackedVariable& variable, const Prepared& put,
                     const std::optional<KeptPuts::Together>& call) {
  const std::int64_t bytes = put.elements * type_bytes(put.part.type);
  const Config* const config = group_->config_for(opened_.path);
  if (!call && config != nullptr && kept_.bytes() + bytes > config->buffer_limit_bytes)
    return refuse_alone(NC_ENOMEM,
                        "independent puts of one rank need more memory than buffer_limit; give the variable collective "
                        "access, or raise buffer_limit");
  const bool fits = misfits(put.part.values, put.elements, put.part.type, variable.type, Infinities::fit) == 0;
  records_ = std::max(records_, put.records);
  if (file_writer_) file_writer_->learn_records(put.records);
  if (call)
    kept_.add_together(*call, put);
  else if (put.elements > 0)
    kept_.add(put);
  ++counts().taken_over;
  return fits ? NC_NOERR : NC_ERANGE;
}

// What of it cannot be put is lost, long after the call that put it: the next sync and the close say so too.
int PackedFile::put_kept() {
  int code = NC_NOERR;
  const auto lose = [&](int problem) {
    if (code == NC_NOERR) code = problem;
  };
  kept_.put_all(
      *group_,
      [&](const KeptPuts::Batch& batch) {
        Reason reason = Reason::none;
        const int one = carry(batch.parts, batch.records, batch.bytes, reason);
        if (reason != Reason::overlap && one != NC_NOERR && one != NC_ERANGE) lose(one);
        return reason != Reason::overlap;
      },
      [&] { lose(refuse(not_supported_code, file_writer_->overlap_in_words())); });
  if (lost_ == NC_NOERR) lost_ = code;
  return code;
}

// `reason`: why this rank does not put, and then why no rank has: Reason::kept, or Reason::overlap where ranks put the
// same element.
int PackedFile::carry(std::span<const LocalSlabs> parts, std::int64_t records, std::int64_t bytes, Reason& reason) {
  committed_.close();
  committed_.change();
  const Outcome outcome = file_writer_->put(parts, records, reason);
  reason = outcome.reason;
  if (!outcome.problem.ok()) return fail(outcome.problem);
  if (outcome.reason == Reason::kept) return NC_NOERR;
  if (outcome.reason == Reason::overlap) return not_supported_code;
  if (outcome.reason != Reason::none) return refuse(not_supported_code, "Weir could not start to write it");
  counts().bytes_taken_over += bytes;
  return outcome.out_of_range > 0 ? NC_ERANGE : NC_NOERR;
}

// ---- Gets, commits, the end
// ------------------------------------------------------------------------------------------

// Collective.
int PackedFile::commit() {
  const int started = start(), kept = file_writer_ && failed_.ok() ? put_kept() : NC_NOERR;
  const int code = started != NC_NOERR ? started : kept;
  if (!file_writer_) return code;
  if (largest_of(committed_.holds_all() ? 0 : 1, *group_, opened_.path) == 0)
    return code;  // one rank alone may have defined something
  committed_.close();
  if (const Status status = file_writer_->made_file().commit(); !status.ok()) return fail(status);
  committed_.commit();
  return code;
}

int PackedFile::reader_for(int var, int& reader) noexcept {
  return call([&] {
    const PackedVariables::Known* known = nullptr;
    if (const int code = variables_.find(var, known); code != NC_NOERR) return code;
    if (const int code = shadow_.end_for_data(); code != NC_NOERR) return code;
    const bool is_new = written() != nullptr && var >= std::ssize(written()->variables());
    if (!known->collective && (!committed_.holds_all() || is_new || !kept_.empty()))
      return refuse_alone(not_supported_code,
                          "an independent get reads data that are not yet in the file; call nc_sync first, or give the "
                          "variable collective access");
    if (known->collective)
      if (const int code = commit(); code != NC_NOERR) return code;
    return committed_.open(reader);
  });
}

int PackedFile::sync() {
  int code = shadow_.end_for_data();
  if (code == NC_NOERR) code = commit();
  return code == NC_NOERR ? lost_ : code;
}

int PackedFile::close() noexcept {
  return end([&](LibraryCall once) { return finish(once); },
             [&] {
               shadow_.release(true);
               return NC_NOERR;
             });
}

int PackedFile::finish(LibraryCall original) {
  int code = shadow_.end_definitions();
  const int started = start(), kept = file_writer_ && failed_.ok() ? put_kept() : NC_NOERR;
  for (const int next : {started, kept})
    if (code == NC_NOERR) code = next;
  committed_.close();
  if (file_writer_)
    if (const Status status = file_writer_->made_file().finish(); !status.ok() && code == NC_NOERR) code = fail(status);
  static_cast<void>(original());
  return code == NC_NOERR ? lost_ : code;
}

// As in netCDF a file whose definitions have never ended is not made, and any other is closed.
int PackedFile::abort() noexcept {
  bool unmade = false;
  const auto undo = [&](LibraryCall once) {
    const bool defined = shadow_.was_defined() || file_writer_ != nullptr || !kept_.empty();
    unmade = largest_of(defined ? 1 : 0, *group_, opened_.path) == 0;
    return unmade ? once() : finish(once);
  };
  return end(undo, [&] {
    shadow_.release(!unmade);
    return NC_NOERR;
  });
}

}  // namespace weir::bridge
