// SPDX-License-Identifier: Apache-2.0
#include "core/partial_records.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "core/put_agreement.hpp"
#include "core/uncovered.hpp"
#include "mpi/agree.hpp"
#include "rearrange/copy.hpp"

namespace weir::bridge {

namespace {

// Values as the file has them, in native order: of those that do not fit the fill value.
std::int64_t convert(const Share& share, WriterState& writer_state, Type external, const ExternalValue& fill,
                     std::vector<std::byte>& converted) {
  const void* const values = share.values(writer_state.room);
  const std::int64_t elements = share.elements();
  const auto bytes = static_cast<std::size_t>(elements * type_bytes(external));
  std::vector<std::byte> encoded(bytes);
  converted.resize(bytes);
  CopyProgram program;
  program.runs.push_back({0, 0, elements});
  const RangeFailure failure = encode(program, values, share.type, encoded.data(), external, fill, StoreHint::cached,
                                      writer_state.name.infinities);
  static_cast<void>(decode(program, encoded.data(), external, converted.data(), external));
  return failure.count;
}

// `body` gets where each of its lines along the last dimension begins.
template <class Body>
void for_each_line(const Slab& box, Body body) {
  Shape at = box.start;
  for (bool more = true; more;) {
    body(std::as_const(at));
    more = false;
    for (std::size_t d = at.size() - 1; d-- > 0 && !more;) {
      more = ++at[d] < box.start[d] + box.count[d];
      if (!more) at[d] = box.start[d];
    }
  }
}

std::string in_words(const Schema& schema, const RecordPieces::Where& where) {
  const std::string name = in_quotes(schema.variable(where.first).name);
  return schema.is_record(where.first) ? formatted("record {} of {}", where.second, name) : name;
}

}  // namespace

// Collective at first.
const PartialRecords::Holding& PartialRecords::holding(int layout, const Share* share) {
  if (const auto known = holdings_.find(layout); known != holdings_.end()) return known->second;
  std::int64_t mine[] = {0, writer_state_.weir().layouts().at(layout).elements_held()};
  if (share != nullptr) {
    std::uint64_t sum = 1;
    for (const std::int64_t word : share->part) sum = mix(sum, static_cast<std::uint64_t>(word));
    mine[0] = static_cast<std::int64_t>(sum >> 1) | 1;
  }
  const auto all = allgather(writer_state_.comm(), std::span(std::as_const(mine)), writer_state_.deadline(),
                             writer_state_.put_words());
  Holding found{0, 0, share != nullptr};
  std::map<std::int64_t, std::int64_t> parts;
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    found.elements += all[i + 1];
    std::int64_t& most = parts[all[i]];
    most = std::max(most, all[i + 1]);
    if (all[i] == mine[0] && i < 2 * static_cast<std::size_t>(writer_state_.comm().rank())) found.mine = false;
  }
  for (const auto& [part, elements] : parts) found.once += elements;
  return holdings_[layout] = found;
}

Outcome PartialRecords::carry(const Key& key, int layout, const Share* share) {
  const RecordPieces::Where where{key.var, key.record};
  const std::int64_t wanted = writer_state_.file->schema().elements(key.var);
  const Holding& all = holding(layout, share);
  Outcome outcome;
  if (all.once > wanted) {
    writer_state_.note_overlap(key, share);
    return {Reason::overlap, 0, {}};
  }
  const std::string obstacle = writer_state_.file->open_file().output->why_not_puttable(key.var);
  if (!obstacle.empty())
    throw Error(WEIR_EFORMAT, "{}: nothing is put into {}: {}", writer_state_.name.path,
                in_words(writer_state_.file->schema(), where), obstacle);
  if (all.once < wanted) {
    if (!read_back_ && has_values(where))
      throw Error(
          WEIR_ESTATE,
          "{}: a part of {} is put again, but a file that Weir makes here needs the whole record: put all of it",
          writer_state_.name.path, in_words(writer_state_.file->schema(), where));
    return keep(where, all.mine ? share : nullptr);
  }
  if (all.elements > wanted) {
    const std::span<const Slab> slabs = share ? std::span<const Slab>(share->slabs) : std::span<const Slab>();
    layout = writer_state_.layouts().define_once_each(shape_of(writer_state_.file->schema(), key.var), slabs);
  }
  pieces_.drop(where);
  if (!writer_state_.try_carry(key, layout, share, outcome)) return {Reason::overlap, 0, {}};
  pieces_.mark_whole(where);
  return outcome;
}

