// SPDX-License-Identifier: Apache-2.0
#include "core/file_writer.hpp"

#include <algorithm>
#include <utility>

namespace weir::bridge {

FileWriter::FileWriter(std::shared_ptr<RankGroup> group, RankGroup::Decision decision, FileName name,
                       std::unique_ptr<NamedFile> named)
    : writer_state_{.group = std::move(group), .decision = std::move(decision), .name = std::move(name)},
      library_file_(writer_state_, std::move(named)),
      made_file_(writer_state_) {
  writer_state_.counts.path = writer_state_.name.given;
}

FileWriter::~FileWriter() {
  if (writer_state_.group->comm().rank() == 0) writer_state_.group->process().done(writer_state_.counts);
}

void FileWriter::learn(DefinedFile defined) {
  writer_state_.defined = std::move(defined);
  if (made()) made_file_.compare();
  learn_records(writer_state_.defined.geometry.records);
}

Outcome FileWriter::put(std::span<const LocalSlabs> parts, std::int64_t records, Reason refusal, bool* question) {
  Status here;
  if (made()) {
    if (Status status = made_file_.ready(); !status.ok()) return {Reason::failed, 0, std::move(status)};
  } else {
    if (!library_file_.begin()) return {Reason::header, 0, {}};
    here = library_file_.attach();
  }
  Outcome outcome;
  Status problem = writer_state_.guarded([&] {
    std::vector<Share> mine;
    const auto ask = [&] {
      const bool outdated = made() && made_file_.outdated();
      if (refusal == Reason::none && writer_state_.file != nullptr && !outdated)
        mine = cut_into_shares(writer_state_.file->schema(), parts);
      for (Share& share : mine) share.layout = writer_state_.layouts().find(share.part);
      return agree_on_put(writer_state_, mine, {records, refusal, question, outdated});
    };
    PutAgreement all = ask();
    if (all.outdated) made_file_.redefine(), all = ask();
    outcome.reason = all.refusal;
    if (all.refusal == Reason::header && !made()) library_file_.give_up(here);
    if (all.refusal == Reason::none) outcome = put_agreed(mine, all);
    if (writer_state_.file != nullptr) writer_state_.file->puts().raise_watched();
  });
  if (!problem.ok()) outcome = {Reason::failed, 0, std::move(problem)};
  return outcome;
}

Outcome FileWriter::put_agreed(std::span<Share> shares, const PutAgreement& all) {
  learn_records(all.records);
  if (all.nothing) return {};
  if (!made()) library_file_.begin_to_put();
  writer_state_.has_unflushed_puts = true;
  Outcome outcome =
      all.alike ? put_alike(shares, all) : (all.small ? library_file_.put_small(shares) : put_each(shares));
  if (outcome.reason == Reason::none) library_file_.reach(all.end);
  return outcome;
}

Outcome FileWriter::put_alike(std::span<const Share> shares, const PutAgreement& all) {
  Outcome outcome;
  if (!shares.empty()) {
    for (const Share& share : shares) {
      const Outcome one = carry(share.key, share.layout, &share);
      outcome.out_of_range += one.out_of_range;
      outcome.reason = std::max(outcome.reason, one.reason);
    }
    return outcome;
  }
  for (std::int64_t record = all.first; record < all.last; ++record)
    outcome.reason = std::max(outcome.reason, carry({record, all.var, 0}, all.layout, nullptr).reason);
  return outcome;
}

// Ranks put different things, or things that are new: they are put key by key, and ranks that have nothing of a key
// take part with nothing. Layouts that some rank does not know are made; those of later keys may then be known.
Outcome FileWriter::put_each(std::span<Share> shares) {
  const std::vector<Key> keys = keys_of_all(writer_state_, shares);
  Outcome outcome;
  std::vector<std::int64_t> layouts = layouts_of_all(writer_state_, keys, shares);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const auto mine =
        std::find_if(shares.begin(), shares.end(), [&](const Share& share) { return share.key == keys[k]; });
    Share* const share = mine == shares.end() ? nullptr : &*mine;
    const bool is_new = layouts[k] < 0;
    if (is_new)
      layouts[k] =
          writer_state_.layouts().define(shape_of(writer_state_.file->schema(), keys[k].var),
                                         share ? std::span<const Slab>(share->slabs) : std::span<const Slab>());
    const Outcome one = carry(keys[k], static_cast<int>(layouts[k]), share);
    outcome.out_of_range += one.out_of_range;
    outcome.reason = std::max(outcome.reason, one.reason);
    if (!is_new) continue;
    const std::vector<std::int64_t> later = layouts_of_all(writer_state_, std::span(keys).subspan(k + 1), shares);
    std::copy(later.begin(), later.end(), layouts.begin() + static_cast<std::ptrdiff_t>(k) + 1);
  }
  return outcome;
}

Outcome FileWriter::carry(const Key& key, int layout, const Share* share) {
  return made() ? made_file_.records().carry(key, layout, share) : library_file_.carry(key, layout, share);
}

Outcome FileWriter::put_placed(int var, std::int64_t record, int layout, Type type, const void* values) {
  Outcome outcome;
  const Status problem = writer_state_.guarded([&] {
    if (!made()) library_file_.begin_to_put();
    writer_state_.has_unflushed_puts = true;
    try {
      outcome.out_of_range = writer_state_.file->puts().carry(var, record, layout, type, values).count;
    } catch (const Error& error) {
      if (error.code() != WEIR_EOVERLAP) throw;
      outcome.reason = Reason::overlap;
      return;
    }
    learn_records(writer_state_.file->schema().is_record(var) ? record + 1 : 0);
    made() ? made_file_.records().mark_whole({var, record}) : library_file_.reach_record(var, record);
    writer_state_.file->puts().raise_watched();
  });
  if (!problem.ok()) return {Reason::failed, 0, problem};
  return outcome;
}

}  // namespace weir::bridge
