// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include <algorithm>
#include <utility>

#include "mpi/post.hpp"
#include "rearrange/tile.hpp"

namespace weir {

namespace {

constexpr std::int64_t flush_point = 101;

std::uint64_t identity(const Offer& offer) {
  std::uint64_t signature = mix(0, static_cast<std::uint64_t>(offer.file->serial));
  signature = mix(signature, static_cast<std::uint64_t>(offer.var));
  signature = mix(signature, static_cast<std::uint64_t>(offer.record));
  return mix(signature, static_cast<std::uint64_t>(offer.key.layout));
}

}  // namespace

RangeFailure Pipeline::put(const Offer& offer) {
  const Plan& steps = plan(offer.key, *offer.layout, *offer.file, offer.var);
  RangeFailure failure;
  for (std::size_t round = 0; round < steps.rounds.size(); ++round) {
    const Need bytes = need(steps, round);
    if (!staging_.fits(bytes)) flush();
    const Entry entry{offer.file,  offer.var, offer.record,   &steps, round, staging_.reserve(bytes),
                      offer.fill, identity(offer)};
    batch_.add(entry);
    const Stopwatch watch(tally_.put_seconds);
    failure.merge(stage(entry, offer.buffer, staging_, host_rank_of_));
  }
  tally_.bytes_put += offer.layout->elements_held() * offer.key.element_bytes;
  ++tally_.puts;
  return failure;
}

void Pipeline::flush() {
  agree_to_write();
  {
    const Stopwatch watch(tally_.forward_seconds);
    forward_.exchange(batch_, staging_, deadline());
  }
  rearrange();
  write();
  batch_.clear();
  staging_.turn();
  ++tally_.cycles;
}

// Until all ranks agree on what is left in the batch: a file that failed on one rank leaves it on all.
void Pipeline::agree_to_write() {
  const std::function<std::vector<std::string>()> history = [this] { return batch_.describe(); };
  const Stopwatch watch(tally_.wait_seconds);
  staging_.synchronize();
  for (;;) {
    const Status common = agree(comm_, {flush_point, batch_.signature(), "flush", &history}, take_noted(), deadline());
    if (common.ok()) break;
    fail(common);
    batch_.drop_failed();
  }
  staging_.synchronize();
}

void Pipeline::rearrange() {
  const Stopwatch watch(tally_.rearrange_seconds);
  for (const Arrival& arrival : forward_.arrivals()) {
    const Entry& entry = batch_.entries()[arrival.entry];
    place(arrival.incoming->to_tile, arrival.bytes, staging_.own_tile(entry.place.tile), entry.plan->element_bytes);
  }
  for (const Entry& entry : batch_.entries())
    fill_holes(entry.steps(), staging_.own_tile(entry.place.tile), entry.fill, entry.plan->element_bytes);
}

void Pipeline::write() {
  const Stopwatch watch(tally_.write_seconds);
  for (OpenFile* file : files_) {
    ready_.clear();
    bool concerned = false;
    for (const Entry& entry : batch_.entries()) {
      if (entry.file != file) continue;
      concerned = true;
      if (entry.steps().tile_elements > 0)
        ready_.push_back({entry.var, entry.record, entry.plan, entry.round, staging_.own_tile(entry.place.tile)});
    }
    if (!concerned || (ready_.empty() && !file->output->collective())) continue;
    Status status = file->output->write(ready_);
    status.subject = file->serial;
    note(std::move(status));
  }
}

void Pipeline::meet(const Point& point, Status mine, const OpenFile* file, std::int64_t* question) {
  const Stopwatch watch(tally_.wait_seconds);
  const std::int64_t asked = question ? *question : 0;
  note(std::move(mine));
  for (;;) {
    std::int64_t answer = asked;
    const Status common = agree(comm_, point, take_noted(), deadline(), &answer);
    if (question) *question = answer;
    if (common.ok()) return;
    fail(common);
    if (common.subject < 0 || (file && common.subject == file->serial)) common.raise();
  }
}

void Pipeline::note(Status status) {
  if (!status.ok()) noted_.push_back(std::move(status));
}

Status Pipeline::take_noted() {
  if (noted_.empty()) return {};
  Status first = std::move(noted_.front());
  noted_.erase(noted_.begin());
  return first;
}

void Pipeline::fail(const Status& status) {
  for (OpenFile* file : files_)
    if (status.subject < 0 || status.subject == file->serial) file->failure.merge(status);
}

}  // namespace weir