// Of this record, which all ranks name: those of the other ranks. Collective.
std::vector<Slab> PartialRecords::slabs_of_others(const RecordPieces::Where& where, std::span<const Slab> slabs) const {
  const std::size_t ndims = shape_of(writer_state_.file->schema(), where.first).size(), words = 1 + 3 * ndims;
  const std::int64_t rank = writer_state_.comm().rank();
  std::vector<std::int64_t> mine;
  for (const Slab& slab : slabs) {
    mine.push_back(rank);
    mine.insert(mine.end(), slab.start.begin(), slab.start.end());
    mine.insert(mine.end(), slab.count.begin(), slab.count.end());
    if (slab.stride.empty()) mine.insert(mine.end(), ndims, 1);
    mine.insert(mine.end(), slab.stride.begin(), slab.stride.end());
  }
  const auto all = allgather(writer_state_.comm(), mine, writer_state_.deadline(), writer_state_.put_words());
  std::vector<Slab> others;
  for (auto at = all.begin(); at != all.end(); at += static_cast<std::ptrdiff_t>(words)) {
    if (*at == rank) continue;
    const auto part = [&](std::size_t n) {
      const auto first = at + 1 + static_cast<std::ptrdiff_t>(n * ndims);
      return Shape(first, first + static_cast<std::ptrdiff_t>(ndims));
    };
    Slab slab{part(0), part(1), part(2)};
    if (std::all_of(slab.stride.begin(), slab.stride.end(), [](std::int64_t step) { return step == 1; }))
      slab.stride.clear();
    others.push_back(std::move(slab));
  }
  return others;
}

// What ranks put now replaces what is kept of it, on whatever rank. False, and nothing has changed, where two ranks put
// the same element. Collective; alike on all ranks.
bool PartialRecords::add_piece(const RecordPieces::Where& where, const Share* share,
                               std::span<const std::byte> values) {
  const Comm& comm = writer_state_.comm();
  const int bytes = type_bytes(writer_state_.file->schema().variable(where.first).type);
  const std::span<const Slab> mine = share ? std::span<const Slab>(share->slabs) : std::span<const Slab>();
  const std::vector<Slab> others = slabs_of_others(where, mine);
  std::int64_t overlaps = 0;
  for (const Slab& slab : mine)
    overlaps |=
        std::any_of(others.begin(), others.end(), [&](const Slab& other) { return do_meet(slab, other); }) ? 1 : 0;
  allreduce_max(comm, std::span(&overlaps, 1), writer_state_.deadline(), writer_state_.put_words());
  if (overlaps > 0) return false;
  for (const Slab& slab : mine) pieces_.take_out(where, slab, bytes);
  for (const Slab& slab : others) pieces_.take_out(where, slab, bytes);
  pieces_.add(where, mine, values, bytes);
  std::int64_t all[] = {pieces_.elements(where),
                        pieces_.bytes() > writer_state_.weir().config().buffer_limit_bytes ? 1 : 0};
  allreduce_sum(comm, all, writer_state_.deadline(), writer_state_.put_words());
  require(
      all[1] == 0, WEIR_EMEMORY,
      "{}: partly put records need more memory than buffer_limit; raise buffer_limit, or put each record in one call",
      writer_state_.name.path);
  kept_elements_ = all[0];
  return true;
}

Outcome PartialRecords::keep(const RecordPieces::Where& where, const Share* share) {
  const Schema& schema = writer_state_.file->schema();
  const Type external = schema.variable(where.first).type;
  Outcome outcome;
  std::vector<std::byte> values;
  if (share != nullptr)
    outcome.out_of_range = convert(*share, writer_state_, external, schema.fill_value(where.first), values);
  if (!add_piece(where, share, values)) {
    writer_state_.note_overlap({where.second, where.first, 0}, share);
    return {Reason::overlap, 0, {}};
  }
  const std::int64_t wanted = schema.elements(where.first);
  require(kept_elements_ <= wanted, WEIR_EOVERLAP, "{}: parts of {} overlap", writer_state_.name.path,
          in_words(schema, where));
  if (kept_elements_ < wanted) return outcome;
  put_pieces(where);
  mark_whole(where);
  return outcome;
}

