// SPDX-License-Identifier: Apache-2.0
#include "core/library_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "core/border.hpp"
#include "mpi/agree.hpp"

namespace weir::bridge {

namespace {

constexpr std::int64_t most_small_bytes = 1 << 20;  // that wait for a flush

}  // namespace

LibraryFile::LibraryFile(WriterState& writer_state, std::unique_ptr<NamedFile> named)
    : writer_state_(writer_state), named_(std::move(named)) {}

void LibraryFile::lengthen(std::int64_t records) {
  whole_records_ = records;
  if (named_) named_->lengthen(least_file_bytes(writer_state_.defined, records));
  writer_state_.group->wait_for_all(formatted("the length of {}", writer_state_.name.path));
}

void LibraryFile::shorten() {
  if (std::exchange(whole_records_, -1) < 0) return;
  if (named_) named_->shorten(end_);
  writer_state_.group->wait_for_all(formatted("the length of {}", writer_state_.name.path));
}

bool LibraryFile::begin() {
  if (given_up_ || writer_state_.running != nullptr) return !given_up_;
  const Status status = writer_state_.guarded([] {});
  given_up_ = writer_state_.running == nullptr;
  raise_if_diverged(status);
  if (given_up_)
    writer_state_.complain(formatted("{}; falling back to the underlying library for this file", status.message));
  return !given_up_;
}

// The library has its own way to the file; Weir finds it by its name.
Status LibraryFile::attach() {
  if (writer_state_.file != nullptr) return {};
  return writer_state_.guarded([&] {
    require(!named_ || named_->still_named(), WEIR_EIO,
            "{}: another file has replaced it since it was created or opened", writer_state_.name.path);
    writer_state_.file = &writer_state_.weir().files().attach(
        {writer_state_.name.path, writer_state_.defined, writer_state_.name.hints, writer_state_.name.fill});
    writer_state_.file->puts().set_infinities(writer_state_.name.infinities);
  });
}

void LibraryFile::give_up(const Status& here) {
  const Status status = weir::agree(writer_state_.comm(),
                                    {AgreementPoint::give_up_bridge, mix(0, writer_state_.name.path),
                                     formatted("bridge to {}", writer_state_.name.path), nullptr},
                                    here, writer_state_.deadline());
  writer_state_.complain(formatted("{}; falling back to the underlying library for this file", status.message));
  if (writer_state_.file != nullptr) writer_state_.weir().files().leave(*std::exchange(writer_state_.file, nullptr));
  given_up_ = true;
}

bool LibraryFile::open() {
  if (!begin()) return false;
  if (writer_state_.file != nullptr) return true;
  const Status here = attach();
  const Status met = writer_state_.guarded([&] {
    std::int64_t astray = here.ok() ? 0 : 1;
    allreduce_max(writer_state_.comm(), std::span(&astray, 1), writer_state_.deadline(),
                  formatted("opening of {}", writer_state_.name.path));
    if (astray > 0) give_up(here);
  });
  raise_if_diverged(met);
  if (!met.ok()) writer_state_.complain(met.message);
  return met.ok() && !given_up_;
}

// All ranks hear all of it; where it is in the way of what waits, that lands first.
Outcome LibraryFile::put_small(std::span<const Share> shares) {
  Outcome outcome;
  const std::vector<std::int64_t> mine =
      SmallWrites::message(writer_state_.file->schema(), writer_state_.file->open_file().output->geometry(), shares,
                           writer_state_.name.infinities, outcome.out_of_range);
  SmallWrites::Call call =
      SmallWrites::read(allgather(writer_state_.comm(), mine, writer_state_.deadline(), writer_state_.put_words()));
  if (call.overlaps) return {Reason::overlap, 0, {}};
  const bool in_the_way = std::any_of(call.where.begin(), call.where.end(), [&](const SmallWrites::Where& where) {
    return writer_state_.file->puts().put_before(where.first, where.second);
  });
  if (in_the_way || small_writes_.lies_across(call) || small_writes_.bytes() > most_small_bytes) flush_now(false);
  small_writes_.add(std::move(call));
  Tally& tally = writer_state_.weir().tally();
  for (const Share& share : shares)
    tally.bytes_put += share.elements() * type_bytes(writer_state_.file->schema().variable(share.key.var).type);
  ++tally.puts;
  return outcome;
}

void LibraryFile::reach_record(int var, std::int64_t record) {
  const Schema& schema = writer_state_.file->schema();
  const Geometry& geometry = writer_state_.file->open_file().output->geometry();
  reach(geometry.first_byte(var, record) + variable_bytes(schema, var));
}

Element LibraryFile::read_first_element(int var, std::int64_t record) const {
  Element element{};
  const auto bytes = static_cast<std::size_t>(type_bytes(writer_state_.defined.schema.variable(var).type));
  const std::span<std::byte> found = std::span(element).first(bytes);
  named_->read(writer_state_.defined.geometry.first_byte(var, record), found);
  if constexpr (std::endian::native == std::endian::little) std::reverse(found.begin(), found.end());
  return element;
}

// Where ranks hold the same elements, it is tried once more with each part only once.
Outcome LibraryFile::carry(const Key& key, int layout, const Share* share) {
  Outcome outcome;
  if (writer_state_.layouts().hopeless(layout)) return {Reason::overlap, 0, {}};
  if (small_writes_.holds({key.var, key.record})) flush_now(false);
  if (writer_state_.try_carry(key, layout, share, outcome)) return outcome;
  const std::span<const Slab> slabs = share ? std::span<const Slab>(share->slabs) : std::span<const Slab>();
  const int once = writer_state_.layouts().define_once_each(shape_of(writer_state_.file->schema(), key.var), slabs);
  if (writer_state_.try_carry(key, once, share, outcome)) return outcome;
  writer_state_.layouts().give_up(once);
  return {Reason::overlap, 0, {}};
}

Status LibraryFile::flush_to_library(bool durable) {
  if (writer_state_.file == nullptr) return durable && unstored_ ? store() : Status{};
  if (!writer_state_.has_unflushed_puts && !durable) return {};
  Status status = writer_state_.guarded([&] { flush_now(durable); });
  if (status.ok()) writer_state_.has_unflushed_puts = false;
  return status;
}

void LibraryFile::flush_now(bool durable) {
  if (!small_writes_.empty())
    writer_state_.file->puts().add(writer_state_.group->comm().rank() == 0 ? small_writes_.extents()
                                                                           : std::vector<Extent>());
  writer_state_.file->commits().flush_attached(durable);
  small_writes_.clear();
  unstored_ = !durable;
}

// Of a file that Weir has let go of: the rank that has it open on a host stores all that was written on that host.
// Collective.
Status LibraryFile::store() {
  Status status = writer_state_.guarded([&] {
    const auto sync = [path = writer_state_.name.path]() -> Status {
      const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC), path);
      if (file.number() >= 0 && ::fdatasync(file.number()) == 0) return {};
      return {WEIR_EIO, formatted("fdatasync of {}: {}", path, std::strerror(errno))};
    };
    const Status here =
        writer_state_.weir().pipeline().storage().run(sync, formatted("a flush of {}", writer_state_.name.path));
    weir::agree(writer_state_.comm(),
                {AgreementPoint::store_by_bridge, mix(0, writer_state_.name.path),
                 formatted("flush of {}", writer_state_.name.path), nullptr},
                here, writer_state_.deadline())
        .raise();
  });
  if (status.ok()) unstored_ = false;
  return status;
}

Status LibraryFile::detach(bool durable) {
  Status status = flush_to_library(durable);
  if (writer_state_.file == nullptr) return status;
  status.merge(writer_state_.guarded([&] { writer_state_.weir().files().leave(*writer_state_.file); }));
  small_writes_.clear();
  writer_state_.file = nullptr;
  writer_state_.has_unflushed_puts = false;
  return status;
}

}  // namespace weir::bridge
