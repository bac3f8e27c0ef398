// SPDX-License-Identifier: Apache-2.0
#include "pio/files.hpp"

#include <pnetcdf.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/outcome.hpp"
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
  std::vector<std::byte> schema, places;
  if (comm().rank() == system_->io_root) {
    try {
      FileHead head = read_head(name_.path);
      head.file_bytes = std::numeric_limits<std::int64_t>::max();  // the data may not be there yet
      const DefinedFile defined = definition_of(head);
      schema = defined.schema.serialize();
      places = serialize(defined.geometry);
    } catch (const Error&) {
      schema.clear();
    }
  }
  const Deadline deadline = system_->group->deadline();
  broadcast(comm(), schema, system_->io_root, deadline, "definitions of " + name_.given);
  broadcast(comm(), places, system_->io_root, deadline, "definitions of " + name_.given);
  RankGroup::Decision decision = system_->group->decide(name_.given, schema.empty() ? Reason::header : Reason::none, 0);
  reason_ = decision.reason;
  if (reason_ != Reason::none) return;
  DefinedFile defined;
  defined.schema = Schema::deserialize(schema);
  defined.geometry = deserialize_geometry(places);
  if (carrier_ == nullptr) {
    carrier_ = std::make_unique<Carrier>(system_->group, std::move(decision), name_, std::move(named_));
    carrier_->counts().add(own_counts_);
  }
  carrier_->learn(std::move(defined));
  known_ = true;
}

// Why no array can be carried into this file now, if so. Collective.
Reason PioFile::prepare() {
  if (reason_ != Reason::none) return reason_;
  if (defining_) return Reason::definition;
  try {
    if (!known_) decide();
  } catch (const std::exception&) {
    const Status trouble = caught();
    raise_if_parted(trouble);
    reason_ = Reason::header;
    if (comm().rank() == 0) system_->group->process().say(trouble.message + "; " + name_.given + " is left to PIO");
  }
  if (reason_ == Reason::none && !carrier_->library_file().open()) reason_ = Reason::header;
  return reason_;
}

// False: PIO has its own way with such a variable, frame and decomposition.
bool PioFile::takes(int var, const Decomposition& held, int frame) const {
  const Schema& schema = carrier_->schema();
  if (var < 0 || var >= std::ssize(schema.variables())) return false;
  const Type type = schema.variable(var).type;
  const bool numbers = is_classic_number(type) && is_classic_number(held.type);
  if (!numbers && (type != WEIR_CHAR || held.type != WEIR_CHAR)) return false;
  return has_shape(schema, var, held.shape) && (!schema.is_record(var) || frame >= 0);
}

// Whether PIO does something else with this fill value than Weir, which fills with the variable's own.
bool PioFile::minds_fill(int var, const Arrays& arrays, const std::byte* value, const Decomposition& held) {
  if (is_own_fill(carrier_->schema(), var, value)) return false;
  if (arrays.fills == Arrays::Fills::compared) return fills_unput(var);
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
    places.push_back({var, carrier_->schema().is_record(var) ? frame : 0});
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
  if (waits && (code = look(Then::reads)) != 0) return Reason::failed;
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
  const Outcome outcome = carrier_->put_placed(place.var, place.record, layout, held.type, values);
  if (!outcome.trouble.ok()) return code = fail(outcome.trouble), Reason::failed;
  held.overlaps = outcome.reason == Reason::overlap;
  if (outcome.reason != Reason::none) return outcome.reason;
  remember(place, held, values);
  ++counts().taken_over;
  counts().bytes_taken_over += std::ssize(held.map) * type_bytes(carrier_->schema().variable(place.var).type);
  if (outcome.out_of_range > 0) code = NC_ERANGE;
  return Reason::none;
}

void PioFile::remember(const PutTarget& place, const Decomposition& held, const void* array) {
  if (!carrier_->schema().is_record(place.var) || place.record + 1 < carrier_->records()) return;
  mark_ = {place.var, place.record, -1, held.holder, held.type, 0};
  if (held.holder != comm().rank()) return;
  const std::int64_t at = held.mark();
  mark_.element = held.map[static_cast<std::size_t>(at)];
  const auto bytes = static_cast<std::size_t>(type_bytes(held.type));
  std::memcpy(&mark_.value, static_cast<const std::byte*>(array) + static_cast<std::size_t>(at) * bytes, bytes);
}

