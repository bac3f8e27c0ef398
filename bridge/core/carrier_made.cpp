// SPDX-License-Identifier: Apache-2.0
// Of a file that Weir makes: how it begins, what becomes of records that come in pieces, and its commits.
#include <algorithm>
#include <utility>

#include "base/spelling.hpp"
#include "core/carrier.hpp"
#include "mpi/agree.hpp"
#include "rearrange/copy.hpp"

namespace weir::bridge {

namespace {

void define_all(File& file, const Schema& schema) {
  file.definitions().define([&](Schema& made) { made = schema; });
}

// A file that could not be made: closing it tells once more why.
void discard(Instance& weir, File& file) {
  try {
    weir.close(file);
  } catch (const Error&) {
    return;
  }
}

// Values as the file has them, in native order: of those that do not fit the fill value.
std::int64_t convert(const Share& share, const void* values, Type external, const ExternalValue& fill,
                     std::vector<std::byte>& converted) {
  const std::int64_t elements = share.elements();
  const auto bytes = static_cast<std::size_t>(elements * type_bytes(external));
  std::vector<std::byte> encoded(bytes);
  converted.resize(bytes);
  CopyProgram program;
  program.runs.push_back({0, 0, elements});
  const RangeFailure failure = encode(program, values, share.type, encoded.data(), external, fill);
  static_cast<void>(decode(program, encoded.data(), external, converted.data(), external));
  return failure.count;
}

std::string in_words(const Schema& schema, const RecordPieces::Where& where) {
  const std::string name = in_quotes(schema.variable(where.first).name);
  return schema.is_record(where.first) ? "record " + std::to_string(where.second) + " of " + name : name;
}

}  // namespace

// Collective, and the same on all ranks, whether it is made already or not.
Status Carrier::make() {
  if (file_ != nullptr) return {};
  return guarded([&] {
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
  });
}

// Collective at first.
const Carrier::Holding& Carrier::holding(int layout, const Share* share) {
  if (const auto known = holdings_.find(layout); known != holdings_.end()) return known->second;
  std::int64_t mine[] = {0, running_->weir->layouts().at(layout).elements_held()};
  if (share != nullptr) {
    std::uint64_t sum = 1;
    for (const std::int64_t word : share->part) sum = mix(sum, static_cast<std::uint64_t>(word));
    mine[0] = static_cast<std::int64_t>(sum >> 1) | 1;
  }
  const auto all = allgather(running_->weir->comm(), std::span(std::as_const(mine)),
                             running_->weir->pipeline().deadline(), "put into " + name_.path);
  Holding found{0, 0, share != nullptr};
  std::map<std::int64_t, std::int64_t> parts;
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    found.elements += all[i + 1];
    std::int64_t& most = parts[all[i]];
    most = std::max(most, all[i + 1]);
    if (all[i] == mine[0] && i < 2 * static_cast<std::size_t>(running_->weir->comm().rank())) found.mine = false;
  }
  for (const auto& [part, elements] : parts) found.once += elements;
  return holdings_[layout] = found;
}

// A record that a call covers is put by it. Where ranks hold the same elements, each part is taken once.
Outcome Carrier::carry_made(const Key& key, int layout, const Share* share) {
  const RecordPieces::Where where{key.var, key.record};
  const std::int64_t wanted = file_->schema().elements(key.var);
  const Holding& all = holding(layout, share);
  Outcome outcome;
  if (all.once > wanted) return {Reason::overlap, 0, {}};
  if (all.once < wanted) {
    require(!pieces_.is_whole(where), WEIR_ESTATE,
            name_.path + ": a part of " + in_words(file_->schema(), where) +
                " is put again, and a file that is packed in chunks takes it whole: put all of it");
    return keep(where, all.mine ? share : nullptr);
  }
  if (all.elements > wanted) {
    const std::span<const Slab> slabs = share ? std::span<const Slab>(share->slabs) : std::span<const Slab>();
    layout = running_->layouts.define_once_each(shape_of(file_->schema(), key.var), slabs);
  }
  pieces_.drop(where);
  if (!try_carry(key, layout, share, outcome)) return {Reason::overlap, 0, {}};
  pieces_.mark_whole(where);
  return outcome;
}