// What no rank holds of it is filled.
void PartialRecords::put_pieces(const RecordPieces::Where& where) {
  const auto& [slabs, values] = pieces_.at(where);
  const Shape shape = shape_of(writer_state_.file->schema(), where.first);
  const Type external = writer_state_.file->schema().variable(where.first).type;
  const Key key{where.second, where.first, 0};
  std::vector<Share> mine;
  if (!slabs.empty()) mine.push_back({key, external, slabs, {values}, LayoutBook::part(shape, slabs)});
  auto layout = static_cast<int>(layouts_of_all(writer_state_, std::span(&key, 1), mine).front());
  if (layout < 0) layout = writer_state_.layouts().define(shape, slabs);
  static_cast<void>(writer_state_.file->puts().carry(key.var, key.record, layout, external, values.data()));
}

// In the file, or on the way there.
bool PartialRecords::has_values(const RecordPieces::Where& where) const {
  if (pieces_.is_whole(where)) return true;
  return where.first < former_variables_ &&
         (!writer_state_.file->schema().is_record(where.first) || where.second < former_records_);
}

void PartialRecords::mark_whole(const RecordPieces::Where& where) {
  pieces_.drop(where);
  pieces_.mark_whole(where);
}

void PartialRecords::put_all() {
  std::vector<RecordPieces::Where> parts;
  for (const RecordPieces::Where& where : pieces_.all())
    if (has_values(where))
      parts.push_back(where);
    else
      put_pieces(where);
  if (!parts.empty()) merge(parts);
}

// Parts of records that have values; they are kept no longer. Collective.
void PartialRecords::merge(std::span<const RecordPieces::Where> records) {
  if (writer_state_.has_unflushed_puts)
    writer_state_.weir().files().sync(*writer_state_.file);  // what was put since the last commit is read too
  for (const RecordPieces::Where& where : records) {
    add_rest(where);
    put_pieces(where);
    mark_whole(where);
  }
  writer_state_.has_unflushed_puts = true;
}

// What no rank puts of it, each rank a share of the rows, as the file has it. Collective.
void PartialRecords::add_rest(const RecordPieces::Where& where) {
  const Schema& schema = writer_state_.file->schema();
  const Shape shape = shape_of(schema, where.first);
  const int bytes = type_bytes(schema.variable(where.first).type);
  std::vector<Slab> put = pieces_.at(where).slabs;
  const std::vector<Slab> others = slabs_of_others(where, put);
  put.insert(put.end(), others.begin(), others.end());
  const std::int64_t rank = writer_state_.comm().rank(), ranks = writer_state_.comm().size();
  const Rows rows{shape[0] * rank / ranks, shape[0] * (rank + 1) / ranks};
  const std::vector<Slab> rest = uncovered(shape, rows, put);
  std::vector<std::byte> values;
  const Status here = outcome_of([&] {
    if (!rest.empty()) values = read_rest(where, rows, rest);
    return Status();
  });
  weir::agree(writer_state_.comm(),
              {AgreementPoint::complete_record, mix(0, writer_state_.name.path), writer_state_.put_words(), nullptr},
              here, writer_state_.deadline())
      .raise();
  pieces_.add(where, rest, values, bytes);
}

// The boxes one after another, of rows that are read at once.
std::vector<std::byte> PartialRecords::read_rest(const RecordPieces::Where& where, const Rows& rows,
                                                 std::span<const Slab> boxes) const {
  const Shape shape = shape_of(writer_state_.file->schema(), where.first);
  const int bytes = type_bytes(writer_state_.file->schema().variable(where.first).type);
  Shape start(shape.size(), 0), count = shape;
  start[0] = rows.first;
  count[0] = rows.last - rows.first;
  std::vector<std::byte> all(static_cast<std::size_t>(elements(count) * bytes)), values;
  read_back_(where, start, count, all.data());
  for (const Slab& box : boxes) {
    for_each_line(box, [&](const Shape& at) {
      std::int64_t place = at[0] - rows.first;
      for (std::size_t d = 1; d < shape.size(); ++d) place = place * shape[d] + at[d];
      const auto line = std::span(all).subspan(static_cast<std::size_t>(place * bytes),
                                               static_cast<std::size_t>(box.count.back() * bytes));
      values.insert(values.end(), line.begin(), line.end());
    });
  }
  return values;
}

}  // namespace weir::bridge
