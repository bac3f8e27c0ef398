// SPDX-License-Identifier: Apache-2.0
#include "core/carrier.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "mpi/agree.hpp"

namespace weir::bridge {

namespace {

constexpr std::int64_t nothing = -INT64_MAX;  // in a reduction for the largest: neither this nor its negative counts
// Loose pieces: of a call, of all ranks; and that wait to land.
constexpr std::int64_t most_loose_words = 8192, most_loose_bytes = 1 << 20;

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
    const std::int64_t begin =
        geometry.begin[static_cast<std::size_t>(share.key.var)] + share.key.record * geometry.record_bytes;
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

}  // namespace

Carrier::Carrier(std::shared_ptr<RankGroup> group, RankGroup::Decision decision, FileName name,
                 std::unique_ptr<NamedFile> named)
    : group_(std::move(group)), decision_(std::move(decision)), name_(std::move(name)), named_(std::move(named)) {
  counts_.path = name_.given;
}

Carrier::~Carrier() {
  if (group_->comm().rank() == 0) group_->process().done(counts_);
}

Status Carrier::guarded(const std::function<void()>& body) try {
  if (running_ == nullptr) running_ = &group_->running(decision_);
  return running_->call(body);
} catch (const Error& error) {
  return {error.code(), error.what(), -1};
} catch (const std::exception& error) {
  return {WEIR_EINTERNAL, error.what(), -1};
}

void Carrier::complain(const std::string& sentence) {
  if (group_->comm().rank() == 0) group_->process().say(sentence);
}

void Carrier::learn(DefinedFile defined) {
  defined_ = std::move(defined);
  outdated_ = name_.made() && file_ != nullptr && defined_.schema != written_;
  learn_records(defined_.geometry.records);
}

void Carrier::lengthen(std::int64_t records) {
  whole_records_ = records;
  if (named_) named_->lengthen(least_file_bytes(defined_, records));
  group_->meet("the length of " + name_.path);
}

void Carrier::shorten() {
  if (std::exchange(whole_records_, -1) < 0) return;
  if (named_) named_->shorten(end_);
  group_->meet("the length of " + name_.path);
}

// The Weir that carries. Collective; alike on all ranks.
bool Carrier::begin() {
  const Status status = guarded([] {});
  given_up_ = running_ == nullptr;
  if (given_up_) complain(status.message + "; the file is left to the library behind");
  return !given_up_;
}

// The library has its own way to the file; Weir finds it by its name.
void Carrier::attach() {
  require(!named_ || named_->still_named(), WEIR_EIO,
          name_.path + ": another file has taken this name since it was created or opened");
  file_ = &running_->weir->attach({name_.path, defined_, name_.hints, name_.fill});
}

// Some rank could not attach. Collective.
void Carrier::give_up(const Status& here) {
  const Status status = weir::agree(running_->weir->comm(), {1, mix(0, name_.path), "bridge to " + name_.path, nullptr},
                                    here, running_->weir->pipeline().deadline());
  complain(status.message + "; the file is left to the library behind");
  if (file_ != nullptr) running_->weir->leave(*std::exchange(file_, nullptr));
  given_up_ = true;
}

Outcome Carrier::put(std::span<const LocalSlabs> parts, std::int64_t records, Reason refusal, bool* question) {
  if (name_.made() && file_ == nullptr)
    if (Status status = make(); !status.ok()) return {Reason::failed, 0, std::move(status)};
  if (!redefined_.ok()) return {Reason::failed, 0, redefined_};
  if (given_up_ || (running_ == nullptr && !begin())) return {Reason::header, 0, {}};
  Outcome outcome;
  Status here;
  if (file_ == nullptr) here = guarded([&] { attach(); });
  Status trouble = guarded([&] {
    std::vector<Share> mine;
    const auto ask = [&] {
      if (refusal == Reason::none && file_ != nullptr && !outdated_) mine = cut_into_shares(file_->schema(), parts);
      for (Share& share : mine) share.layout = running_->layouts.find(share.part);
      return agree(mine, records, refusal, question);
    };
    Agreement all = ask();
    if (all.outdated) redefine(), all = ask();
    outcome.reason = all.refusal;
    if (all.refusal == Reason::header) give_up(here);
    if (all.refusal == Reason::none) outcome = put_agreed(mine, all);
  });
  if (!trouble.ok()) outcome = {Reason::failed, 0, std::move(trouble)};
  return outcome;
}

Outcome Carrier::put_agreed(std::span<Share> shares, const Agreement& all) {
  learn_records(all.records);
  if (all.nothing) return {};
  if (whole_records_ < 0) lengthen(file_->open_file().output->geometry().records);
  afloat_ = true;
  Outcome outcome = all.alike ? put_alike(shares, all) : (all.loose ? put_loose(shares) : put_each(shares));
  if (outcome.reason == Reason::none) end_ = std::max(end_, all.end);
  return outcome;
}

Carrier::Agreement Carrier::agree(std::span<const Share> shares, std::int64_t records, Reason refusal, bool* question) {
  const bool empty = shares.empty(), compact = !empty && is_compact(shares);
  const std::int64_t sum = empty ? nothing : signature(shares);
  const Votes all = largest_of(
      {.refusal = static_cast<std::int64_t>(refusal),
       .empty = empty,
       .unknown = std::any_of(shares.begin(), shares.end(), [](const Share& share) { return share.layout < 0; }),
       .scattered = !empty && !compact,
       .signature = sum,
       .minus_signature = empty ? nothing : -sum,
       .var = compact ? shares.front().key.var : nothing,
       .first = compact ? shares.front().key.record : nothing,
       .last = compact ? shares.back().key.record + 1 : nothing,
       .layout = compact ? shares.front().layout : nothing,
       .records = records,
       .question = question != nullptr && *question,
       .unseen = running_->layouts.never_seen(shares),
       .loose_words = LoosePieces::words(shares),
       .astray = file_ == nullptr,
       .outdated = outdated_,
       .end = file_ != nullptr && !name_.made() ? end_of(shares, file_->schema(), file_->open_file().output->geometry())
                                                : 0});
  if (question != nullptr) *question = all.question > 0;
  Agreement agreement;
  agreement.refusal = all.astray > 0 ? Reason::header : static_cast<Reason>(all.refusal);
  agreement.records = all.records;
  agreement.end = all.end;
  agreement.nothing = all.signature == nothing;
  agreement.outdated = all.outdated > 0;
  agreement.alike = all.unknown == 0 && all.signature == -all.minus_signature && (all.empty == 0 || all.scattered == 0);
  agreement.loose =
      !name_.made() && all.unseen > 0 && all.loose_words <= most_loose_words / running_->weir->comm().size();
  if (agreement.alike && all.scattered == 0 && !agreement.nothing) {
    std::vector<std::int64_t> layout{all.layout};
    if (all.empty > 0) leave_out_absent(layout, {!empty});
    agreement.alike = layout.front() >= 0;
    agreement.var = static_cast<int>(all.var);
    agreement.first = all.first;
    agreement.last = all.last;
    agreement.layout = static_cast<int>(all.layout);
  }
  return agreement;
}

// Those become -1 in which a rank that puts nothing now holds something: it did so when it put with the others.
void Carrier::leave_out_absent(std::vector<std::int64_t>& layouts, const std::vector<bool>& puts) const {
  std::vector<std::int64_t> holds(layouts.size(), 0);
  for (std::size_t k = 0; k < layouts.size(); ++k) {
    if (layouts[k] < 0 || puts[k]) continue;
    holds[k] = running_->weir->layouts().at(static_cast<int>(layouts[k])).elements_held() > 0 ? 1 : 0;
  }
  allreduce_max(running_->weir->comm(), holds, running_->weir->pipeline().deadline(), "put into " + name_.path);
  for (std::size_t k = 0; k < layouts.size(); ++k)
    if (holds[k] > 0) layouts[k] = -1;
}

Carrier::Votes Carrier::largest_of(const Votes& mine) const {
  auto words = std::bit_cast<std::array<std::int64_t, sizeof(Votes) / sizeof(std::int64_t)>>(mine);
  allreduce_max(running_->weir->comm(), words, running_->weir->pipeline().deadline(), "put into " + name_.path);
  return std::bit_cast<Votes>(words);
}

Outcome Carrier::put_alike(std::span<const Share> shares, const Agreement& all) {
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

// All ranks hear all of it; where it is in the way of what waits, that lands first.
Outcome Carrier::put_loose(std::span<const Share> shares) {
  Outcome outcome;
  const std::vector<std::int64_t> mine =
      LoosePieces::message(file_->schema(), file_->open_file().output->geometry(), shares, outcome.out_of_range);
  LoosePieces::Call call = LoosePieces::read(
      allgather(running_->weir->comm(), mine, running_->weir->pipeline().deadline(), "put into " + name_.path));
  if (call.overlaps) return {Reason::overlap, 0, {}};
  const bool in_the_way = std::any_of(call.where.begin(), call.where.end(), [&](const LoosePieces::Where& where) {
    return file_->puts().put_before(where.first, where.second);
  });
  if (in_the_way || loose_.lies_across(call) || loose_.bytes() > most_loose_bytes) land_now(false);
  loose_.add(std::move(call));
  Tally& tally = running_->weir->tally();
  for (const Share& share : shares)
    tally.bytes_put += share.elements() * type_bytes(file_->schema().variable(share.key.var).type);
  ++tally.puts;
  return outcome;
}

// Ranks put different things, or things that are new: they are put key by key, and ranks that have nothing of a key
// take part with nothing. Layouts that some rank does not know are made; those of later keys may then be known.
Outcome Carrier::put_each(std::span<Share> shares) {
  const std::vector<Key> keys = keys_of_all(shares);
  Outcome outcome;
  std::vector<std::int64_t> layouts = layouts_of_all(keys, shares);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const auto mine =
        std::find_if(shares.begin(), shares.end(), [&](const Share& share) { return share.key == keys[k]; });
    Share* const share = mine == shares.end() ? nullptr : &*mine;
    const bool is_new = layouts[k] < 0;
    if (is_new)
      layouts[k] = running_->layouts.define(shape_of(file_->schema(), keys[k].var),
                                            share ? std::span<const Slab>(share->slabs) : std::span<const Slab>());
    const Outcome one = carry(keys[k], static_cast<int>(layouts[k]), share);
    outcome.out_of_range += one.out_of_range;
    outcome.reason = std::max(outcome.reason, one.reason);
    if (!is_new) continue;
    const std::vector<std::int64_t> later = layouts_of_all(std::span(keys).subspan(k + 1), shares);
    std::copy(later.begin(), later.end(), layouts.begin() + static_cast<std::ptrdiff_t>(k) + 1);
  }
  return outcome;
}

std::vector<Key> Carrier::keys_of_all(std::span<const Share> shares) {
  std::vector<std::int64_t> words;
  for (const Share& share : shares) words.insert(words.end(), {share.key.record, share.key.var, share.key.turn});
  words = allgather(running_->weir->comm(), words, running_->weir->pipeline().deadline(), "put into " + name_.path);
  std::vector<Key> keys;
  for (std::size_t i = 0; i < words.size(); i += 3)
    keys.push_back({words[i], static_cast<int>(words[i + 1]), static_cast<int>(words[i + 2])});
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

// Of each key the number that all ranks with something know its layout by; -1 where there is none.
std::vector<std::int64_t> Carrier::layouts_of_all(std::span<const Key> keys, std::span<Share> shares) {
  std::vector<std::int64_t> most(4 * keys.size(), nothing);
  std::vector<bool> puts(keys.size(), false);
  auto share = shares.begin();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    while (share != shares.end() && share->key < keys[k]) ++share;
    puts[k] = share != shares.end() && share->key == keys[k];
    most[4 * k + 3] = !puts[k];
    if (!puts[k]) continue;
    share->layout = running_->layouts.find(share->part);
    most[4 * k] = share->layout;
    most[4 * k + 1] = -share->layout;
    most[4 * k + 2] = share->layout < 0;
  }
  if (!keys.empty())
    allreduce_max(running_->weir->comm(), most, running_->weir->pipeline().deadline(), "put into " + name_.path);
  std::vector<std::int64_t> layouts;
  bool absent = false;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    layouts.push_back(most[4 * k + 2] <= 0 && most[4 * k] == -most[4 * k + 1] ? most[4 * k] : -1);
    absent = absent || (most[4 * k + 3] > 0 && layouts.back() >= 0);
  }
  if (absent) leave_out_absent(layouts, puts);
  return layouts;
}

