// SPDX-License-Identifier: Apache-2.0
#include "pipeline/own_reading.hpp"

#include <algorithm>

#include "plan/reading_way.hpp"

namespace weir {

namespace {

constexpr std::int64_t most_block_bytes = 512 << 10;  // stays in a core's cache between reading and decoding
constexpr std::int64_t share = 8;                     // of buffer_limit, for a block, and for plans

}  // namespace

bool OwnReading::may_read() const noexcept {
  return may_read_each_for_itself(rank_.config, rank_.machine, rank_.reach.shared());
}

OwnReading::Kept OwnReading::plan(int number, const Layout& layout, int element_bytes) {
  if (!may_read()) return nullptr;
  const auto found = kept_.find({number, element_bytes});
  if (found != kept_.end()) return found->second;
  if (!has_long_runs(layout, element_bytes)) return nullptr;
  const std::int64_t room = rank_.config.buffer_limit_bytes / share;
  auto made = std::make_shared<const OwnPlan>(plan_own(layout, element_bytes, std::min(most_block_bytes, room)));
  const std::int64_t bytes = memory_bytes(*made);
  if (bytes > room || !reads_little_more(*made, element_bytes)) return nullptr;
  if (number < 0) return made;
  if (kept_bytes_ + bytes > room) {
    kept_.clear();
    kept_bytes_ = 0;
  }
  kept_bytes_ += bytes;
  return kept_[{number, element_bytes}] = std::move(made);
}

void OwnReading::get(const GetRequest& request, const Kept& plan) {
  OwnRead reading({rank_.storage, rank_.tally, rank_.trace});
  RangeFailure failure;
  Status status;
  for (const GetRequest::Record& record : request.records) {
    if (!status.ok()) break;
    status = reading.execute(
        request.source,
        {request.var, record.number, plan, request.external_type, request.memory_type, request.file->infinities, record.values},
        failure);
  }
  reading_.end(request, failure, std::move(status));
}

void OwnReading::forget(int layout) {
  std::erase_if(kept_, [&](const auto& entry) {
    if (entry.first.first != layout) return false;
    kept_bytes_ -= memory_bytes(*entry.second);
    return true;
  });
}

}  // namespace weir
