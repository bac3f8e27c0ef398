// SPDX-License-Identifier: Apache-2.0
// Of a file that Weir makes, or opens: how it begins, what is defined when it has data, and its commits.
#include <algorithm>
#include <utility>

#include "core/carrier.hpp"
#include "mpi/agree.hpp"
#include "write/redefine.hpp"

namespace weir::bridge {

namespace {

void define_all(File& file, const Schema& schema) {
  file.definitions().define([&](Schema& made) { made = schema; });
}

void add_attributes(int var, const Schema& before, const Schema& after, Schema& schema) {
  for (const Attribute& each : after.attributes(var)) {
    const Attribute* const there = before.find_attribute(var, each.name);
    if (there == nullptr || *there != each)
      schema.put_attribute(var, each.name, each.type, each.count, each.values.data());
  }
}

void add_variable(const Variable& variable, Schema& schema) {
  const int var = schema.add_variable(variable.name, variable.type, variable.dims);
  for (const Attribute& each : variable.attributes)
    schema.put_attribute(var, each.name, each.type, each.count, each.values.data());
  const Storage& storage = variable.storage;
  if (!storage.any()) return;
  if (!storage.chunk.empty()) schema.set_chunk(var, storage.chunk);
  schema.set_shuffle(var, storage.shuffle);
  schema.set_deflate(var, storage.deflate_level);
  schema.set_zstd(var, storage.zstd_level);
  schema.set_fletcher32(var, storage.fletcher32);
  schema.set_quantization(var, storage.quantization);
}

// A file's schema, and what `after` has beyond `before`. The file may have more of its own: storage by the
// configuration's rules, and attributes.
Schema extended(Schema schema, const Schema& before, const Schema& after) {
  const auto dims = before.dimensions().size(), vars = before.variables().size();
  for (std::size_t dim = dims; dim < after.dimensions().size(); ++dim)
    schema.add_dimension(after.dimensions()[dim].name, after.dimensions()[dim].length);
  add_attributes(WEIR_GLOBAL, before, after, schema);
  for (std::size_t var = 0; var < after.variables().size(); ++var)
    var < vars ? add_attributes(static_cast<int>(var), before, after, schema)
               : add_variable(after.variables()[var], schema);
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

// A file that could not be made: closing it tells once more why.
void discard(Instance& weir, File& file) {
  try {
    weir.close(file);
  } catch (const Error&) {
    return;
  }
}

}  // namespace

// As the library has defined it by now. Collective, and the same on all ranks.
Status Carrier::make() {
  if (file_ == nullptr) return guarded([&] { name_.is_there ? open_there() : create(); });
  if (!redefined_.ok()) return redefined_;
  return guarded([&] {
    std::int64_t outdated = outdated_ ? 1 : 0;
    allreduce_max(running_->weir->comm(), std::span(&outdated, 1), running_->weir->pipeline().deadline(),
                  "definitions of " + name_.path);
    if (outdated > 0) redefine();
  });
}

void Carrier::create() {
  File& file = running_->weir->create(name_.path, name_.mode);
  try {
    define_all(file, defined_.schema);
    file.definitions().enddef();
  } catch (const Error& error) {
    if (!ends_instance(error.code())) discard(*running_->weir, file);
    throw;
  }
  file.puts().fill_again();
  file_ = &file;
  written_ = defined_.schema;
}

void Carrier::open_there() {
  File& file = running_->weir->open(name_.path, WEIR_WRITE);
  try {
    require_same_numbers(file, defined_.schema);
  } catch (const Error&) {
    discard(*running_->weir, file);
    throw;
  }
  file.puts().fill_again();
  file_ = &file;
  written_ = defined_.schema;
  former_records_ = file.records();
  former_variables_ = static_cast<int>(file.schema().variables().size());
  learn_records(former_records_);
}

// What was put is committed first. A file that cannot have them keeps the definitions that it has; so it does where
// ranks have defined different things, of which enddef tells.
void Carrier::redefine() try {
  const Schema before = file_->schema(), after = extended(before, written_, defined_.schema);
  const auto trouble = redefinition_trouble(before, after);
  require(!trouble, WEIR_ESTATE, [&] { return name_.path + ": " + *trouble; });
  commit_now();
  running_->weir->redef(*file_);
  define_all(*file_, after);
  file_->definitions().enddef();
  written_ = defined_.schema;
  outdated_ = false;
} catch (const Error& error) {
  redefined_ = {error.code(), error.what(), -1};
  throw;
}

// Records that were counted without values: the last one is put, of fill values.
void Carrier::count_records() {
  const Schema& schema = file_->schema();
  for (int var = 0; var < std::ssize(schema.variables()) && file_->records() < records_; ++var) {
    if (!schema.is_record(var)) continue;
    const int none = running_->layouts.define(shape_of(schema, var), {});
    static_cast<void>(file_->puts().carry(var, records_ - 1, none, schema.variable(var).type, nullptr));
  }
}

void Carrier::commit_now() {
  std::vector<RecordPieces::Where> parts;
  for (const RecordPieces::Where& where : pieces_.all())
    if (has_values(where))
      parts.push_back(where);
    else
      put_pieces(where);
  if (!parts.empty()) merge(parts);
  count_records();
}

Status Carrier::commit() {
  Status status = make();
  if (status.ok())
    status = guarded([&] {
      commit_now();
      running_->weir->sync(*file_);
    });
  if (status.ok()) afloat_ = false;
  return status;
}

Status Carrier::finish() {
  Status status = make();
  if (file_ == nullptr) return status;
  status.merge(guarded([&] { commit_now(); }));
  File& file = *std::exchange(file_, nullptr);
  status.merge(guarded([&] { running_->weir->close(file); }));
  afloat_ = false;
  return status;
}

}  // namespace weir::bridge