// What ranks put now replaces what others have kept of it. Collective; false where some of that is kept otherwise.
bool Carrier::make_way(const RecordPieces::Where& where, const Share* share) {
  const Schema& schema = file_->schema();
  const std::size_t ndims = shape_of(schema, where.first).size(), words = 1 + 3 * ndims;
  const std::int64_t rank = running_->weir->comm().rank();
  std::vector<std::int64_t> mine;
  for (const Slab& slab : share ? std::span<const Slab>(share->slabs) : std::span<const Slab>()) {
    mine.push_back(rank);
    mine.insert(mine.end(), slab.start.begin(), slab.start.end());
    mine.insert(mine.end(), slab.count.begin(), slab.count.end());
    if (slab.stride.empty()) mine.insert(mine.end(), ndims, 1);
    mine.insert(mine.end(), slab.stride.begin(), slab.stride.end());
  }
  const auto all =
      allgather(running_->weir->comm(), mine, running_->weir->pipeline().deadline(), "put into " + name_.path);
  bool apart = true;
  for (auto at = all.begin(); at != all.end(); at += static_cast<std::ptrdiff_t>(words)) {
    if (*at == rank) continue;
    const auto part = [&](std::size_t n) {
      const auto first = at + 1 + static_cast<std::ptrdiff_t>(n * ndims);
      return Shape(first, first + static_cast<std::ptrdiff_t>(ndims));
    };
    Slab slab{part(0), part(1), part(2)};
    if (std::all_of(slab.stride.begin(), slab.stride.end(), [](std::int64_t step) { return step == 1; }))
      slab.stride.clear();
    apart = pieces_.yield(where, slab, type_bytes(schema.variable(where.first).type)) && apart;
  }
  return apart;
}

Outcome Carrier::keep(const RecordPieces::Where& where, const Share* share) {
  const Schema& schema = file_->schema();
  const Type external = schema.variable(where.first).type;
  const std::span<const Slab> slabs = share ? std::span<const Slab>(share->slabs) : std::span<const Slab>();
  Outcome outcome;
  std::vector<std::byte> values;
  if (share != nullptr)
    outcome.out_of_range = convert(*share, share->values(room_), external, schema.fill_value(where.first), values);
  const bool apart = make_way(where, share) && pieces_.add(where, slabs, values, type_bytes(external));
  std::int64_t all[] = {pieces_.elements(where), apart ? 0 : 1,
                        pieces_.bytes() > running_->weir->config().buffer_limit_bytes ? 1 : 0};
  allreduce_sum(running_->weir->comm(), all, running_->weir->pipeline().deadline(), "put into " + name_.path);
  const std::int64_t wanted = schema.elements(where.first);
  require(all[1] == 0 && all[0] <= wanted, WEIR_EOVERLAP,
          name_.path + ": parts of " + in_words(schema, where) +
              " overlap others that were put before and are not the same; put each element once");
  require(all[2] == 0, WEIR_EMEMORY,
          name_.path +
              ": more than buffer_limit waits of records that were put in part; raise buffer_limit, or put "
              "a record in one call");
  if (all[0] < wanted) return outcome;
  put_pieces(where);
  pieces_.drop(where);
  pieces_.mark_whole(where);
  return outcome;
}

// What nobody holds of it is filled.
void Carrier::put_pieces(const RecordPieces::Where& where) {
  const auto& [slabs, values] = pieces_.at(where);
  const Shape shape = shape_of(file_->schema(), where.first);
  const Type external = file_->schema().variable(where.first).type;
  const Key key{where.second, where.first, 0};
  std::vector<Share> mine;
  if (!slabs.empty()) mine.push_back({key, external, slabs, {values}, LayoutBook::part(shape, slabs)});
  auto layout = static_cast<int>(layouts_of_all(std::span(&key, 1), mine).front());
  if (layout < 0) layout = running_->layouts.define(shape, slabs);
  static_cast<void>(file_->puts().carry(key.var, key.record, layout, external, values.data()));
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
  for (const RecordPieces::Where& where : pieces_.all()) put_pieces(where);
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
