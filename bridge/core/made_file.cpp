// SPDX-License-Identifier: Apache-2.0
#include "core/made_file.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "core/definition_agreement.hpp"
#include "formats/classic/redefine.hpp"
#include "mpi/agree.hpp"
#include "schema/schema.hpp"

namespace weir::bridge {

namespace {

void define_all(File& file, const Schema& schema) {
  file.definitions().define([&](Schema& made) { made = schema; });
}

void put_new_attributes(int var, const Schema& before, const Schema& after, Schema& schema) {
  for (const Attribute& each : after.attributes(var)) {
    const Attribute* const there = before.find_attribute(var, each.name);
    if (there == nullptr || *there != each) put_attribute(schema, var, each);
  }
}

void add_variable(const Variable& variable, Schema& schema) {
  const int var = schema.add_variable(Name::stored(variable.name), variable.type, variable.dims);
  put_attributes(schema, var, variable.attributes);
  if (variable.storage.any()) schema.set_storage(var, variable.storage);
}

// A file's schema, and what `after` has beyond `before`. The file may have more of its own: storage by the
// configuration's rules, and attributes.
Schema extended(Schema schema, const Schema& before, const Schema& after) {
  const auto dims = before.dimensions().size(), vars = before.variables().size();
  for (std::size_t dim = dims; dim < after.dimensions().size(); ++dim)
    schema.add_dimension(Name::stored(after.dimensions()[dim].name), after.dimensions()[dim].length);
  put_new_attributes(WEIR_GLOBAL, before, after, schema);
  for (std::size_t var = 0; var < after.variables().size(); ++var)
    var < vars ? put_new_attributes(static_cast<int>(var), before, after, schema)
               : add_variable(after.variables()[var], schema);
  if (!after.attaches_scales()) schema.leave_scales_unattached();
  return schema;
}

// Weir knows what the library has by the same numbers.
void require_same_numbers(const File& file, const Schema& wanted) {
  const auto same = [](const auto& one, const auto& other) { return one.name == other.name; };
  const std::vector<Variable>&vars = file.schema().variables(), &wanted_vars = wanted.variables();
  const std::vector<Dimension>&dims = file.schema().dimensions(), &wanted_dims = wanted.dimensions();
  std::string why;
  for (const Variable& variable : wanted_vars)
    if (why.empty()) why = why_left_out(file, variable.name);
  require(std::equal(vars.begin(), vars.end(), wanted_vars.begin(), wanted_vars.end(), same) &&
              std::equal(dims.begin(), dims.end(), wanted_dims.begin(), wanted_dims.end(), same),
          WEIR_EFORMAT, why.empty() ? "it has dimensions that Weir does not take" : why);
}

// A file that could not be made, or that the library goes on with: closing it tells once more why.
void discard(Instance& weir, File& file) {
  try {
    file.leave_no_marker();
    weir.files().close(file);
  } catch (const Error&) {
    return;
  }
}

}  // namespace

Status MadeFile::ready() {
  return writer_state_.file == nullptr ? make() : problem_;
}

Status MadeFile::make() {
  if (writer_state_.file == nullptr)
    return writer_state_.guarded([&] { writer_state_.name.is_there ? open_there() : create(); });
  if (!problem_.ok()) return problem_;
  return writer_state_.guarded([&] {
    std::int64_t outdated = outdated_ ? 1 : 0;
    allreduce_max(writer_state_.comm(), std::span(&outdated, 1), writer_state_.deadline(),
                  formatted("definitions of {}", writer_state_.name.path));
    if (outdated > 0) redefine();
  });
}

// The library's definitions become those of all ranks. Collective; throws Error where they cannot.
void MadeFile::agree() {
  Schema agreed = agreed_definitions(*writer_state_.group, writer_state_.name.given, writer_state_.defined.schema);
  told_ = std::exchange(writer_state_.defined.schema, std::move(agreed));
}

void MadeFile::create() {
  agree();
  File& file = writer_state_.weir().files().create(writer_state_.name.path, writer_state_.name.mode);
  try {
    define_all(file, writer_state_.defined.schema);
    file.definitions().enddef();
  } catch (const Error& error) {
    if (!ends_instance(error.code())) discard(writer_state_.weir(), file);
    throw;
  }
  take(file);
}

void MadeFile::take(File& file) {
  file.puts().fill_again();
  writer_state_.file = &file;
  writer_state_.group->process().end_before_hdf5();
  file.puts().set_infinities(writer_state_.name.infinities);
  written_ = writer_state_.defined.schema;
}

void MadeFile::open_there() {
  File& file = writer_state_.weir().files().open(writer_state_.name.path, WEIR_WRITE);
  try {
    require_same_numbers(file, writer_state_.defined.schema);
  } catch (const Error&) {
    discard(writer_state_.weir(), file);
    throw;
  }
  take(file);
  told_ = written_;
  records_.begin_with(file.records(), static_cast<int>(file.schema().variables().size()));
  writer_state_.learn_records(file.records());
}

// What was put is committed first. A file that cannot have them keeps the definitions that it has; so it does where
// ranks have defined different things.
void MadeFile::redefine() try {
  agree();
  outdated_ = false;
  if (writer_state_.defined.schema == written_) return;  // a rank other than rank 0 has changed an attribute alone
  const Schema before = writer_state_.file->schema(), after = extended(before, written_, writer_state_.defined.schema);
  const auto problem = redefinition_problem(before, after);
  if (problem) throw Error(WEIR_ESTATE, "{}: {}", writer_state_.name.path, *problem);
  commit_now();
  writer_state_.weir().files().redef(*writer_state_.file);
  define_all(*writer_state_.file, after);
  writer_state_.file->definitions().enddef();
  written_ = writer_state_.defined.schema;
} catch (const Error& error) {
  problem_ = {error.code(), error.what()};
  throw;
}

// Records that were counted without values: the last one is put, of fill values.
void MadeFile::count_records() {
  const Schema& schema = writer_state_.file->schema();
  for (int var = 0; var < std::ssize(schema.variables()) && writer_state_.file->records() < writer_state_.records;
       ++var) {
    if (!schema.is_record(var) || writer_state_.file->puts().drops(var)) continue;
    const int none = writer_state_.layouts().define(shape_of(schema, var), {});
    static_cast<void>(
        writer_state_.file->puts().carry(var, writer_state_.records - 1, none, schema.variable(var).type, nullptr));
  }
}

void MadeFile::commit_now() {
  records_.put_all();
  count_records();
}

Status MadeFile::commit() {
  Status status = make();
  if (status.ok())
    status = writer_state_.guarded([&] {
      commit_now();
      writer_state_.weir().files().sync(*writer_state_.file);
    });
  if (status.ok()) writer_state_.has_unflushed_puts = false;
  return status;
}

Status MadeFile::finish() {
  Status status = make();
  if (writer_state_.file == nullptr) return status;
  status.merge(writer_state_.guarded([&] { commit_now(); }));
  File& file = *std::exchange(writer_state_.file, nullptr);
  status.merge(writer_state_.guarded([&] { writer_state_.weir().files().close(file); }));
  writer_state_.has_unflushed_puts = false;
  return status;
}

}  // namespace weir::bridge
