// SPDX-License-Identifier: Apache-2.0
#include "core/put_agreement.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "core/small_writes.hpp"
#include "mpi/agree.hpp"

namespace weir::bridge {

namespace {

constexpr std::int64_t nothing = -INT64_MAX;     // in a reduction for the largest: neither this nor its negative counts
constexpr std::int64_t most_small_words = 8192;  // of the loose pieces of a call, of all ranks

// Of the keys and layouts of a call, positive.
std::int64_t signature(std::span<const Share> shares) {
  std::uint64_t sum = 1;
  for (const Share& share : shares)
    for (const std::int64_t word :
         {share.key.record, std::int64_t{share.key.var}, std::int64_t{share.key.turn}, std::int64_t{share.layout}})
      sum = mix(sum, static_cast<std::uint64_t>(word));
  return static_cast<std::int64_t>(sum >> 2);
}

// Records without a gap of one variable, with one layout.
bool is_compact(std::span<const Share> shares) {
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Key& first = shares[0].key;
    const Key wanted{first.record + static_cast<std::int64_t>(i), first.var, 0};
    if (shares[i].key != wanted || shares[i].layout != shares[0].layout) return false;
  }
  return true;
}

// Behind the last byte of these in the file.
std::int64_t end_of(std::span<const Share> shares, const Schema& schema, const Geometry& geometry) {
  std::int64_t end = 0;
  for (const Share& share : shares) {
    const std::int64_t begin = geometry.first_byte(share.key.var, share.key.record);
    const Shape distances = strides(shape_of(schema, share.key.var));
    for (const Slab& slab : share.slabs) {
      std::int64_t last = 0;
      for (std::size_t d = 0; d < distances.size(); ++d)
        last += (slab.start[d] + (slab.count[d] - 1) * (slab.stride.empty() ? 1 : slab.stride[d])) * distances[d];
      end = std::max(end,
                     begin + (last + 1) * type_bytes(schema.variables()[static_cast<std::size_t>(share.key.var)].type));
    }
  }
  return end;
}

// What a rank says of its part of a call, of which all learn the largest.
struct Votes {
  std::int64_t refusal;
  std::int64_t empty;      // it puts nothing
  std::int64_t unknown;    // it has no layout of something it puts
  std::int64_t scattered;  // it puts something else than records of one variable, with one layout
  std::int64_t signature, minus_signature;
  std::int64_t var, first, last, layout;  // where it is not scattered
  std::int64_t records, question;
  std::int64_t unseen, small_words;  // of pieces put for the first time
  std::int64_t astray;               // it could not begin on this file
  std::int64_t outdated;             // it has new definitions for it
  std::int64_t end;                  // of its parts in the file
};

// Those become -1 in which a rank that puts nothing now holds something: it did so when it put with the others.
void leave_out_absent(const WriterState& writer_state, std::vector<std::int64_t>& layouts,
                      const std::vector<bool>& puts) {
  std::vector<std::int64_t> holds(layouts.size(), 0);
  for (std::size_t k = 0; k < layouts.size(); ++k) {
    if (layouts[k] < 0 || puts[k]) continue;
    holds[k] = writer_state.weir().layouts().at(static_cast<int>(layouts[k])).elements_held() > 0 ? 1 : 0;
  }
  allreduce_max(writer_state.comm(), holds, writer_state.deadline(), writer_state.put_words());
  for (std::size_t k = 0; k < layouts.size(); ++k)
    if (holds[k] > 0) layouts[k] = -1;
}

Votes largest_of(const WriterState& writer_state, const Votes& mine) {
  auto words = std::bit_cast<std::array<std::int64_t, sizeof(Votes) / sizeof(std::int64_t)>>(mine);
  allreduce_max(writer_state.comm(), words, writer_state.deadline(), writer_state.put_words());
  return std::bit_cast<Votes>(words);
}

}  // namespace

