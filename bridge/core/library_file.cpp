// SPDX-License-Identifier: Apache-2.0
#include "core/library_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/border.hpp"
#include "mpi/agree.hpp"

namespace weir::bridge {

namespace {

constexpr std::int64_t most_loose_bytes = 1 << 20;  // that wait to land

}  // namespace

LibraryFile::LibraryFile(Carried& carried, std::unique_ptr<NamedFile> named)
    : carried_(carried), named_(std::move(named)) {}

void LibraryFile::lengthen(std::int64_t records) {
  whole_records_ = records;
  if (named_) named_->lengthen(least_file_bytes(carried_.defined, records));
  carried_.group->meet("the length of " + carried_.name.path);
}

void LibraryFile::shorten() {
  if (std::exchange(whole_records_, -1) < 0) return;
  if (named_) named_->shorten(end_);
  carried_.group->meet("the length of " + carried_.name.path);
}

bool LibraryFile::begin() {
  if (given_up_ || carried_.running != nullptr) return !given_up_;
  const Status status = carried_.guarded([] {});
  given_up_ = carried_.running == nullptr;
  raise_if_parted(status);
  if (given_up_) carried_.complain(status.message + "; the file is left to the library behind");
  return !given_up_;
}

// The library has its own way to the file; Weir finds it by its name.
Status LibraryFile::attach() {
  if (carried_.file != nullptr) return {};
  return carried_.guarded([&] {
    require(!named_ || named_->still_named(), WEIR_EIO,
            carried_.name.path + ": another file has taken this name since it was created or opened");
    carried_.file = &carried_.weir().files().attach(
        {carried_.name.path, carried_.defined, carried_.name.hints, carried_.name.fill});
    carried_.file->puts().set_infinities(carried_.name.infinities);
  });
}

void LibraryFile::give_up(const Status& here) {
  const Status status = weir::agree(
      carried_.comm(),
      {AgreementPoint::give_up_bridge, mix(0, carried_.name.path), "bridge to " + carried_.name.path, nullptr}, here,
      carried_.deadline());
  carried_.complain(status.message + "; the file is left to the library behind");
  if (carried_.file != nullptr) carried_.weir().files().leave(*std::exchange(carried_.file, nullptr));
  given_up_ = true;
}

bool LibraryFile::open() {
  if (!begin()) return false;
  if (carried_.file != nullptr) return true;
  const Status here = attach();
  const Status met = carried_.guarded([&] {
    std::int64_t astray = here.ok() ? 0 : 1;
    allreduce_max(carried_.comm(), std::span(&astray, 1), carried_.deadline(), "opening of " + carried_.name.path);
    if (astray > 0) give_up(here);
  });
  raise_if_parted(met);
  if (!met.ok()) carried_.complain(met.message);
  return met.ok() && !given_up_;
}

// All ranks hear all of it; where it is in the way of what waits, that lands first.
Outcome LibraryFile::put_loose(std::span<const Share> shares) {
  Outcome outcome;
  const std::vector<std::int64_t> mine =
      LoosePieces::message(carried_.file->schema(), carried_.file->open_file().output->geometry(), shares,
                           carried_.name.infinities, outcome.out_of_range);
  LoosePieces::Call call =
      LoosePieces::read(allgather(carried_.comm(), mine, carried_.deadline(), carried_.put_words()));
  if (call.overlaps) return {Reason::overlap, 0, {}};
  const bool in_the_way = std::any_of(call.where.begin(), call.where.end(), [&](const LoosePieces::Where& where) {
    return carried_.file->puts().put_before(where.first, where.second);
  });
  if (in_the_way || loose_.lies_across(call) || loose_.bytes() > most_loose_bytes) land_now(false);
  loose_.add(std::move(call));
  Tally& tally = carried_.weir().tally();
  for (const Share& share : shares)
    tally.bytes_put += share.elements() * type_bytes(carried_.file->schema().variable(share.key.var).type);
  ++tally.puts;
  return outcome;
}

void LibraryFile::reach_record(int var, std::int64_t record) {
  const Schema& schema = carried_.file->schema();
  const Geometry& geometry = carried_.file->open_file().output->geometry();
  reach(geometry.first_byte(var, record) + variable_bytes(schema, var));
}

// Where ranks hold the same elements, it is tried once more with each part only once.
Outcome LibraryFile::carry(const Key& key, int layout, const Share* share) {
  Outcome outcome;
  if (carried_.layouts().hopeless(layout)) return {Reason::overlap, 0, {}};
  if (loose_.holds({key.var, key.record})) land_now(false);
  if (carried_.try_carry(key, layout, share, outcome)) return outcome;
  const std::span<const Slab> slabs = share ? std::span<const Slab>(share->slabs) : std::span<const Slab>();
  const int once = carried_.layouts().define_once_each(shape_of(carried_.file->schema(), key.var), slabs);
  if (carried_.try_carry(key, once, share, outcome)) return outcome;
  carried_.layouts().give_up(once);
  return {Reason::overlap, 0, {}};
}

Status LibraryFile::land(bool durable) {
  if (carried_.file == nullptr) return durable && unstored_ ? store() : Status{};
  if (!carried_.afloat && !durable) return {};
  Status status = carried_.guarded([&] { land_now(durable); });
  if (status.ok()) carried_.afloat = false;
  return status;
}

void LibraryFile::land_now(bool durable) {
  if (!loose_.empty())
    carried_.file->puts().add(carried_.group->comm().rank() == 0 ? loose_.extents() : std::vector<Extent>());
  carried_.file->commits().land(durable);
  loose_.clear();
  unstored_ = !durable;
}

// Of a file that Weir has let go of: whoever has it open on a host stores all that was written on that host.
// Collective.
Status LibraryFile::store() {
  Status status = carried_.guarded([&] {
    const auto sync = [path = carried_.name.path]() -> Status {
      const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC), path);
      if (file.number() >= 0 && ::fdatasync(file.number()) == 0) return {};
      return {WEIR_EIO, "fdatasync of " + path + ": " + std::strerror(errno), -1};
    };
    const Status here = carried_.weir().pipeline().storage().run(sync, "a flush of " + carried_.name.path);
    weir::agree(
        carried_.comm(),
        {AgreementPoint::store_by_bridge, mix(0, carried_.name.path), "flush of " + carried_.name.path, nullptr}, here,
        carried_.deadline())
        .raise();
  });
  if (status.ok()) unstored_ = false;
  return status;
}

Status LibraryFile::detach(bool durable) {
  Status status = land(durable);
  if (carried_.file == nullptr) return status;
  status.merge(carried_.guarded([&] { carried_.weir().files().leave(*carried_.file); }));
  loose_.clear();
  carried_.file = nullptr;
  carried_.afloat = false;
  return status;
}

}  // namespace weir::bridge
