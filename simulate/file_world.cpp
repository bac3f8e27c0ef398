// SPDX-License-Identifier: Apache-2.0
#include "simulate/file_world.hpp"

namespace weir::simulate {

Task FileWorld::make() {
  if (calls()) co_await job_.engine.until(created());
  co_await job_.meet(rank_);
}

Task FileWorld::publish() {
  if (calls()) co_await job_.engine.until(committed());
}

double FileWorld::created() const {
  return job_.packed ? job_.now() + job_.packed->create_seconds() : job_.storage.created();
}

double FileWorld::committed() const {
  return job_.packed ? job_.now() + job_.packed->commit_seconds() : job_.storage.committed();
}

Task FileWorld::bring_to_storage() {
  begin_ = job_.now();
  return job_.packed ? enter_chunks() : Task::nothing();
}

// Of packed chunks rank 0 hears from all, and all of it where the file then ends (PackedFile's prepare_commit).
Task FileWorld::enter_chunks() {
  co_await job_.meet(rank_);
  if (rank_ == 0) co_await job_.engine.pause(job_.packed->enter_seconds());
  co_await job_.meet(rank_);
}

}  // namespace weir::simulate
