// SPDX-License-Identifier: Apache-2.0
// Files that Weir makes in another format: PnetCDF has a stand-in with their definitions, and none of their data.
#include <mpi.h>

#include <algorithm>
#include <utility>

#include "core/codes.hpp"
#include "pnetcdf/files.hpp"
#include "pnetcdf/original_calls.hpp"

namespace weir::bridge {

namespace {

// Whether a put may have elements of one that is in the batch.
bool meets(const Prepared& put, std::span<const LocalSlabs> batch) {
  return std::any_of(batch.begin(), batch.end(), [&](const LocalSlabs& other) {
    if (other.var != put.part.var) return false;
    for (const Slab& a : put.part.slabs)
      for (const Slab& b : other.slabs)
        if (may_meet(a, b)) return true;
    return other.type != put.part.type;
  });
}

}  // namespace

int BridgedFile::refuse(const std::string& why) {
  if (!std::exchange(refused_, true) && group_->comm().rank() == 0) group_->process().say(name_.given + ": " + why);
  pass(Reason::packed);
  return NC_ENOTSUPPORT;
}

int BridgedFile::refuse_alone(const std::string& why) {
  if (!std::exchange(refused_alone_, true))
    group_->process().say("rank " + std::to_string(group_->comm().number()) + ": " + name_.given + ": " + why);
  pass(Reason::packed);
  return NC_ENOTSUPPORT;
}

int BridgedFile::keep_alone(Prepared put) {
  const Type external = variables()[static_cast<std::size_t>(put.part.var)].type;
  if (put.packed.empty() && put.elements > 0) {
    const auto* values = static_cast<const std::byte*>(put.part.values);
    put.packed.assign(values, values + put.elements * type_bytes(put.part.type));
    put.part.values = put.packed.data();
  }
  kept_bytes_ += std::ssize(put.packed);
  const Config* const config = group_->config_for(name_.given);
  if (config != nullptr && kept_bytes_ > config->buffer_limit_bytes) {
    refuse_alone(
        "more than buffer_limit waits of puts that one rank made alone; put collectively, or raise buffer_limit");
    return NC_ENOMEM;
  }
  const bool fits = misfits(put.part.values, put.elements, put.part.type, external) == 0;
  carrier_->learn_records(put.records);
  kept_.push_back(std::move(put));
  return fits ? NC_NOERR : NC_ERANGE;
}

// In as few calls as keep a later put of the same elements behind an earlier one.
int BridgedFile::put_kept() {
  const std::vector<Prepared> kept = std::exchange(kept_, {});
  kept_bytes_ = 0;
  int code = NC_NOERR;
  std::size_t next = 0;
  for (;;) {
    int left = next < kept.size() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPI_INT, MPI_MAX, carrier_->group().comm().raw());
    if (left == 0) break;
    std::vector<LocalSlabs> batch;
    std::int64_t records = 0, bytes = 0;
    for (; next < kept.size() && !meets(kept[next], batch); ++next) {
      batch.push_back(kept[next].part);
      records = std::max(records, kept[next].records);
      bytes += kept[next].bytes;
    }
    const Answer answer = put(batch, records, Reason::none);
    count_bytes(bytes);
    if (!answer.taken) code = refuse("ranks have put the same elements by themselves; put each element once");
    if (answer.taken && answer.code != NC_ERANGE && code == NC_NOERR) code = answer.code;
  }
  return code;
}

int BridgedFile::look_made(Then then) {
  if (!ready()) return reason_ == Reason::none ? NC_NOERR : refuse("its definitions could not be agreed on");
  if (!surveyed_ && !started()) learn_definition(define_again());
  const int code = put_kept();
  Status status;
  if (then == Then::stores) status = carrier_->commit();
  if (then == Then::closes) status = carrier_->finish();
  if (!status.ok()) return fail(status);
  if (then == Then::redefines) surveyed_ = surveyed_ && started();
  const int told = mode_ == Mode::collective && then != Then::closes ? tell() : NC_NOERR;
  return code != NC_NOERR ? code : told;
}

}  // namespace weir::bridge
