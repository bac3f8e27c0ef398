// SPDX-License-Identifier: Apache-2.0
#include "forward/courier.hpp"

#include <algorithm>
#include <utility>

#include "mpi/agree.hpp"
#include "rearrange/copy.hpp"

namespace weir {

namespace {

constexpr std::uint32_t tags = 8192;
constexpr int bell_tag = 1999;

int words_tag(std::uint32_t cycle) {
  return 2000 + 2 * static_cast<int>(cycle % tags);
}
int bytes_tag(std::uint32_t cycle) {
  return words_tag(cycle) + 1;
}

// A recipe as words: blocks with their loops, then runs.
void put_recipe(std::vector<std::int64_t>& words, const CopyProgram& recipe) {
  words.push_back(static_cast<std::int64_t>(recipe.blocks.size()));
  for (const Block& block : recipe.blocks) {
    words.insert(words.end(), {block.source, block.target, static_cast<std::int64_t>(block.loops.size())});
    for (const Loop& loop : block.loops)
      words.insert(words.end(), {loop.count, loop.source_stride, loop.target_stride});
  }
  words.push_back(static_cast<std::int64_t>(recipe.runs.size()));
  for (const Run& run : recipe.runs) words.insert(words.end(), {run.source, run.target, run.count});
}

CopyProgram take_recipe(const std::vector<std::int64_t>& words, std::size_t& at) {
  CopyProgram recipe;
  recipe.blocks.resize(static_cast<std::size_t>(words[at++]));
  for (Block& block : recipe.blocks) {
    block.source = words[at++];
    block.target = words[at++];
    block.loops.resize(static_cast<std::size_t>(words[at++]));
    for (Loop& loop : block.loops) {
      loop = {words[at], words[at + 1], words[at + 2]};
      at += 3;
    }
  }
  recipe.runs.resize(static_cast<std::size_t>(words[at++]));
  for (Run& run : recipe.runs) {
    run = {words[at], words[at + 1], words[at + 2]};
    at += 3;
  }
  return recipe;
}

// What a piece is of, alike on all ranks.
std::int64_t identity(const Entry& entry) {
  std::uint64_t sum = mix(static_cast<std::uint64_t>(entry.file->serial), static_cast<std::uint64_t>(entry.var));
  sum = mix(sum, static_cast<std::uint64_t>(entry.record));
  sum = mix(sum, static_cast<std::uint64_t>(entry.place.tile));
  sum = mix(sum, static_cast<std::uint64_t>(entry.plan->reserves[entry.round].packed));
  return static_cast<std::int64_t>(mix(sum, entry.round));
}

// A list's new last element, with the memory it has had before.
template <class Element>
Element& take_spare(std::list<Element>& spare, std::list<Element>& list) {
  if (spare.empty()) spare.emplace_back();
  list.splice(list.end(), spare, spare.begin());
  return list.back();
}

bool ended(MPI_Request& request) {
  int done = 0;
  check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

}  // namespace

void Courier::send(const Cycle& cycle) {
  collect(cycle);
  for (std::size_t begin = 0; begin < sections_.size();) {
    std::size_t end = begin;
    while (end < sections_.size() && sections_[end].holder == sections_[begin].holder) ++end;
    send_parcel(cycle, begin, end);
    begin = end;
  }
}

void Courier::collect(const Cycle& cycle) {
  sections_.clear();
  const auto& entries = cycle.batch.entries();
  for (std::size_t e = 0; e < entries.size(); ++e) {
    std::int64_t at = entries[e].place.packed;
    for (const Outgoing& out : entries[e].steps().outgoing) {
      const int holder = cycle.holder(out.owner).rank;
      if (reach_.of(holder)) continue;
      const std::int64_t bytes = out.count * entries[e].plan->element_bytes;
      sections_.push_back({holder, out.owner, e, &out, staging_.packed(at), bytes});
      at += bytes;
    }
  }
  std::sort(sections_.begin(), sections_.end(),
            [](const Section& a, const Section& b) { return std::tie(a.holder, a.at) < std::tie(b.holder, b.at); });
}

// words: sections, then of each its owner, entry, what that is of, count, and whether a recipe follows.
void Courier::write_words(const Cycle& cycle, std::size_t begin, std::size_t end, std::vector<std::int64_t>& words) {
  words.assign(1, static_cast<std::int64_t>(end - begin));
  for (std::size_t i = begin; i < end; ++i) {
    const Section& section = sections_[i];
    const Entry& entry = cycle.batch.entries()[section.entry];
    bool& told = told_[{entry.plan, entry.round, section.owner, section.holder}];
    words.insert(words.end(),
                 {section.owner, static_cast<std::int64_t>(section.entry), identity(entry), section.out->count, !told});
    if (!told) put_recipe(words, section.out->recipe);
    told = true;
  }
}

void Courier::send_parcel(const Cycle& cycle, std::size_t begin, std::size_t end) {
  Parcel& parcel = take_spare(spare_parcels_, parcels_);
  parcel.cycle = cycle.number;
  write_words(cycle, begin, end, parcel.words);
  lengths_.clear();
  places_.clear();
  for (std::size_t i = begin; i < end; ++i) {
    lengths_.push_back(static_cast<int>(sections_[i].bytes));
    places_.push_back(sections_[i].at - sections_[begin].at);
    bytes_ += sections_[i].bytes;
  }
  const int holder = parcel.holder = sections_[begin].holder;
  // Synchronous, so that what is sent is also received: nothing is under way when the communicator goes.
  check_mpi(MPI_Issend(parcel.words.data(), static_cast<int>(parcel.words.size()), MPI_INT64_T, holder,
                       words_tag(cycle.number), comm_.raw(), &parcel.requests[0]),
            "MPI_Issend");
  MPI_Datatype pieces = MPI_DATATYPE_NULL;
  check_mpi(
      MPI_Type_create_hindexed(static_cast<int>(lengths_.size()), lengths_.data(), places_.data(), MPI_BYTE, &pieces),
      "MPI_Type_create_hindexed");
  check_mpi(MPI_Type_commit(&pieces), "MPI_Type_commit");
  check_mpi(
      MPI_Issend(sections_[begin].at, 1, pieces, holder, bytes_tag(cycle.number), comm_.raw(), &parcel.requests[1]),
      "MPI_Issend");
  check_mpi(MPI_Type_free(&pieces), "MPI_Type_free");
  ++messages_;
}

bool Courier::sent(std::uint32_t cycle) {
  while (!parcels_.empty() && static_cast<std::int32_t>(parcels_.front().cycle - cycle) <= 0) {
    Parcel& oldest = parcels_.front();
    if (!ended(oldest.requests[0]) || !ended(oldest.requests[1])) return false;
    spare_parcels_.splice(spare_parcels_.begin(), parcels_, parcels_.begin());
  }
  staging_.give_back(cycle);
  return true;
}

std::string Courier::slow(std::uint32_t cycle) const {
  std::string ranks;
  for (const Parcel& parcel : parcels_)
    if (static_cast<std::int32_t>(parcel.cycle - cycle) <= 0)
      ranks += (ranks.empty() ? "" : ", ") + std::to_string(parcel.holder);
  return ranks;
}

void Courier::ring() {
  if (!bells_.empty()) return;
  for (int rank = 0; rank < comm_.size(); ++rank)
    if (!reach_.of(rank))
      check_mpi(MPI_Issend(nullptr, 0, MPI_BYTE, rank, bell_tag, comm_.raw(), &bells_.emplace_back()), "MPI_Issend");
}

bool Courier::rung() const {
  int there = 0;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, bell_tag, comm_.raw(), &there, MPI_STATUS_IGNORE), "MPI_Iprobe");
  return there != 0;
}

