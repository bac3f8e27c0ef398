// SPDX-License-Identifier: Apache-2.0
#include "pio/packed_file.hpp"

#include <pnetcdf.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "core/codes.hpp"
#include "core/packed_start.hpp"
#include "formats/definition.hpp"
#include "pio/original_calls.hpp"

namespace weir::bridge {

namespace {

// In memory, by a name that no file can have: HDF5 looks whether there is one. Each has another name.
std::string name_of_shadow() {
  static int made = 0;
  return formatted("/dev/null/weir_{}", ++made);
}

DefinedFile packed(Schema schema) {
  DefinedFile defined;
  defined.geometry.format = netcdf4_format;
  defined.schema = std::move(schema);
  return defined;
}

bool is_netcdf4(int iotype) {
  return iotype == PIO_IOTYPE_NETCDF4P || iotype == PIO_IOTYPE_NETCDF4C;
}

// As weir_create takes it.
int mode_of(const Creation& creation) {
  if (is_netcdf4(creation.iotype)) return WEIR_NETCDF4;
  return (creation.mode & NC_64BIT_DATA) != 0     ? WEIR_CDF5
         : (creation.mode & NC_64BIT_OFFSET) != 0 ? WEIR_CDF2
                                                  : WEIR_CDF1;
}

}  // namespace

PackedPioFile::PackedPioFile(int number, int system_number, std::shared_ptr<System> system, FileName name,
                             bool classic_model)
    : WrittenFile(number, std::move(system), std::move(name)),
      system_number_(system_number),
      classic_model_(classic_model) {}

PackedPioFile* called_packed_file(int number) noexcept {
  return dynamic_cast<PackedPioFile*>(called_file(number));
}

// ---- What is refused
// -------------------------------------------------------------------------------------------------

int PackedPioFile::refuse(const std::string& why) {
  if (comm().rank() == 0) system_->group->process().say(name_.given + ": " + why);
  counts().pass(Reason::packed);
  return end_with(not_supported_code);
}

// ---- Definitions
// -----------------------------------------------------------------------------------------------------

void PackedPioFile::set_chunk(int var, const MPI_Offset* lengths) {
  std::vector<std::int64_t>& chunk = storage_options_[var].storage.chunk;
  chunk.clear();
  int ndims = 0;
  if (lengths == nullptr || WEIR_PIO(PIOc_inq_varndims)(number_, var, &ndims) != 0 || ndims == 0) return;
  chunk.assign(lengths, lengths + ndims);
}

// Weir has the definitions as PIO has them now. Collective; alike on all ranks.
int PackedPioFile::start() {
  if (file_writer_ && file_writer_->made_file().written() != nullptr && !redefined_) return 0;
  Schema schema;
  try {
    schema = packed_schema_of(number_, storage_options_, classic_model_);
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
  redefined_ = false;
  changed_ = true;
  if (!file_writer_) return begin(std::move(schema));
  close_reader();  // HDF5 would show Weir the file as PIO has it open in this process
  file_writer_->learn(packed(std::move(schema)));
  const Status status = file_writer_->made_file().make();
  return status.ok() ? 0 : fail(status);
}

int PackedPioFile::begin(Schema schema) {
  RankGroup::Decision decision = system_->group->decide_packed(name_.given, Reason::none, 0);
  if (decision.reason != Reason::none) return refuse("Weir could not start to write it");
  file_writer_ = std::make_unique<FileWriter>(system_->group, std::move(decision), name_, nullptr);
  file_writer_->counts().add(own_counts_);
  file_writer_->learn(packed(std::move(schema)));
  const Status status = file_writer_->made_file().make();
  return status.ok() ? 0 : fail(status);
}

// ---- Puts
// ------------------------------------------------------------------------------------------------------------

// False: PIO has its own way with such a variable, decomposition, record or fill value.
bool PackedPioFile::takes(const Arrays& arrays, std::size_t i, const Decomposition& held) {
  const int var = arrays.vars[i];
  const Schema& schema = file_writer_->schema();
  if (var < 0 || var >= std::ssize(schema.variables())) return false;
  const Type type = schema.variable(var).type;
  if ((type == WEIR_CHAR) != (held.type == WEIR_CHAR) || !has_shape(schema, var, held.shape)) return false;
  if (schema.is_record(var) && frame_of(arrays, i) < 0) return false;
  if (arrays.fill_values == nullptr) return true;
  const auto at = static_cast<std::ptrdiff_t>(i) * type_bytes(held.type);
  if (is_own_fill(schema, var, static_cast<const std::byte*>(arrays.fill_values) + at)) return true;
  if (arrays.fills == Arrays::Fills::compared) return !fills_missing(var);
  return held.complete;
}

// Why not, where it is PIO's.
Reason PackedPioFile::try_to_put(const Arrays& arrays, Decomposition& held, int& code) {
  if (const Reason reason = survey(held, code); reason != Reason::none) return reason;
  if (held.overlaps) return Reason::overlap;
  for (std::size_t i = 0; i < arrays.vars.size(); ++i)
    if (!takes(arrays, i, held)) return Reason::unusual;
  int layout = -1;
  if (const Reason reason = layout_of(held, layout, code); reason != Reason::none) return reason;
  const auto* values = static_cast<const std::byte*>(arrays.values);
  for (std::size_t i = 0; i < arrays.vars.size(); ++i) {
    const int var = arrays.vars[i];
    const std::int64_t record = file_writer_->schema().is_record(var) ? frame_of(arrays, i) : 0;
    const Outcome outcome = file_writer_->put_placed(var, record, layout, held.type, values);
    if (!outcome.problem.ok()) return code = fail(outcome.problem), Reason::failed;
    held.overlaps = outcome.reason == Reason::overlap;
    if (held.overlaps) return Reason::overlap;
    if (outcome.out_of_range > 0) code = NC_ERANGE;
    ++counts().taken_over;
    counts().bytes_taken_over += std::ssize(held.map) * type_bytes(file_writer_->schema().variable(var).type);
    values += arrays.elements * type_bytes(held.type);
  }
  return Reason::none;
}

int PackedPioFile::put(const Arrays& arrays, LibraryCall library_call) {
  Decomposition* const held = decomposition_of(arrays.decomposition);
  if (held == nullptr) warn_of_freed(*system_, arrays.decomposition, name_.given);
  if (held != nullptr && is_refused(arrays, *held)) return library_call();
  int code = start();
  if (code != 0) return code;
  close_reader();
  changed_ = true;
  const bool known = held != nullptr && held->system == system_;
  const Reason reason = known ? try_to_put(arrays, *held, code) : Reason::unusual;
  if (reason == Reason::none || reason == Reason::failed) return code;
  counts().pass(reason);
  return put_by_original(arrays, library_call);
}

// PIO puts the arrays into its definition shadow, as it has it, or refuses them; from there their records go to Weir.
int PackedPioFile::put_by_original(const Arrays& arrays, LibraryCall library_call) {
  int code = library_call();
  if (code == 0) code = WEIR_PIO(PIOc_sync)(number_);
  for (std::size_t i = 0; i < arrays.vars.size() && code == 0; ++i)
    code = take_over(arrays.vars[i], frame_of(arrays, i));
  return code;
}

int PackedPioFile::take_over(int var, std::int64_t frame) {
  const Schema& schema = file_writer_->schema();
  const Type type = schema.variable(var).type;
  Shape start, count = schema.shape(var);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(schema.elements(var), type_bytes(type), &bytes) ||
      bytes > file_writer_->running()->weir->config().buffer_limit_bytes)
    return refuse(
        "an array that only PIO can rearrange is larger than buffer_limit; raise buffer_limit, or let only one rank "
        "hold each element");
  if (schema.is_record(var)) {
    start.push_back(std::max<std::int64_t>(frame, 0));
    count.insert(count.begin(), 1);
  }
  start.resize(count.size(), 0);
  std::vector<std::byte> values(static_cast<std::size_t>(bytes) + 1);
  const std::vector<MPI_Offset> from(start.begin(), start.end()), of(count.begin(), count.end());
  const int code = WEIR_PIO(PIOc_get_vara)(number_, var, from.data(), of.data(), values.data());
  return code != 0 ? code : carry({var, type, {{start, count, {}}}, values.data()});
}

int PackedPioFile::put_record(const Arrays& array, int type, LibraryCall library_call) {
  const Decomposition* const held = decomposition_of(array.decomposition);
  set_frame(array.vars[0], array.frames[0]);
  if (held != nullptr && (type == 0 || type == held->type))
    return put({array.vars, array.decomposition, std::ssize(held->map), array.values}, library_call);
  if (const int code = start(); code != 0) return code;
  close_reader();
  changed_ = true;
  counts().pass(Reason::conversion);
  return put_by_original(array, library_call);
}

// What NULL means, and what the forms leave out. `records`: that the file has now.
Slab PackedPioFile::slab_of(const Values& values, std::int64_t records) const {
  const Schema& schema = file_writer_->schema();
  Shape whole = schema.shape(values.var);
  if (schema.is_record(values.var)) whole.insert(whole.begin(), records);
  const auto ndims = static_cast<std::ptrdiff_t>(whole.size());
  Slab slab{Shape(whole.size(), 0), whole, {}};
  if (values.start != nullptr && values.form != Values::Form::whole)
    slab.start.assign(values.start, values.start + ndims);
  if (values.form == Values::Form::one) slab.count.assign(whole.size(), 1);
  if (values.form == Values::Form::box && values.count != nullptr)
    slab.count.assign(values.count, values.count + ndims);
  if (values.stride != nullptr) slab.stride.assign(values.stride, values.stride + ndims);
  return slab;
}

// PIO says whether the call is right, and keeps the values for its own inquiries; Weir then writes them.
int PackedPioFile::put_values(const Values& values, LibraryCall library_call) {
  const int verdict = library_call();
  if (verdict != 0 && verdict != NC_ERANGE) return verdict;
  if (const int code = start(); code != 0) return code;
  close_reader();
  const Schema& schema = file_writer_->schema();
  std::int64_t records = file_writer_->records();
  if (schema.is_record(values.var) && values.form == Values::Form::whole) {
    MPI_Offset told = 0;
    WEIR_PIO(PIOc_inq_dimlen)(number_, schema.record_dimension(), &told);
    records = std::max<std::int64_t>(records, told);
  }
  const Slab slab = slab_of(values, records);
  const Type type = values.type == 0 ? schema.variable(values.var).type : static_cast<Type>(values.type);
  changed_ = true;
  if (const int code = carry({values.var, type, {slab}, values.values}); code != 0) return code;
  ++counts().taken_over;
  return verdict;
}

// The first I/O task's, as in PIO.
int PackedPioFile::carry(const LocalSlabs& part) {
  const Slab& slab = part.slabs.front();
  std::int64_t records = 0;
  if (file_writer_->schema().is_record(part.var) && slab.elements() > 0)
    records = slab.start[0] + (slab.count[0] - 1) * (slab.stride.empty() ? 1 : slab.stride[0]) + 1;
  const bool mine = comm().rank() == system_->io_root;
  const Outcome outcome = file_writer_->put(std::span(&part, mine ? 1 : 0), records);
  if (!outcome.problem.ok()) return fail(outcome.problem);
  return outcome.reason == Reason::none ? 0 : refuse("Weir could not write its values");
}

// ---- Gets, commits, the end
// ------------------------------------------------------------------------------------------

void PackedPioFile::close_reader() {
  if (reader_ >= 0) static_cast<void>(WEIR_PIO(PIOc_closefile)(std::exchange(reader_, -1)));
}

int PackedPioFile::commit() {
  if (const int code = start(); code != 0) return code;
  if (committed_ && !changed_) return 0;
  close_reader();
  if (const Status status = file_writer_->made_file().commit(); !status.ok()) return fail(status);
  committed_ = true;
  changed_ = false;
  return 0;
}

int PackedPioFile::look(int& number) {
  if (const int code = commit(); code != 0) return code;
  int iotype = is_classic() ? PIO_IOTYPE_NETCDF : PIO_IOTYPE_NETCDF4C;
  if (reader_ < 0)
    if (const int code = WEIR_PIO(PIOc_openfile)(system_number_, &reader_, &iotype, name_.path.c_str(), NC_NOWRITE);
        code != 0)
      return code;
  for (const auto& [var, frame] : frames_)
    if (frame >= 0) WEIR_PIO(PIOc_setframe)(reader_, var, frame);
  number = reader_;
  return 0;
}

int PackedPioFile::sync() {
  const int code = WEIR_PIO(PIOc_sync)(number_);
  return code != 0 ? code : commit();
}

int PackedPioFile::close(LibraryCall original) {
  int code = start();
  close_reader();
  if (file_writer_)
    if (const Status status = file_writer_->made_file().finish(); !status.ok() && code == 0) code = fail(status);
  const int closed = original();
  return code != 0 ? code : closed;
}

// ---- How it begins
// ---------------------------------------------------------------------------------------------------

bool create_packed(const Creation& creation, int* file, int& code, Reason& reason) {
  constexpr int other_ways = NC_DISKLESS | NC_MMAP;
  const std::shared_ptr<System> system = shared_system(creation.system);
  if (system == nullptr || creation.name == nullptr || file == nullptr) return false;
  const bool is_classic = creation.iotype == PIO_IOTYPE_PNETCDF || creation.iotype == PIO_IOTYPE_NETCDF;
  if (!is_netcdf4(creation.iotype) && (!is_classic || !system->group->makes(creation.name))) return false;
  const Reason of_classic = reason;
  if (!is_classic) reason = Reason::format;
  if (library() != Library::pio || (creation.mode & other_ways) != 0 ||
      WEIR_PIO(PIOc_iotype_available)(PIO_IOTYPE_NETCDF4C) == 0)
    return false;
  const Reason here = is_classic || why_no_netcdf4().empty() ? Reason::none : Reason::library;
  reason = system->group->decide(creation.name, here, 0).reason;
  if (reason == Reason::library) tell_why_no_netcdf4(*system->group, "PIO");
  if (reason != Reason::none) return false;
  reason = is_classic ? of_classic : Reason::unusual;  // PIO then says what is wrong
  if (code_of_creation(creation.name, (creation.mode & NC_NOCLOBBER) != 0, *system->group) != 0) return false;
  int iotype = PIO_IOTYPE_NETCDF4C;
  const bool has_classic_types = is_classic && (creation.mode & NC_64BIT_DATA) == 0;
  const int mode = (has_classic_types ? NC_CLASSIC_MODEL : creation.mode & NC_CLASSIC_MODEL) | NC_DISKLESS;
  code = WEIR_PIO(PIOc_createfile)(creation.system, file, &iotype, name_of_shadow().c_str(), mode);
  if (code != 0) return true;
  FileName names{creation.name,  absolute_path(creation.name), {}, WEIR_NOFILL, "in memory", mode_of(creation), false,
                 Infinities::fit};
  numbered<WrittenFile>().add(*file,
                              std::make_unique<PackedPioFile>(*file, creation.system, system, std::move(names),
                                                              !is_classic && (creation.mode & NC_CLASSIC_MODEL) != 0));
  return true;
}

}  // namespace weir::bridge
