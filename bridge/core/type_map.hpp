// SPDX-License-Identifier: Apache-2.0
// The type map of an MPI datatype: the bytes it describes, as runs of bytes in MPI's order. The datatype is decoded
// once and may be freed then. Knows nothing of Weir. Local.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace weir::bridge {

// Bytes [begin, begin + bytes), counted from the address that the datatype is used with.
struct ByteRun {
  std::int64_t begin = 0, bytes = 0;
  bool operator==(const ByteRun&) const = default;
};

class TypeMap {
 public:
  // nullopt where the datatype is, or is made of, what is not read here: darray, Fortran's types of a precision, basic
  // types with gaps; or where it is larger to read than half a million blocks, or deeper than 64 datatypes. Of a
  // datatype whose size is no int the runs' bytes may not be counted.
  static std::optional<TypeMap> of(MPI_Datatype datatype);

  // Calls `body` for each run, until it says false; false then. Runs that follow each other without a gap may be one,
  // and need not be. The time it takes grows with the runs, not with the bytes.
  using Body = std::function<bool(ByteRun)>;
  bool each_run(const Body& body) const { return walk(root_, 0, body); }

 private:
  // `node` as many times, the first one at `begin`, the next ones `stride` bytes after each other.
  struct Loop {
    std::int64_t begin, count, stride;
    std::size_t node;
  };
  // One run (of 0 bytes: nothing); or loops, one after another.
  struct Node {
    ByteRun run;
    std::vector<Loop> loops;
  };
  friend class TypeReader;

  std::optional<ByteRun> as_run(const Loop& loop) const;
  std::optional<ByteRun> as_run(const std::vector<Loop>& loops) const;
  std::size_t add(std::vector<Loop> loops);
  bool walk(std::size_t node, std::int64_t at, const Body& body) const;

  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace weir::bridge
