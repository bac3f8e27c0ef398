// SPDX-License-Identifier: Apache-2.0
// How all ranks make a file and commit it: what each of them does in which order, what rank 0 does alone, and where all
// of them meet. Written once: a run (file/) and its simulation (simulate/file_world.hpp) are two worlds of it. Each
// step keeps what it finds wrong for the meeting that follows it, which throws it, alike on all ranks. Pure.
#pragma once

#include <cstdint>

#include "base/task.hpp"

namespace weir {

enum class FileMeeting : std::uint8_t {
  created,    // rank 0 has looked at the name
  defined,    // all ranks have the same definitions
  made,       // and the file, with what each needs of it
  together,   // nobody has failed or does something else: what comes next waits for all
  durable,    // what every rank wrote is on stable storage
  published,  // rank 0 has made it visible
};

// Of a call that begins a file.
class CreateWorld {
 public:
  virtual ~CreateWorld() = default;
  virtual Task<> meet(FileMeeting meeting) = 0;
  // Whether a file can be made there. By rank 0.
  virtual Task<> look() = 0;
};

// Of the call that ends its definitions.
class DefineWorld {
 public:
  virtual ~DefineWorld() = default;
  virtual Task<> meet(FileMeeting meeting) = 0;
  // Rank 0 makes the file, and all ranks hear what it is.
  virtual Task<> make() = 0;
};

class CommitWorld {
 public:
  virtual ~CommitWorld() = default;
  virtual Task<> meet(FileMeeting meeting) = 0;
  // All that was put is written.
  virtual Task<> flush() = 0;
  // Whether ranks are to be heard before anything is brought to storage.
  virtual bool meets_before() const = 0;
  // What nobody put is filled, and what this rank wrote is brought to stable storage.
  virtual Task<> bring_to_storage() = 0;
  // Rank 0 makes it visible.
  virtual Task<> publish() = 0;
  // It is, and this rank knows.
  virtual void end() = 0;
};

Task<> create(CreateWorld& world);
Task<> end_definitions(DefineWorld& world);
Task<> commit(CommitWorld& world);

}  // namespace weir