int PioFile::put(const Arrays& arrays, Again again) {
  int code = 0;
  Decomposition* const held = decomposition_of(arrays.decomposition);
  if (held != nullptr && reason_ == Reason::none && is_refused(arrays, *held)) return again();
  if (held == nullptr) warn_of_freed(*system_, arrays.decomposition, name_.given);
  const Reason reason = held == nullptr ? Reason::unusual : try_to_put(arrays, *held, code);
  if (reason == Reason::none || reason == Reason::failed) return code;
  counts().pass(reason);
  if (reason_ != Reason::none) return again();
  if (code = look(Then::reads); code != 0) return code;
  code = again();
  return code != 0 || defining_ ? code : WEIR_PIO(PIOc_sync)(number_);
}

int PioFile::put_values(const Values& values, Again again) {
  waiting_.insert(values.var);
  return again();
}

int PioFile::put_record(const Arrays&, int, Again again) {
  const int trouble = look(Then::reads);
  return trouble != 0 ? trouble : again();
}

int PioFile::look(int& number) {
  number = number_;
  return look(Then::reads);
}

// What PIO holds is written. Where it holds nothing there is nothing to be done.
int PioFile::sync_original() {
  if (waiting_.empty()) return 0;
  waiting_.clear();
  return WEIR_PIO(PIOc_sync)(number_);
}

int PioFile::look(Then then) {
  if (carrier_ == nullptr || reason_ != Reason::none) return 0;
  const Status status = then == Then::reads ? carrier_->library_file().land(carrier_->stores())
                                            : carrier_->library_file().detach(carrier_->stores());
  if (!status.ok()) return fail(status);
  carrier_->library_file().shorten();
  const int code = sync_original();
  return code != 0 ? code : tell();
}

int PioFile::sync() {
  if (carrier_ == nullptr || reason_ != Reason::none) return WEIR_PIO(PIOc_sync)(number_);
  if (const Status status = carrier_->library_file().land(carrier_->stores()); !status.ok()) return fail(status);
  const int code = sync_original();
  const int raised = raise_count(code);
  return code != 0 ? code : raised;
}

int PioFile::close(Again original) {
  const bool carries = carrier_ != nullptr && reason_ == Reason::none;
  const Status status = carries ? carrier_->library_file().detach(carrier_->stores()) : Status{};
  if (carries && status.ok()) carrier_->library_file().shorten();
  const int trouble = status.ok() ? 0 : fail(status);
  const int code = original();
  if (trouble != 0 || !carries) return trouble != 0 ? trouble : code;
  const int raised = raise_count(code);
  return code != 0 ? code : raised;
}

// In the header, by the rank whose PnetCDF writes it, where PIO's call before has gone well there: PIO itself need not
// know yet. Collective, also where that call ended in a `code` on some ranks alone.
int PioFile::raise_count(int code) {
  if (carrier_->records() == 0) return 0;
  Status here;
  if (code == 0 && comm().rank() == system_->io_root)
    here = raise_record_count(name_.path, carrier_->format(), carrier_->records());
  const std::string call = "the record count of " + name_.given;
  const Point point{AgreementPoint::pio_record_count, mix(0, name_.path), call, nullptr};
  const Status status = agree(comm(), point, here, system_->group->deadline());
  return status.ok() ? 0 : fail(status);
}

// Records that PIO knows of; the program may have put more of them in its own way.
std::int64_t PioFile::told_records() {
  MPI_Offset records = 0;
  const int dim = carrier_->schema().record_dimension();
  if (dim < 0 || WEIR_PIO(PIOc_inq_dimlen)(number_, dim, &records) != 0) return 0;
  carrier_->learn_records(records);
  return records;
}

// PIO counts records by what it writes itself: one value of the last one, once more.
int PioFile::tell() {
  if (mark_.var < 0 || told_records() >= carrier_->records()) return 0;
  std::int64_t words[] = {mark_.element, 0};
  std::memcpy(&words[1], &mark_.value, sizeof mark_.value);
  broadcast(comm(), words, mark_.holder, system_->group->deadline(), "the record count of " + name_.given);
  double value = 0;
  std::memcpy(&value, &words[1], sizeof value);
  const Shape shape = carrier_->schema().shape(mark_.var);
  std::vector<MPI_Offset> start(shape.size() + 1, 0);
  start[0] = mark_.record;
  std::int64_t rest = words[0];
  for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) start[d + 1] = rest % shape[d];
  const int code = put_one(number_, mark_.var, start, mark_.type, value);
  return code != 0 ? code : WEIR_PIO(PIOc_sync)(number_);
}

}  // namespace weir::bridge
