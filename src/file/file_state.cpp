// SPDX-License-Identifier: Apache-2.0
#include "file/file_state.hpp"

#include "base/text.hpp"
#include "formats/chunked/chunk_map.hpp"
#include "formats/classic/visible.hpp"
#include "storage/filesystem.hpp"

namespace weir {

FileState::FileState(const Context& shared, int serial, const std::string& path)
    : context(shared), history(file.schema) {
  file.serial = serial;
  file.path = without_last_slashes(path);
  names_a_folder = file.path.size() < path.size();
  file.counting = context.layouts.counting();
}

Status FileState::folder_problem() const {
  return {WEIR_EARGUMENT,
          formatted("{}/ ends with a slash, which only the name of a Zarr folder may; remove it, or use WEIR_ZARR",
                    file.path),
          Scope::of(file.serial)};
}

Status FileState::resolve() try {
  require(!file.path.empty(), WEIR_EARGUMENT, "a file needs a path");
  file.resolved = context.pipeline.storage().get([path = file.path] { return resolved_path(path); },
                                                 formatted("following {}", file.path));
  return {};
} catch (const Error& error) {
  return {error.code(), error.what(), Scope::of(file.serial)};
}

const Geometry& FileState::geometry() const noexcept {
  return file.output ? file.output->geometry() : found.geometry;
}

const FileIdentity& FileState::identity() const noexcept {
  return file.output ? file.output->identity() : found.identity;
}

void FileState::check_failure() const {
  file.failure.raise();
}

int FileState::check_var(int var) const {
  const auto count = static_cast<int>(file.schema.variables().size());
  if (var < 0 || var >= count)
    throw Error(WEIR_EARGUMENT, "{} has no variable number {}: it has {}, counted from {}", file.path,
                file.counting.number(var), count, file.counting.number(0));
  return var;
}

void FileState::check_types(int var, Type memory) const {
  require(type_is_valid(memory), WEIR_EARGUMENT, "{}: {} is not a valid weir_type", file.path, memory);
  const Type external = file.schema.variables()[static_cast<std::size_t>(var)].type;
  if ((memory == WEIR_CHAR) != (external == WEIR_CHAR))
    throw Error(WEIR_EARGUMENT, "{}{} and {} cannot be converted into each other; text converts to text only",
                put_of(var), type_name(memory), type_name(external));
}

void FileState::require_puttable(int var) const {
  const std::string obstacle = file.output->why_not_puttable(var);
  if (!obstacle.empty()) throw Error(WEIR_EFORMAT, put_of(var) + obstacle);
}

void FileState::require_writing(const char* call) {
  check_failure();
  if (phase == FilePhase::writing) return;
  const std::string why =
      phase == FilePhase::defining ? " before weir_enddef" : " into a file opened with WEIR_NOWRITE";
  fail_here(Error(WEIR_ESTATE, "{}: {}{}", file.path, call, why));
}

// What this rank alone has wrong becomes known to all at the next agreement, and the file has then failed for all.
void FileState::fail_here(const Error& error) {
  throw Error(error.code(), fail(error.code(), error.what()), error.where());
}

std::string FileState::fail(Code code, const std::string& sentence) {
  check_failure();
  const bool names_file = sentence.find(file.path) != sentence.npos;
  const std::string message = this_rank() + (names_file ? sentence : file.path + ": " + sentence);
  if (phase == FilePhase::writing)
    context.pipeline.agreement().fall_out_of_sync({code, message});
  else
    refused.merge({code, message, Scope::of(file.serial)});
  return message;
}

std::string FileState::record_in_words(std::int64_t record) const {
  return formatted("record {}", file.counting.number(record));
}

std::string FileState::quoted(int var) const {
  return in_quotes(file.schema.variables()[static_cast<std::size_t>(var)].name);
}

std::string FileState::quoted_if_known(int var) const {
  return var >= 0 && var < std::ssize(file.schema.variables()) ? quoted(var) : "no variable";
}

std::string FileState::put_of(int var) const {
  return formatted("put of {} into {}: ", quoted(var), file.path);
}

std::string FileState::this_rank() const {
  return formatted("rank {}: ", context.comm.number());
}

namespace {

int element_bytes(const FileState& state, int var) {
  return type_bytes(state.file.schema.variables()[static_cast<std::size_t>(var)].type);
}

PlanPlace plan_place_of(const FileState& state, int var, std::int64_t record, const Granule& granule, bool read) {
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
  if (!state.geometry().begin.empty()) key.place = plan_place_of(state, var, record, granule, false);
  return key;
}

PlanKey read_key(const FileState& state, int var, std::int64_t record, int layout) {
  PlanKey key{layout, element_bytes(state, var), WEIR_NOFILL, {}, true};
  const Granule granule = read_granule(state, var);
  if (!state.geometry().begin.empty()) key.place = plan_place_of(state, var, record, granule, true);
  return key;
}

}  // namespace weir