Status Courier::receive(Duty& duty) {
  Status status;
  if (duty.missing.load(std::memory_order_relaxed) == 0) return status;
  while (take_words(duty)) {
  }
  for (auto coming = coming_.begin(); coming != coming_.end();) {
    if (coming->duty != &duty || !ended(coming->request)) {
      ++coming;
      continue;
    }
    status.merge(unpack(*coming));
    const auto done = coming++;
    spare_coming_.splice(spare_coming_.begin(), coming_, done);
  }
  if (coming_.empty()) received_bytes_ = 0;
  return status;
}

// A parcel is taken when there is room for it: it waits in MPI's hands till then.
bool Courier::take_words(Duty& duty) {
  int there = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, bytes_tag(duty.cycle), comm_.raw(), &there, &status), "MPI_Iprobe");
  if (there == 0) return false;
  const int source = status.MPI_SOURCE;
  int bytes = 0;
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  if (received_bytes_ + bytes > staging_.budget_bytes()) return false;
  check_mpi(MPI_Probe(source, words_tag(duty.cycle), comm_.raw(), &status), "MPI_Probe");
  int count = 0;
  check_mpi(MPI_Get_count(&status, MPI_INT64_T, &count), "MPI_Get_count");
  Coming& coming = take_spare(spare_coming_, coming_);
  coming.duty = &duty;
  coming.source = source;
  coming.words.resize(static_cast<std::size_t>(count));
  check_mpi(
      MPI_Recv(coming.words.data(), count, MPI_INT64_T, source, words_tag(duty.cycle), comm_.raw(), MPI_STATUS_IGNORE),
      "MPI_Recv");
  coming.at = staging_.received() + received_bytes_;
  received_bytes_ += bytes;
  check_mpi(MPI_Irecv(coming.at, bytes, MPI_BYTE, source, bytes_tag(duty.cycle), comm_.raw(), &coming.request),
            "MPI_Irecv");
  return true;
}

