// SPDX-License-Identifier: Apache-2.0
#include "pio/files.hpp"

#include <pnetcdf.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "core/record_count.hpp"
#include "mpi/agree.hpp"
#include "pio/original_calls.hpp"

namespace weir::bridge {

namespace {

int put_one(int file, int var, const std::vector<MPI_Offset>& start, Type type, const double& value) {
  const std::vector<MPI_Offset> count(start.size(), 1);
  const void* const at = &value;
  switch (type) {
    case WEIR_BYTE:
      return WEIR_PIO(PIOc_put_vara_schar)(file, var, start.data(), count.data(), static_cast<const signed char*>(at));
    case WEIR_CHAR:
      return WEIR_PIO(PIOc_put_vara_text)(file, var, start.data(), count.data(), static_cast<const char*>(at));
    case WEIR_SHORT:
      return WEIR_PIO(PIOc_put_vara_short)(file, var, start.data(), count.data(), static_cast<const short*>(at));
    case WEIR_INT:
      return WEIR_PIO(PIOc_put_vara_int)(file, var, start.data(), count.data(), static_cast<const int*>(at));
    case WEIR_FLOAT:
      return WEIR_PIO(PIOc_put_vara_float)(file, var, start.data(), count.data(), static_cast<const float*>(at));
    default:
      return WEIR_PIO(PIOc_put_vara_double)(file, var, start.data(), count.data(), static_cast<const double*>(at));
  }
}

}  // namespace

PioFile::PioFile(int number, std::shared_ptr<System> system, FileName name, Reason obstacle, bool defining)
    : WrittenFile(number, std::move(system), std::move(name)), reason_(obstacle), defining_(defining) {
  if (comm().rank() == 0) named_ = std::make_unique<NamedFile>(name_.path);
}

void PioFile::end_definitions() noexcept {
  defining_ = false;
  known_ = false;
}

// PIO's first I/O task has just written the header, and reads it; Weir takes from it where the variables are.
void PioFile::decide() {
  std::vector<std::byte> definition;
  if (comm().rank() == system_->io_root) {
    try {
      FileHead head = read_head(name_.path);
      head.file_bytes = std::numeric_limits<std::int64_t>::max();  // the data may not be there yet
      const DefinedFile defined = definition_of(head);
      definition = serialize(std::pair(defined.schema, defined.geometry));
    } catch (const Error&) {
      definition.clear();
    }
  }
  broadcast(comm(), definition, system_->io_root, system_->group->deadline(),
            formatted("definitions of {}", name_.given));
  const Reason reason = definition.empty() ? Reason::header : Reason::none;
  RankGroup::Decision decision = system_->group->decide(name_.given, reason, 0);
  reason_ = decision.reason;
  if (reason_ != Reason::none) return;
  DefinedFile defined;
  std::tie(defined.schema, defined.geometry) = deserialize<std::pair<Schema, Geometry>>(definition);
  if (file_writer_ == nullptr) {
    file_writer_ = std::make_unique<FileWriter>(system_->group, std::move(decision), name_, std::move(named_));
    file_writer_->counts().add(own_counts_);
  }
  file_writer_->learn(std::move(defined));
  known_ = true;
}

// Why Weir cannot write an array into this file now, if so. Collective.
Reason PioFile::prepare() {
  if (reason_ != Reason::none) return reason_;
  if (defining_) return Reason::definition;
  try {
    if (!known_) decide();
  } catch (const std::exception&) {
    const Status problem = caught();
    raise_if_diverged(problem);
    reason_ = Reason::header;
    if (comm().rank() == 0)
      system_->group->process().say(formatted("{}; {} falls back to PIO", problem.message, name_.given));
  }
  if (reason_ == Reason::none && !file_writer_->library_file().open()) reason_ = Reason::header;
  return reason_;
}

// False: PIO has its own way with such a variable, frame and decomposition.
bool PioFile::takes(int var, const Decomposition& held, int frame) const {
  const Schema& schema = file_writer_->schema();
  if (var < 0 || var >= std::ssize(schema.variables())) return false;
  const Type type = schema.variable(var).type;
  const bool numbers = is_classic_number(type) && is_classic_number(held.type);
  if (!numbers && (type != WEIR_CHAR || held.type != WEIR_CHAR)) return false;
  return has_shape(schema, var, held.shape) && (!schema.is_record(var) || frame >= 0);
}

// Whether PIO does something else with this fill value than Weir, which fills with the variable's own.
bool PioFile::minds_fill(int var, const Arrays& arrays, const std::byte* value, const Decomposition& held) {
  if (is_own_fill(file_writer_->schema(), var, value)) return false;
  if (arrays.fills == Arrays::Fills::compared) return fills_missing(var);
  return !held.complete;
}

Reason PioFile::find_places(const Arrays& arrays, const Decomposition& held, std::vector<PutTarget>& places) {
  if (held.overlaps) return Reason::overlap;
  for (std::size_t i = 0; i < arrays.vars.size(); ++i) {
    const int var = arrays.vars[i], frame = frame_of(arrays, i);
    if (!takes(var, held, frame)) return Reason::unusual;
    const auto* const fill = static_cast<const std::byte*>(arrays.fill_values);
    const auto at = static_cast<std::ptrdiff_t>(i) * type_bytes(held.type);
    if (fill != nullptr && minds_fill(var, arrays, fill + at, held)) return Reason::filling;
    places.push_back({var, file_writer_->schema().is_record(var) ? frame : 0});
  }
  return places.empty() ? Reason::unusual : Reason::none;
}

Reason PioFile::try_to_put(const Arrays& arrays, Decomposition& held, int& code) {
  if (const Reason reason = prepare(); reason != Reason::none) return reason;
  if (const Reason reason = survey(held, code); reason != Reason::none) return reason;
  std::vector<PutTarget> places;
  if (const Reason reason = find_places(arrays, held, places); reason != Reason::none) return reason;
  const bool waits =
      std::any_of(arrays.vars.begin(), arrays.vars.end(), [&](int var) { return waiting_.contains(var); });
  if (waits && (code = flush_before(NextAccess::reads)) != 0) return Reason::failed;
  int layout = -1;
  if (const Reason reason = layout_of(held, layout, code); reason != Reason::none) return reason;
  const auto* values = static_cast<const std::byte*>(arrays.values);
  for (const PutTarget& place : places) {
    if (const Reason reason = carry(place, held, layout, values, code); reason != Reason::none) return reason;
    values += arrays.elements * type_bytes(held.type);
  }
  return Reason::none;
}

Reason PioFile::carry(const PutTarget& place, Decomposition& held, int layout, const void* values, int& code) {
  const Outcome outcome = file_writer_->put_placed(place.var, place.record, layout, held.type, values);
  if (!outcome.problem.ok()) return code = fail(outcome.problem), Reason::failed;
  held.overlaps = outcome.reason == Reason::overlap;
  if (outcome.reason != Reason::none) return outcome.reason;
  remember(place, held, values);
  ++counts().taken_over;
  counts().bytes_taken_over += std::ssize(held.map) * type_bytes(file_writer_->schema().variable(place.var).type);
  if (outcome.out_of_range > 0) code = NC_ERANGE;
  return Reason::none;
}

void PioFile::remember(const PutTarget& place, const Decomposition& held, const void* array) {
  if (!file_writer_->schema().is_record(place.var) || place.record + 1 < file_writer_->records()) return;
  mark_ = {place.var, place.record, -1, held.holder, held.type, 0};
  if (held.holder != comm().rank()) return;
  const std::int64_t at = held.mark();
  mark_.element = held.map[static_cast<std::size_t>(at)];
  const auto bytes = static_cast<std::size_t>(type_bytes(held.type));
  std::memcpy(&mark_.value, static_cast<const std::byte*>(array) + static_cast<std::size_t>(at) * bytes, bytes);
}

int PioFile::put(const Arrays& arrays, LibraryCall library_call) {
  int code = 0;
  Decomposition* const held = decomposition_of(arrays.decomposition);
  if (held != nullptr && reason_ == Reason::none && is_refused(arrays, *held)) return library_call();
  if (held == nullptr) warn_of_freed(*system_, arrays.decomposition, name_.given);
  const Reason reason = held == nullptr ? Reason::unusual : try_to_put(arrays, *held, code);
  if (reason == Reason::none || reason == Reason::failed) return code;
  counts().pass(reason);
  if (reason_ != Reason::none) return library_call();
  if (code = flush_before(NextAccess::reads); code != 0) return code;
  code = library_call();
  return code != 0 || defining_ ? code : WEIR_PIO(PIOc_sync)(number_);
}

int PioFile::put_values(const Values& values, LibraryCall library_call) {
  waiting_.insert(values.var);
  return library_call();
}

int PioFile::put_record(const Arrays&, int, LibraryCall library_call) {
  const int problem = flush_before(NextAccess::reads);
  return problem != 0 ? problem : library_call();
}

int PioFile::look(int& number) {
  number = number_;
  return flush_before(NextAccess::reads);
}

// What PIO holds is written. Where it holds nothing there is nothing to be done.
int PioFile::sync_original() {
  if (waiting_.empty()) return 0;
  waiting_.clear();
  return WEIR_PIO(PIOc_sync)(number_);
}

int PioFile::flush_before(NextAccess next_access) {
  if (file_writer_ == nullptr || reason_ != Reason::none) return 0;
  const Status status = next_access == NextAccess::reads
                            ? file_writer_->library_file().flush_to_library(file_writer_->wants_storage())
                            : file_writer_->library_file().detach(file_writer_->wants_storage());
  if (!status.ok()) return fail(status);
  file_writer_->library_file().shorten();
  const int code = sync_original();
  return code != 0 ? code : tell();
}

int PioFile::sync() {
  if (file_writer_ == nullptr || reason_ != Reason::none) return WEIR_PIO(PIOc_sync)(number_);
  if (const Status status = file_writer_->library_file().flush_to_library(file_writer_->wants_storage()); !status.ok())
    return fail(status);
  const int code = sync_original();
  const int raised = raise_count(code);
  return code != 0 ? code : raised;
}

int PioFile::close(LibraryCall original) {
  const bool written_by_weir = file_writer_ != nullptr && reason_ == Reason::none;
  const Status status = written_by_weir ? file_writer_->library_file().detach(file_writer_->wants_storage()) : Status{};
  if (written_by_weir && status.ok()) file_writer_->library_file().shorten();
  const int problem = status.ok() ? 0 : fail(status);
  const int code = original();
  if (problem != 0 || !written_by_weir) return problem != 0 ? problem : code;
  const int raised = raise_count(code);
  return code != 0 ? code : raised;
}

// In the header, by the rank whose PnetCDF writes it, where PIO's call before has gone well there: PIO itself need not
// know yet. Collective, also where that call ended in a `code` on some ranks alone.
int PioFile::raise_count(int code) {
  if (file_writer_->records() == 0) return 0;
  Status here;
  if (code == 0 && comm().rank() == system_->io_root)
    here = raise_record_count(name_.path, file_writer_->format(), file_writer_->records());
  const std::string call = formatted("the record count of {}", name_.given);
  const Point point{AgreementPoint::pio_record_count, mix(0, name_.path), call, nullptr};
  const Status status = agree(comm(), point, here, system_->group->deadline());
  return status.ok() ? 0 : fail(status);
}

// Records that PIO knows of; the program may have put more of them in its own way.
std::int64_t PioFile::told_records() {
  MPI_Offset records = 0;
  const int dim = file_writer_->schema().record_dimension();
  if (dim < 0 || WEIR_PIO(PIOc_inq_dimlen)(number_, dim, &records) != 0) return 0;
  file_writer_->learn_records(records);
  return records;
}

// PIO counts records by what it writes itself: one value of the last one, once more.
int PioFile::tell() {
  if (mark_.var < 0 || told_records() >= file_writer_->records()) return 0;
  std::int64_t words[] = {mark_.element, 0};
  std::memcpy(&words[1], &mark_.value, sizeof mark_.value);
  broadcast(comm(), words, mark_.holder, system_->group->deadline(), formatted("the record count of {}", name_.given));
  double value = 0;
  std::memcpy(&value, &words[1], sizeof value);
  const Shape shape = file_writer_->schema().shape(mark_.var);
  std::vector<MPI_Offset> start(shape.size() + 1, 0);
  start[0] = mark_.record;
  std::int64_t rest = words[0];
  for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) start[d + 1] = rest % shape[d];
  const int code = put_one(number_, mark_.var, start, mark_.type, value);
  return code != 0 ? code : WEIR_PIO(PIOc_sync)(number_);
}

}  // namespace weir::bridge
