// SPDX-License-Identifier: Apache-2.0
#include "simulate/file_world.hpp"

namespace weir::simulate {

Task FileWorld::make() {
  if (calls()) co_await job_.engine.until(job_.storage.created());
  co_await job_.meet(rank_);
}

Task FileWorld::publish() {
  if (calls()) co_await job_.engine.until(job_.storage.committed());
}

}  // namespace weir::simulate