Status Courier::unpack(const Coming& coming) {
  const std::vector<std::int64_t>& words = coming.words;
  const std::byte* bytes = coming.at;
  std::size_t at = 0;
  const std::int64_t sections = words[at++];
  for (std::int64_t i = 0; i < sections; ++i) {
    const int owner = static_cast<int>(words[at]);
    const auto number = static_cast<std::size_t>(words[at + 1]);
    if (number >= coming.duty->entries.size() || identity(coming.duty->entries[number]) != words[at + 2])
      return other_put(coming, number);
    const Entry& entry = coming.duty->entries[number];
    const std::int64_t count = words[at + 3];
    const bool follows = words[at + 4] != 0;
    at += 5;
    CopyProgram& recipe = recipes_[{entry.plan, entry.round, owner, coming.source}];
    if (follows) recipe = take_recipe(words, at);
    const auto tile = std::find_if(coming.duty->tiles.begin(), coming.duty->tiles.end(),
                                   [&](const HeldTile& held) { return held.owner == owner; });
    place(recipe, bytes, staging_.own_tile(tile->place, entry.place.tile), entry.plan->element_bytes);
    bytes += count * entry.plan->element_bytes;
  }
  coming.duty->missing.fetch_sub(sections, std::memory_order_release);
  return {};
}

// A parcel is of another put than this rank's: its pieces have no place here.
Status Courier::other_put(const Coming& coming, std::size_t number) const {
  const std::vector<Entry>& entries = coming.duty->entries;
  const std::string here = number < entries.size() ? in_words({entries[number]}) : "nothing more";
  return {WEIR_EMISMATCH,
          "rank " + std::to_string(coming.source) + " puts something else where rank " + std::to_string(reach_.rank()) +
              " calls put of " + here + ": all ranks must put the same variables in the same order",
          -1};
}

void Courier::forget() {
  told_.clear();
  recipes_.clear();
}

bool Courier::throw_away() {
  int there = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.raw(), &there, &status), "MPI_Iprobe");
  if (there == 0) return false;
  int bytes = 0;
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  // Of pieces there are no more than fit the memory for them; only words may be more.
  std::vector<std::byte> words(bytes <= staging_.budget_bytes() ? 0 : static_cast<std::size_t>(bytes));
  std::byte* away = words.empty() ? staging_.received() : words.data();
  check_mpi(MPI_Recv(away, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm_.raw(), MPI_STATUS_IGNORE),
            "MPI_Recv");
  return true;
}

void Courier::drain(const Deadline& deadline) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool begun = false;
  for (Patience patience;; patience.pause()) {
    require(!deadline.passed(), WEIR_ETIMEOUT, "the ranks did not come to the end of what was under way");
    std::erase_if(coming_, [](Coming& coming) { return ended(coming.request); });
    while (coming_.empty() && throw_away()) {
    }
    std::erase_if(bells_, [](MPI_Request& bell) { return ended(bell); });
    if (!begun && bells_.empty() && coming_.empty() && sent(parcels_.empty() ? 0 : parcels_.back().cycle)) {
      check_mpi(MPI_Ibarrier(comm_.raw(), &barrier), "MPI_Ibarrier");
      begun = true;
    }
    if (begun && ended(barrier)) break;
  }
  received_bytes_ = 0;
  forget();
}

void Courier::abandon() noexcept {
  // Requests that a deadline has left behind may still read or write: their memory stays.
  static_cast<void>(new std::list<Parcel>(std::move(parcels_)));
  static_cast<void>(new std::list<Coming>(std::move(coming_)));
  bells_.clear();
  comm_.abandon();
}

}  // namespace weir
