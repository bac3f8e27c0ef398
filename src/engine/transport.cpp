// SPDX-License-Identifier: Apache-2.0
#include "engine/transport.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "engine/request.hpp"
#include "mpi/agree.hpp"
#include "mpi/comm.hpp"
#include "rearrange/copy.hpp"

namespace weir {

namespace {

constexpr int desync_tag = 1998;

}  // namespace

bool ended(MPI_Request& request) {
  int done = 0;
  check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

void DesyncNotice::send() {
  if (!sent_.empty() || received()) return;
  for (int rank = 0; rank < comm_.size(); ++rank)
    if (!reach_.of(rank))
      check_mpi(MPI_Issend(nullptr, 0, MPI_BYTE, rank, desync_tag, comm_.raw(), &sent_.emplace_back()), "MPI_Issend");
}

// Where no rank is out of reach MPI is not asked: each question may give the processor away.
bool DesyncNotice::received() const {
  if (reach_.everybody()) return false;
  int there = 0;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, desync_tag, comm_.raw(), &there, MPI_STATUS_IGNORE), "MPI_Iprobe");
  return there != 0;
}

bool DesyncNotice::acknowledged() {
  std::erase_if(sent_, [](MPI_Request& bell) { return ended(bell); });
  return sent_.empty();
}

void UnpackPrograms::encode(ArchiveWriter<std::int64_t>& archive, std::pair<int, std::int64_t> source_and_number,
                            int to, const CopyProgram& unpack_program) {
  const auto [source, number] = source_and_number;
  const bool news = sent_.insert({source, number, to}).second;
  archive(news);
  if (news) archive(unpack_program);
}

const CopyProgram& UnpackPrograms::decode(ArchiveReader& archive, std::pair<int, std::int64_t> source_and_number) {
  CopyProgram& unpack_program = unpack_programs_[source_and_number];
  if (archive.get<bool>()) {
    archive(unpack_program);
    program_bytes_ += memory_bytes(unpack_program);
  }
  return unpack_program;
}

void UnpackPrograms::forget() noexcept {
  numbers_.clear();
  sent_.clear();
  unpack_programs_.clear();
  program_bytes_ = 0;
}

std::int64_t UnpackPrograms::bytes() const noexcept {
  constexpr std::size_t node_bytes = 64;
  const std::size_t nodes = numbers_.size() * (node_bytes + sizeof(decltype(numbers_)::value_type)) +
                            sent_.size() * (node_bytes + sizeof(decltype(sent_)::value_type)) +
                            unpack_programs_.size() * (node_bytes + sizeof(decltype(unpack_programs_)::value_type));
  return program_bytes_ + static_cast<std::int64_t>(nodes);
}