PutAgreement agree_on_put(const WriterState& writer_state, std::span<const Share> shares, const PutQuestion& mine) {
  const bool empty = shares.empty(), compact = !empty && is_compact(shares);
  const std::int64_t sum = empty ? nothing : signature(shares);
  const Votes all = largest_of(
      writer_state,
      {.refusal = static_cast<std::int64_t>(mine.refusal),
       .empty = empty,
       .unknown = std::any_of(shares.begin(), shares.end(), [](const Share& share) { return share.layout < 0; }),
       .scattered = !empty && !compact,
       .signature = sum,
       .minus_signature = empty ? nothing : -sum,
       .var = compact ? shares.front().key.var : nothing,
       .first = compact ? shares.front().key.record : nothing,
       .last = compact ? shares.back().key.record + 1 : nothing,
       .layout = compact ? shares.front().layout : nothing,
       .records = mine.records,
       .question = mine.question != nullptr && *mine.question,
       .unseen = writer_state.layouts().never_seen(shares),
       .small_words = SmallWrites::words(shares),
       .astray = writer_state.file == nullptr,
       .outdated = mine.outdated,
       .end = writer_state.file != nullptr && !writer_state.name.made()
                  ? end_of(shares, writer_state.file->schema(), writer_state.file->open_file().output->geometry())
                  : 0});
  if (mine.question != nullptr) *mine.question = all.question > 0;
  PutAgreement agreement;
  agreement.refusal = all.astray > 0 ? Reason::header : static_cast<Reason>(all.refusal);
  agreement.records = all.records;
  agreement.end = all.end;
  agreement.nothing = all.signature == nothing;
  agreement.outdated = all.outdated > 0;
  agreement.alike = all.unknown == 0 && all.signature == -all.minus_signature && (all.empty == 0 || all.scattered == 0);
  agreement.small =
      !writer_state.name.made() && all.unseen > 0 && all.small_words <= most_small_words / writer_state.comm().size();
  if (agreement.alike && all.scattered == 0 && !agreement.nothing) {
    std::vector<std::int64_t> layout{all.layout};
    if (all.empty > 0) leave_out_absent(writer_state, layout, {!empty});
    agreement.alike = layout.front() >= 0;
    agreement.var = static_cast<int>(all.var);
    agreement.first = all.first;
    agreement.last = all.last;
    agreement.layout = static_cast<int>(all.layout);
  }
  return agreement;
}

std::vector<Key> keys_of_all(const WriterState& writer_state, std::span<const Share> shares) {
  std::vector<std::int64_t> words;
  for (const Share& share : shares) words.insert(words.end(), {share.key.record, share.key.var, share.key.turn});
  words = allgather(writer_state.comm(), words, writer_state.deadline(), writer_state.put_words());
  std::vector<Key> keys;
  for (std::size_t i = 0; i < words.size(); i += 3)
    keys.push_back({words[i], static_cast<int>(words[i + 1]), static_cast<int>(words[i + 2])});
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

std::vector<std::int64_t> layouts_of_all(const WriterState& writer_state, std::span<const Key> keys,
                                         std::span<Share> shares) {
  std::vector<std::int64_t> most(4 * keys.size(), nothing);
  std::vector<bool> puts(keys.size(), false);
  auto share = shares.begin();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    while (share != shares.end() && share->key < keys[k]) ++share;
    puts[k] = share != shares.end() && share->key == keys[k];
    most[4 * k + 3] = !puts[k];
    if (!puts[k]) continue;
    share->layout = writer_state.layouts().find(share->part);
    most[4 * k] = share->layout;
    most[4 * k + 1] = -share->layout;
    most[4 * k + 2] = share->layout < 0;
  }
  if (!keys.empty()) allreduce_max(writer_state.comm(), most, writer_state.deadline(), writer_state.put_words());
  std::vector<std::int64_t> layouts;
  bool absent = false;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    layouts.push_back(most[4 * k + 2] <= 0 && most[4 * k] == -most[4 * k + 1] ? most[4 * k] : -1);
    absent = absent || (most[4 * k + 3] > 0 && layouts.back() >= 0);
  }
  if (absent) leave_out_absent(writer_state, layouts, puts);
  return layouts;
}

}  // namespace weir::bridge