// Where ranks hold the same elements, it is tried once more with each part only once.
Outcome Carrier::carry(const Key& key, int layout, const Share* share) {
  Outcome outcome;
  if (name_.made()) return carry_made(key, layout, share);
  if (running_->layouts.hopeless(layout)) return {Reason::overlap, 0, {}};
  if (loose_.holds({key.var, key.record})) land_now(false);
  if (try_carry(key, layout, share, outcome)) return outcome;
  const std::span<const Slab> slabs = share ? std::span<const Slab>(share->slabs) : std::span<const Slab>();
  const int once = running_->layouts.define_once_each(shape_of(file_->schema(), key.var), slabs);
  if (try_carry(key, once, share, outcome)) return outcome;
  running_->layouts.give_up(once);
  return {Reason::overlap, 0, {}};
}

bool Carrier::try_carry(const Key& key, int layout, const Share* share, Outcome& outcome) {
  const Type external = file_->schema().variable(key.var).type;
  try {
    const RangeFailure failure = file_->puts().carry(key.var, key.record, layout, share ? share->type : external,
                                                     share ? share->values(room_) : nullptr);
    outcome.out_of_range = failure.count;
    if (share != nullptr && running_->layouts.yields(layout))
      outcome.out_of_range = misfits(share->values(room_), share->elements(), share->type, external);
    return true;
  } catch (const Error& error) {
    if (error.code() != WEIR_EOVERLAP) throw;
    return false;
  }
}

