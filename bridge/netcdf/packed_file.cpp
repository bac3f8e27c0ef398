// SPDX-License-Identifier: Apache-2.0
#include "netcdf/packed_file.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/codes.hpp"
#include "netcdf/front.hpp"

namespace weir::bridge {

namespace {

// Puts of less in all, each counted as a record of its variable, leave the definitions open.
constexpr std::int64_t most_early_bytes = 1 << 20;

constexpr const char* disagreed = "its definitions are not the same on all ranks, or not for Weir";
constexpr const char* overlapping = "ranks put the same elements, and not all of them the same ones; put each once";

std::int64_t signature_of(const Schema& schema) {
  const std::vector<std::byte> bytes = schema.serialize();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return static_cast<std::int64_t>(mix(0, text) >> 2);
}

std::int64_t bytes_of_record(const PackedVariable& variable) {
  std::int64_t bytes = type_bytes(variable.type);
  for (std::size_t d = variable.record ? 1 : 0; d < variable.shape.size(); ++d)
    if (__builtin_mul_overflow(bytes, variable.shape[d], &bytes)) return INT64_MAX;
  return bytes;
}

}  // namespace

PackedFile::PackedFile(std::shared_ptr<RankGroup> group, Opened opened)
    : Border(*group), group_(std::move(group)), opened_(std::move(opened)), path_(absolute_path(opened_.path)) {
  own_counts_.path = opened_.path;
}

PackedFile::~PackedFile() {
  if (carrier_ == nullptr && group_->comm().rank() == 0) group_->process().done(own_counts_);
}

Status PackedFile::go_on() {
  enter_define(false);
  is_there_ = committed_ = true;
  if (const int code = start(); code != NC_NOERR) return {WEIR_EFORMAT, disagreed, -1};
  return carrier_->made_file().make();
}

std::int64_t PackedFile::records() const noexcept {
  return carrier_ ? carrier_->records() : records_;
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
    group_->process().say("rank " + std::to_string(group_->comm().number()) + ": " + opened_.path + ": " + why);
  counts().pass(Reason::packed);
  return code;
}

void PackedFile::note(const std::string& sentence) {
  if (group_->comm().rank() == 0) group_->process().note(opened_.path + ": " + sentence);
}

// ---- Definitions
// -----------------------------------------------------------------------------------------------------

int PackedFile::change() {
  if (failed_) return refuse(not_supported_code, disagreed);
  redefined_ = carrier_ != nullptr;
  if ((opened_.mode & NC_CLASSIC_MODEL) == 0) defining_ = true;
  return NC_NOERR;
}

void PackedFile::enter_define(bool defining) noexcept {
  defining_ = defining;
  defined_ = defined_ || !defining;
}

// netCDF-4 ends definitions by itself where data come; not so in the classic model, unless a call has ended them.
int PackedFile::end_definitions() {
  if (!defining_) return NC_NOERR;
  if ((opened_.mode & NC_CLASSIC_MODEL) != 0 && WEIR_NETCDF(nc_redef)(opened_.ncid) == NC_EINDEFINE)
    return NC_EINDEFINE;
  return end_stand_in_definitions();
}

int PackedFile::end_stand_in_definitions() {
  const int code = defining_ ? WEIR_NETCDF(nc_enddef)(opened_.ncid) : NC_NOERR;
  if (code != NC_NOERR && code != NC_ENOTINDEFINE) return code;
  enter_define(false);
  return NC_NOERR;
}

// Weir hears what was defined since it got the definitions; where all ranks meet, it asks the others. Local.
void PackedFile::tell_more() {
  if (!std::exchange(redefined_, false)) return;
  try {
    carrier_->learn(packed_definition_of(opened_.ncid, wishes_));
    changed_ = true;
  } catch (const std::exception& error) {
    refuse_alone(not_supported_code, error.what());
  }
}

// Weir gets the definitions, or those that are new, and what was put so far. Collective; alike on all ranks.
int PackedFile::start() {
  if (failed_) return refuse(not_supported_code, disagreed);
  if (carrier_) return tell_more(), NC_NOERR;
  const Config* const config = group_->config_for(opened_.path);
  const bool is_zarr = config != nullptr && config->format == FormatKind::zarr;
  wishes_.classic_model = (opened_.mode & NC_CLASSIC_MODEL) != 0 && !is_zarr;
  DefinedFile defined;
  Reason known = Reason::none;
  try {
    defined = packed_definition_of(opened_.ncid, wishes_);
  } catch (const std::exception& error) {
    known = Reason::header;
    refuse(not_supported_code, error.what());
  }
  RankGroup::Decision decision = group_->decide_packed(opened_.path, known, signature_of(defined.schema));
  failed_ = decision.reason != Reason::none;
  if (failed_) return refuse(not_supported_code, disagreed);
  carrier_ = std::make_unique<Carrier>(
      group_, std::move(decision), FileName{opened_.path, path_, {}, WEIR_NOFILL, "in memory", WEIR_NETCDF4, is_there_},
      nullptr);
  carrier_->counts().add(own_counts_);
  if (!is_zarr)
    carrier_->made_file().records().read_back_by([this](const RecordPieces::Where& where, IndexView start,
                                                        IndexView count,
                                                        std::byte* values) { read_back(where, start, count, values); });
  carrier_->learn(std::move(defined));
  carrier_->learn_records(records_);
  return put_kept();
}

// ---- Puts
// ------------------------------------------------------------------------------------------------------------

int PackedFile::find(int var, Known*& known) {
  const auto found = known_.find(var);
  if (found != known_.end()) {
    known = &found->second;
    return NC_NOERR;
  }
  PackedVariable variable;
  int deflate = 0, fletcher32 = 0;
  std::size_t filters = 0;
  if (const int code = find_packed_variable(opened_.ncid, var, variable); code != NC_NOERR) return code;
  WEIR_NETCDF(nc_inq_var_deflate)(opened_.ncid, var, nullptr, &deflate, nullptr);
  WEIR_NETCDF(nc_inq_var_fletcher32)(opened_.ncid, var, &fletcher32);
  WEIR_NETCDF(nc_inq_var_filter_ids)(opened_.ncid, var, &filters, nullptr);
  const auto asked = asked_access_.find(var);
  const bool filtered = deflate != 0 || fletcher32 != 0 || filters > 0;
  const bool collective = opened_.collective || (asked != asked_access_.end() ? asked->second : filtered);
  known = &known_.emplace(var, Known{std::move(variable), collective}).first->second;
  return NC_NOERR;
}

// As in netCDF: filters make it collective, and it then stays so.
int PackedFile::set_access(int var, bool collective) {
  if (const int code = WEIR_NETCDF(nc_inq_var)(opened_.ncid, var, nullptr, nullptr, nullptr, nullptr, nullptr);
      code != NC_NOERR)
    return code;
  std::size_t filters = 0;
  WEIR_NETCDF(nc_inq_var_filter_ids)(opened_.ncid, var, &filters, nullptr);
  if (!collective && filters > 0) return NC_EINVAL;
  if (opened_.collective) return NC_NOERR;
  asked_access_[var] = collective;
  if (collective) switched_.insert(var);
  if (const auto found = known_.find(var); found != known_.end()) found->second.collective = collective;
  return NC_NOERR;
}

int PackedFile::put_part(const PackedAccess& access, const void* values) {
  Known* known = nullptr;
  if (const int code = find(access.var, known); code != NC_NOERR) return code;
  Prepared put;
  int code = prepare(access, known->variable, records(), values, put);
  if (code == NC_NOERR) code = end_definitions();
  if (code != NC_NOERR) put = {};
  if (known->collective) return put_together(access.var, code, std::move(put));
  return code == NC_NOERR ? keep(std::move(put)) : code;
}

// Alike on all ranks.
bool PackedFile::is_early(const PackedVariable& variable) {
  if (carrier_ || failed_) return false;
  const std::int64_t bytes = bytes_of_record(variable);
  if (bytes > most_early_bytes - early_bytes_) return false;
  early_bytes_ += bytes;
  return true;
}

// A rank whose call is wrong, with this code, takes part with nothing.
int PackedFile::put_together(int var, int code, Prepared put) {
  const Known& known = known_.at(var);
  std::int64_t records = put.records;
  if (is_early(known.variable)) {
    if (known.variable.record) records = largest_of(records);
    records_ = std::max(records_, records);
    return code == NC_NOERR ? keep(std::move(put)) : code;
  }
  if (const int trouble = start(); trouble != NC_NOERR) return trouble;
  if (switched_.erase(var) > 0)
    if (const int trouble = put_kept(); trouble != NC_NOERR) return trouble;
  const std::span<const LocalSlabs> parts(&put.part, code == NC_NOERR ? 1 : 0);
  const int carried = carry(parts, records, put.bytes);
  return code != NC_NOERR ? code : carried;
}

int PackedFile::keep(Prepared put) {
  const std::int64_t bytes = put.elements * type_bytes(put.part.type);
  const Config* const config = group_->config_for(opened_.path);
  if (config != nullptr && kept_.bytes() + bytes > config->buffer_limit_bytes)
    return refuse_alone(NC_ENOMEM,
                        "more than buffer_limit waits of puts that one rank made alone; give the variable collective "
                        "access, or raise buffer_limit");
  const Type external = known_.at(put.part.var).variable.type;
  const bool fits = misfits(put.part.values, put.elements, put.part.type, external) == 0;
  records_ = std::max(records_, put.records);
  if (carrier_) carrier_->learn_records(put.records);
  if (put.elements > 0) kept_.add(std::move(put));
  return fits ? NC_NOERR : NC_ERANGE;
}

int PackedFile::put_kept() {
  int code = NC_NOERR;
  kept_.put_all(*group_, [&](std::span<const LocalSlabs> parts, std::int64_t records, std::int64_t bytes) {
    const int one = carry(parts, records, bytes);
    if (code == NC_NOERR && one != NC_ERANGE) code = one;
  });
  return code;
}

int PackedFile::carry(std::span<const LocalSlabs> parts, std::int64_t records, std::int64_t bytes) {
  close_reader();
  changed_ = true;
  const Outcome outcome = carrier_->put(parts, records);
  if (!outcome.trouble.ok()) return fail(outcome.trouble);
  if (outcome.reason == Reason::overlap) return refuse(not_supported_code, overlapping);
  if (outcome.reason != Reason::none) return refuse(not_supported_code, "Weir could not begin on it");
  ++counts().taken_over;
  counts().bytes_taken_over += bytes;
  return outcome.out_of_range > 0 ? NC_ERANGE : NC_NOERR;
}

// The file is opened anew: it is being written.
void PackedFile::read_back(const RecordPieces::Where& where, IndexView start, IndexView count, std::byte* values) {
  std::vector<std::size_t> first(start.begin(), start.end()), length(count.begin(), count.end());
  if (carrier_->schema().is_record(where.first)) {
    first.insert(first.begin(), static_cast<std::size_t>(where.second));
    length.insert(length.begin(), 1);
  }
  int file = -1;
  int code = WEIR_NETCDF(nc_open)(path_.c_str(), NC_NOWRITE, &file);
  if (code == NC_NOERR) {
    code = WEIR_NETCDF(nc_get_vara)(file, where.first, first.data(), length.data(), values);
    static_cast<void>(WEIR_NETCDF(nc_close)(file));
  }
  require(code == NC_NOERR, WEIR_EIO, [&] {
    return opened_.path + ": what it has of a record that is put in part: " + WEIR_NETCDF(nc_strerror)(code);
  });
}

// ---- Gets, commits, the end
// ------------------------------------------------------------------------------------------

void PackedFile::close_reader() {
  if (reader_ >= 0) static_cast<void>(WEIR_NETCDF(nc_close)(std::exchange(reader_, -1)));
}

// Of all ranks. Collective.
std::int64_t PackedFile::largest_of(std::int64_t value) const {
  allreduce_max(group_->comm(), std::span(&value, 1), group_->deadline(), "a call on " + opened_.path);
  return value;
}

// Collective.
int PackedFile::commit() {
  const int started = start(), kept = carrier_ && !failed_ ? put_kept() : NC_NOERR;
  const int code = started != NC_NOERR ? started : kept;
  if (!carrier_) return code;
  const bool changes = !committed_ || changed_;
  if (largest_of(changes ? 1 : 0) == 0) return code;  // one rank alone may have defined something
  close_reader();
  if (const Status status = carrier_->made_file().commit(); !status.ok()) return fail(status);
  committed_ = true;
  changed_ = false;
  return code;
}

int PackedFile::find_reader(int var, int& reader) {
  Known* known = nullptr;
  if (const int code = find(var, known); code != NC_NOERR) return code;
  if (const int code = end_definitions(); code != NC_NOERR) return code;
  const bool is_new = written() != nullptr && var >= std::ssize(written()->variables());
  if (!known->collective && (!committed_ || changed_ || is_new || !kept_.empty()))
    return refuse_alone(not_supported_code,
                        "a rank gets alone what is not yet in the file; call nc_sync first, or give the variable "
                        "collective access");
  if (known->collective)
    if (const int code = commit(); code != NC_NOERR) return code;
  if (reader_ < 0)
    if (const int code = WEIR_NETCDF(nc_open)(path_.c_str(), NC_NOWRITE, &reader_); code != NC_NOERR) return code;
  reader = reader_;
  return NC_NOERR;
}

int PackedFile::sync() {
  const int code = end_definitions();
  return code == NC_NOERR ? commit() : code;
}

int PackedFile::close() noexcept {
  return end([&](Again once) { return finish(once); }, [&] { return release(); });
}

// What netCDF says of the stand-in is of no use to the program: it misses a file to remove.
int PackedFile::release() noexcept {
  static_cast<void>(unmade_ ? WEIR_NETCDF(nc_abort)(opened_.ncid) : WEIR_NETCDF(nc_close)(opened_.ncid));
  return NC_NOERR;
}

int PackedFile::finish(Again original) {
  int code = end_stand_in_definitions();
  const int started = start(), kept = carrier_ && !failed_ ? put_kept() : NC_NOERR;
  for (const int next : {started, kept})
    if (code == NC_NOERR) code = next;
  close_reader();
  if (carrier_)
    if (const Status status = carrier_->made_file().finish(); !status.ok() && code == NC_NOERR) code = fail(status);
  static_cast<void>(original());
  return code;
}

// As in netCDF a file whose definitions have never ended is not made, and any other is closed.
int PackedFile::abort() noexcept {
  const auto undo = [&](Again once) {
    const bool defined = defined_ || carrier_ != nullptr || !kept_.empty();
    unmade_ = largest_of(defined ? 1 : 0) == 0;
    return unmade_ ? once() : finish(once);
  };
  return end(undo, [&] { return release(); });
}

}  // namespace weir::bridge
