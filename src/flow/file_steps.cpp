// SPDX-License-Identifier: Apache-2.0
#include "flow/file_steps.hpp"

namespace weir {

Task<> create(CreateWorld& world) {
  co_await world.look();
  co_await world.meet(FileMeeting::created);
}

Task<> end_definitions(DefineWorld& world) {
  co_await world.meet(FileMeeting::defined);
  co_await world.make();
  co_await world.meet(FileMeeting::made);
}

Task<> commit(CommitWorld& world) {
  co_await world.flush();
  if (world.meets_before()) co_await world.meet(FileMeeting::together);
  co_await world.bring_to_storage();
  co_await world.meet(FileMeeting::durable);
  co_await world.publish();
  co_await world.meet(FileMeeting::published);
  world.end();
}

}  // namespace weir
