// SPDX-License-Identifier: Apache-2.0
// Puts by layouts that all ranks know.
#include <algorithm>
#include <span>

#include "core/carrier.hpp"
#include "mpi/agree.hpp"

namespace weir::bridge {

bool Carrier::open() {
  if (given_up_ || (running_ == nullptr && !begin())) return false;
  if (file_ != nullptr) return true;
  const Status here = guarded([&] { attach(); });
  const Status met = guarded([&] {
    std::int64_t astray = here.ok() ? 0 : 1;
    allreduce_max(running_->weir->comm(), std::span(&astray, 1), running_->weir->pipeline().deadline(),
                  "opening of " + name_.path);
    if (astray > 0) give_up(here);
  });
  if (ends_instance(met.code)) met.raise();
  if (!met.ok()) complain(met.message);
  return met.ok() && !given_up_;
}

Outcome Carrier::put_placed(int var, std::int64_t record, int layout, Type type, const void* values) {
  Outcome outcome;
  const Status trouble = guarded([&] {
    const Schema& schema = file_->schema();
    if (whole_records_ < 0 && !name_.made()) lengthen(file_->open_file().output->geometry().records);
    afloat_ = true;
    try {
      outcome.out_of_range = file_->puts().carry(var, record, layout, type, values).count;
    } catch (const Error& error) {
      if (error.code() != WEIR_EOVERLAP) throw;
      outcome.reason = Reason::overlap;
      return;
    }
    learn_records(schema.is_record(var) ? record + 1 : 0);
    if (name_.made()) {
      pieces_.drop({var, record});
      return pieces_.mark_whole({var, record});
    }
    const Geometry& geometry = file_->open_file().output->geometry();
    const std::int64_t begin = geometry.begin[static_cast<std::size_t>(var)] + record * geometry.record_bytes;
    end_ = std::max(end_, begin + schema.elements(var) * type_bytes(schema.variable(var).type));
  });
  if (!trouble.ok()) return {Reason::failed, 0, trouble};
  return outcome;
}

void Carrier::fail_put(const std::string& sentence) {
  const Status told = guarded([&] { complain_here(file_->fail(WEIR_EARGUMENT, sentence)); });
  if (!told.ok()) complain_here(told.message);
}

}  // namespace weir::bridge
