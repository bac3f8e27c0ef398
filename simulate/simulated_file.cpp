// SPDX-License-Identifier: Apache-2.0
#include "simulate/simulated_file.hpp"

namespace weir::simulate {

void SimulatedFile::make() {
  job_.barrier(rank_);
  job_.barrier(rank_);
  if (calls()) job_.engine.until(created());
  job_.barrier(rank_);
  job_.barrier(rank_);
}

void SimulatedFile::publish() {
  if (calls()) job_.engine.until(committed());
}

double SimulatedFile::created() const {
  return job_.packed ? job_.now() + job_.packed->create_seconds() : job_.storage.created();
}

double SimulatedFile::committed() const {
  return job_.packed ? job_.now() + job_.packed->commit_seconds() : job_.storage.committed();
}

// Of packed chunks rank 0 hears from all, and all of it where the file then ends (PackedFile's prepare_commit).
void SimulatedFile::bring_to_storage() {
  begin_ = job_.now();
  if (!job_.packed) return;
  job_.barrier(rank_);
  if (rank_ == 0) job_.engine.pause(job_.packed->enter_seconds());
  job_.barrier(rank_);
}

}  // namespace weir::simulate
