// SPDX-License-Identifier: Apache-2.0
// The storage: what writers get of it, and when.
//
// A write goes in steps of some MiB, so that what a writer gets follows from who else writes meanwhile. A step takes as
// long as the slowest of: the writer's share of what so many writers of its domain get together (a measured curve),
// less where other domains are written too; the file's and the storage's whole speed; the servers on which its stripes
// lie, each first come first served, with a time for every request and for a stripe that another writer had before; the
// card of its node. A local storage is one a node, and a file of it takes one write at a time: there the curve's whole
// rate is shared by all who write the file, cycle after cycle, small pieces wait for each other, and the bytes pass the
// node's memory.
//
// Reading takes the same rates: a reader gets its share of what so many get together. What more writers lose to each
// other, readers do not: beyond the number of writers that get most together more readers share that, in the order in
// which they ask. Each request takes its reader a message there and back.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "simulate/network.hpp"

namespace weir::simulate {

// A writer's part of a file that is written in one go.
struct Writing {
  int node = 0;
  std::int64_t file = 0;    // of part files: each has a number
  std::int64_t domain = 0;  // what is written together: a cycle of a file
  std::int64_t first_byte = 0;
  std::int64_t span = 0;  // bytes from the first to the last one
  std::int64_t bytes = 0;
  std::int64_t requests = 1;  // contiguous pieces
};

// A reader's part of a file that is read in one go.
struct Reading {
  int node = 0;
  std::int64_t first_byte = 0;
  std::int64_t span = 0;  // bytes from the first to the last one
  std::int64_t bytes = 0;
  std::int64_t requests = 1;  // contiguous pieces
};

// Where the files of a run lie; 0: what the profile says.
struct Striping {
  std::int64_t count = 0;
  std::int64_t size = 0;
};

// Of a file that is striped so: what its file system reports of it; 0: nothing.
inline std::int64_t stripe_bytes_told(const Stripes& stripes, const Striping& file) noexcept {
  if (!stripes.told) return 0;
  return file.size > 0 ? file.size : stripes.size;
}

class Storage {
 public:
  Storage(Engine& engine, const Profile& profile, Network& network, Memory& memory);
  void set(const Striping& striping);

  // As a rank does it: waits until it is written. The writing must live as long.
  void write(const Writing& writing);
  // As a rank does it: waits until it is read, from a file that all read and no rank writes. The reading must live as
  // long.
  void read(const Reading& reading);
  // When a file is made, or a commit done, that is begun now.
  double created() const noexcept { return engine_.now() + profile_.storage.create.value; }
  double committed() const noexcept { return engine_.now() + profile_.storage.commit.value; }

  std::int64_t bytes() const noexcept { return bytes_; }
  std::int64_t bytes_read() const noexcept { return bytes_read_; }
  std::int64_t requests_to_read() const noexcept { return requests_to_read_; }
  std::int64_t stripe_bytes() const noexcept { return stripe_bytes_; }
  std::int64_t stripe_count() const noexcept { return stripe_count_; }
  double busiest_server() const noexcept;
  double busy_seconds() const noexcept { return total_.busy_seconds(); }

 private:
  struct Domain {
    int writers = 0;
    Backlog whole;  // a file that takes one write at a time
  };
  using FileKey = std::pair<int, std::int64_t>;  // where each node has its own storage, that node and the file
  struct WriteStep {                             // a step of a writing, or of a reading
    std::int64_t first_byte, span, bytes;
    double requests;
  };
  template <class Whole>
  static WriteStep step_of(const Whole& whole, std::int64_t i, std::int64_t steps);
  double step(const Writing& writing, const WriteStep& part);
  double read_step(const Reading& reading, const WriteStep& part);
  FileKey place_of(const Writing& writing) const noexcept;
  double served(const WriteStep& part, bool writes);

  Engine& engine_;
  const Profile& profile_;
  Network& network_;
  Memory& memory_;
  std::int64_t stripe_bytes_ = 0, stripe_count_ = 0;
  std::map<FileKey, Domain> domains_;  // being written
  std::map<int, int> open_;            // how many of them in each place
  std::vector<Backlog> servers_;
  std::vector<Backlog> read_;  // what is read of the file; of each node's, where it has its own storage
  Backlog total_;
  std::int64_t bytes_ = 0, bytes_read_ = 0, requests_to_read_ = 0;
  int readers_ = 0;           // at the moment
  double most_together_ = 1;  // writers that get the most together
};

}  // namespace weir::simulate