Status Carrier::land(bool durable) {
  if (file_ == nullptr) return durable && unstored_ ? store() : Status{};
  if (!afloat_ && !durable) return {};
  Status status = guarded([&] { land_now(durable); });
  if (status.ok()) afloat_ = false;
  return status;
}

void Carrier::land_now(bool durable) {
  if (!loose_.empty()) file_->puts().add(group_->comm().rank() == 0 ? loose_.extents() : std::vector<Extent>());
  file_->commits().land(durable);
  loose_.clear();
  unstored_ = !durable;
}

// Of a file that Weir has let go of: whoever has it open on a host stores all that was written on that host.
// Collective.
Status Carrier::store() {
  Status status = guarded([&] {
    const auto sync = [path = name_.path]() -> Status {
      const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC), path);
      if (file.number() >= 0 && ::fdatasync(file.number()) == 0) return {};
      return {WEIR_EIO, "fdatasync of " + path + ": " + std::strerror(errno), -1};
    };
    const Status here = running_->weir->pipeline().storage().run(sync, "a flush of " + name_.path);
    weir::agree(running_->weir->comm(), {2, mix(0, name_.path), "flush of " + name_.path, nullptr}, here,
                running_->weir->pipeline().deadline())
        .raise();
  });
  if (status.ok()) unstored_ = false;
  return status;
}

Status Carrier::detach(bool durable) {
  Status status = land(durable);
  if (file_ == nullptr) return status;
  status.merge(guarded([&] { running_->weir->leave(*file_); }));
  loose_.clear();
  file_ = nullptr;
  afloat_ = false;
  return status;
}

}  // namespace weir::bridge