namespace {

constexpr int words_tag = 1999;
// Of a payload message, so that none of a sender's is taken for another.
int bytes_tag(std::uint32_t serial) {
  return words_tag + 1 + static_cast<int>(serial % 16384);
}

struct MessageHead {
  std::uint32_t cycle;
  bool relay;  // it is to be passed on
  int source;
  std::uint32_t serial;
};
void fields(auto& archive, Either<MessageHead> auto& head) {
  archive(head.cycle, head.relay, head.source, head.serial);
}

constexpr std::size_t section_bytes = 5 * sizeof(std::int64_t);  // in a message, at the least

// A section's number where owners are fixed: the plan of its owner tells where it goes.
constexpr std::int64_t known_to_owner = -1;

const CopyProgram& unpack_program_of(const Entry& entry, int source) {
  const std::vector<Incoming>& all = entry.steps().incoming;
  return std::lower_bound(all.begin(), all.end(), source,
                          [](const Incoming& incoming, int rank) { return incoming.source < rank; })
      ->to_tile;
}

// What a piece is of, alike on all ranks.
std::int64_t identity(const Entry& entry) {
  std::uint64_t sum = mix(static_cast<std::uint64_t>(entry.file->serial), static_cast<std::uint64_t>(entry.var));
  sum = mix(sum, static_cast<std::uint64_t>(entry.record));
  sum = mix(sum, static_cast<std::uint64_t>(entry.reservation.tile));
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

// Whether a message is of the puts that this rank makes: else its pieces have no place here.
Status check(const Comm& comm, const auto& sections, int source, const PendingPuts& pending) {
  const std::vector<Entry>& entries = pending.entries;
  for (const auto& section : sections) {
    const bool known = section.entry < entries.size();
    if (known && identity(entries[section.entry]) == section.what) continue;
    return {WEIR_EMISMATCH, formatted("rank {} puts something else than rank {} calls put of {}: all ranks must put "
                                      "the same variables in the same order",
                                      comm.number_of(source), comm.number(),
                                      known ? in_words({entries[section.entry]}) : "nothing more")};
  }
  return {};
}

}  // namespace

std::byte* Transport::Area::take(std::int64_t bytes) noexcept {
  if (used + bytes > size) return nullptr;
  ++users;
  return begin + std::exchange(used, used + bytes);
}

Transport::Transport(const Comm& comm, const Reach& reach, Staging& staging, const Times& times,
                     const Deadline& deadline)
    : comm_(Comm::duplicate(comm.raw(), deadline)),
      timeout_seconds_(deadline.seconds()),
      reach_(reach),
      staging_(staging),
      times_(times),
      desync_notice_(comm_, reach) {
  const std::int64_t passed = staging.budget().passed_bytes();
  ending_ = {staging.received(), staging.budget().shares().message_bytes - passed};
  passing_ = {staging.received() + ending_.size, passed};
}

void Transport::send_to_relay(const Cycle& cycle, const std::vector<Entry>& entries) {
  collect(cycle, entries);
  send_message({cycle.number, comm_.rank(), true, nullptr}, cycle.relay, 0, sections_.size());
  ++traffic_.relayed;
}

void Transport::send(const Cycle& cycle, const std::vector<Entry>& entries) {
  collect(cycle, entries);
  std::erase_if(sections_, [&](const Section& section) {
    const bool own = section.holder.rank == comm_.rank();
    if (own) place_section(entries, section);
    return own;
  });
  send_sections({cycle.number, comm_.rank(), false, nullptr});
}

// What is packed.
void Transport::collect(const Cycle& cycle, const std::vector<Entry>& entries) {
  sections_.clear();
  for (std::size_t e = 0; e < entries.size(); ++e) {
    std::int64_t at = entries[e].reservation.packed;
    for (const Outgoing& out : entries[e].steps().outgoing) {
      if (!is_packed(cycle, out.owner_or_slot, reach_)) continue;
      const Slot holder = cycle.assigned() ? cycle.holder(out.owner_or_slot) : Slot{-1, 0};
      const std::int64_t bytes = out.count * entries[e].plan->element_bytes;
      const std::int64_t number = cycle.fixed ? known_to_owner : unpack_programs_.number(out);
      sections_.push_back({holder, out.owner_or_slot, e, identity(entries[e]), number, &out.unpack_program,
                           staging_.packed(at), bytes});
      at += bytes;
    }
  }
}

void Transport::send_sections(const Address& address) {
  std::sort(sections_.begin(), sections_.end(), [](const Section& a, const Section& b) {
    return std::tie(a.holder.rank, a.at) < std::tie(b.holder.rank, b.at);
  });
  for (std::size_t begin = 0; begin < sections_.size();) {
    std::size_t end = begin;
    while (end < sections_.size() && sections_[end].holder.rank == sections_[begin].holder.rank) ++end;
    send_message(address, sections_[begin].holder.rank, begin, end);
    begin = end;
  }
}

// A message's head, then its sections, each with its unpack program where the owner's plan does not have it and no
// earlier message had it.
void Transport::write_words(const Address& address, int to, std::size_t begin, std::size_t end, PendingSend& message) {
  message.words.clear();
  ArchiveWriter archive(message.words);
  archive(MessageHead{address.cycle, address.relay, address.source, serial_}, end - begin);
  for (const Section& section : std::span(sections_).subspan(begin, end - begin)) {
    archive(section);
    if (section.number != known_to_owner)
      unpack_programs_.encode(archive, {address.source, section.number}, to, *section.unpack_program);
  }
}

void Transport::read_words(const std::vector<std::int64_t>& words, PendingReceive& coming) {
  ArchiveReader archive(words);
  const auto head = archive.get<MessageHead>();
  coming.cycle = head.cycle;
  coming.relay = head.relay;
  coming.source = head.source;
  coming.tag = bytes_tag(head.serial);
  coming.bytes = 0;
  coming.begun = false;
  coming.sections.resize(archive.count(section_bytes));
  for (Section& section : coming.sections) {
    archive(section);
    coming.bytes += section.bytes;
    section.unpack_program =
        section.number == known_to_owner ? nullptr : &unpack_programs_.decode(archive, {coming.source, section.number});
  }
}

void Transport::send_message(const Address& address, int to, std::size_t begin, std::size_t end) {
  PendingSend& message = take_spare(spare_sends_, pending_sends_);
  message.cycle = address.cycle;
  message.to = to;
  message.area = address.area;
  if (message.area) ++message.area->users;
  ++serial_;
  write_words(address, to, begin, end, message);
  // Synchronous, so that what is sent is also received: nothing is under way when the communicator goes.
  check_mpi(MPI_Issend(message.words.data(), static_cast<int>(message.words.size()), MPI_INT64_T, to, words_tag,
                       comm_.raw(), &message.requests[0]),
            "MPI_Issend");
  ++traffic_.messages;
  if (begin == end) return;
  lengths_.clear();
  places_.clear();
  for (std::size_t i = begin; i < end; ++i) {
    lengths_.push_back(static_cast<int>(sections_[i].bytes));
    places_.push_back(sections_[i].at - sections_[begin].at);
    traffic_.message_bytes += sections_[i].bytes;
  }
  MPI_Datatype pieces = MPI_DATATYPE_NULL;
  check_mpi(
      MPI_Type_create_hindexed(static_cast<int>(lengths_.size()), lengths_.data(), places_.data(), MPI_BYTE, &pieces),
      "MPI_Type_create_hindexed");
  check_mpi(MPI_Type_commit(&pieces), "MPI_Type_commit");
  check_mpi(MPI_Issend(sections_[begin].at, 1, pieces, to, bytes_tag(serial_), comm_.raw(), &message.requests[1]),
            "MPI_Issend");
  check_mpi(MPI_Type_free(&pieces), "MPI_Type_free");
}

void Transport::drop_sent() {
  for (auto message = pending_sends_.begin(); message != pending_sends_.end();) {
    const auto each = message++;
    if (!ended(each->requests[0]) || !ended(each->requests[1])) continue;
    if (each->area) each->area->give_back();
    spare_sends_.splice(spare_sends_.begin(), pending_sends_, each);
  }
  note_received();
}

bool Transport::sent(std::uint32_t cycle) {
  drop_sent();
  const bool all = std::none_of(pending_sends_.begin(), pending_sends_.end(),
                                [&](const PendingSend& message) { return !later(message.cycle, cycle); });
  if (all) staging_.give_back(cycle);
  return all;
}

std::string Transport::slow(std::uint32_t cycle) const {
  std::vector<int> ranks;
  for (const PendingSend& message : pending_sends_)
    if (!later(message.cycle, cycle)) ranks.push_back(message.to);
  return comm_.listed(ranks);
}

void Transport::listen() {
  if (reach_.everybody()) return;
  drop_sent();
  for (;;) {
    int sender = MPI_ANY_SOURCE;
    if (!receive_if_there(comm_, sender, words_tag, heard_, Deadline(timeout_seconds_))) return;
    PendingReceive& coming = take_spare(spare_coming_, coming_);
    coming.sender = sender;
    read_words(heard_, coming);
  }
}

Status Transport::receive(PendingPuts& pending, bool relay) {
  Status status;
  if (pending.missing.load(std::memory_order_relaxed) == 0) return status;
  for (auto coming = coming_.begin(); coming != coming_.end();) {
    const auto each = coming++;
    const bool wanted = each->cycle == pending.cycle && (relay || !each->relay);
    if (!wanted || !begin_to_take(*each) || !ended(each->request)) continue;
    const Status fits = check(comm_, each->sections, each->source, pending);
    status.merge(fits);
    if (fits.ok()) end_to_take(*each, pending);
    (each->relay ? passing_ : ending_).give_back();
    note_received();
    spare_coming_.splice(spare_coming_.begin(), coming_, each);
  }
  return status;
}

// False where there is no room for it now.
bool Transport::begin_to_take(PendingReceive& coming) {
  if (coming.begun) return true;
  Area& area = coming.relay ? passing_ : ending_;
  // What was passed on may have gone meanwhile.
  if (coming.relay && area.used + coming.bytes > area.size) drop_sent();
  coming.at = area.take(coming.bytes);
  if (!coming.at) return false;
  note_received();
  if (coming.bytes > 0)
    check_mpi(MPI_Irecv(coming.at, static_cast<int>(coming.bytes), MPI_BYTE, coming.sender, coming.tag, comm_.raw(),
                        &coming.request),
              "MPI_Irecv");
  return coming.begun = true;
}

// Its pieces for tiles of this rank go to their places, others to their holders.
void Transport::end_to_take(const PendingReceive& coming, PendingPuts& pending) {
  const Span span(times_.trace.main(), Step::rearrange, times_.tally.rearrange_seconds,
                  {.number = coming.cycle, .bytes = coming.bytes, .peer = coming.source});
  std::int64_t counted = coming.relay ? 1 : 0;
  std::byte* at = coming.at;
  sections_.clear();
  for (Section section : coming.sections) {
    section.at = std::exchange(at, at + section.bytes);
    section.holder = pending.holder(section.owner_or_slot, comm_.rank());
    if (!section.unpack_program)
      section.unpack_program = &unpack_program_of(pending.entries[section.entry], coming.source);
    if (section.holder.rank != comm_.rank()) {
      sections_.push_back(section);
      continue;
    }
    place_section(pending.entries, section);
    ++counted;
  }
  if (coming.relay) {
    send_sections({coming.cycle, coming.source, false, &passing_});
    --pending.relayed;
  }
  pending.missing.fetch_sub(counted, std::memory_order_release);
}

void Transport::place_section(const std::vector<Entry>& entries, const Section& section) {
  const Entry& entry = entries[section.entry];
  unpack(*section.unpack_program, section.at, staging_.own_tile(section.holder.tile_buffer, entry.reservation.tile),
         entry.plan->element_bytes);
}

void Transport::forget() {
  unpack_programs_.forget();
  // What unpack programs have come and gone in.
  spare_sends_.clear();
  heard_ = {};
}

bool Transport::throw_away(const Deadline& deadline) {
  int there = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.raw(), &there, &status), "MPI_Iprobe");
  if (there == 0) return false;
  int bytes = 0;
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  // Of pieces there are no more than fit the memory for them; only words may be more.
  PinnedForMpi words(
      std::vector<std::byte>(bytes <= staging_.budget().shares().message_bytes ? 0 : static_cast<std::size_t>(bytes)));
  std::byte* away = words->empty() ? staging_.received() : words->data();
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Irecv(away, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm_.raw(), &request), "MPI_Irecv");
  wait_all(std::span(&request, 1), deadline, "completion of outstanding messages");
  words.returned();
  return true;
}

void Transport::drain(const Deadline& deadline) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool begun = alone(comm_);
  for (Backoff backoff;; backoff.pause()) {
    require(!deadline.passed(), WEIR_ETIMEOUT, "timed out waiting for outstanding messages");
    std::erase_if(coming_,
                  [](PendingReceive& coming) { return ended(coming.request); });  // the rest comes to throw_away
    while (coming_.empty() && !alone(comm_) && throw_away(deadline)) {
    }
    const bool heard = desync_notice_.acknowledged();
    drop_sent();
    if (!begun && heard && coming_.empty() && pending_sends_.empty()) {
      check_mpi(MPI_Ibarrier(comm_.raw(), &barrier), "MPI_Ibarrier");
      begun = true;
    }
    if (begun && ended(barrier)) break;
  }
  for (Area* area : {&ending_, &passing_}) *area = {area->begin, area->size};
  forget();
}

void Transport::abandon() noexcept {
  // Requests that a deadline has left behind may still read or write: their memory stays.
  static_cast<void>(new std::list<PendingSend>(std::move(pending_sends_)));
  static_cast<void>(new std::list<PendingReceive>(std::move(coming_)));
  desync_notice_.abandon();
  comm_.abandon();
}

}  // namespace weir
