// SPDX-License-Identifier: Apache-2.0
// A sink writes bytes at offsets of one file, and knows nothing of variables. Implementations: direct_sink.cpp
// (pwrite), pnetcdf_sink.cpp (MPI-IO), null and memory (sink.cpp). src/README.md says how to add one; all pass
// tests/conformance/sink_mpi_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/config.hpp"
#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "storage/identity.hpp"

namespace weir {

class StorageCalls;

// Bytes in memory, and their offset in the file.
struct Extent {
  std::int64_t offset;  // bytes from the file's beginning
  std::int64_t bytes;
  const std::byte* data;
};

// Collective over the sink's communicator if collective(), else Local.
// Thread: one at a time, any; a collective sink calls MPI.
// Errors: returned; WEIR_EIO. The bytes of a failed write are undefined.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual SinkKind kind() const noexcept = 0;
  // Writes extents. With a collective sink, ranks without extents take part.
  // Requires: extents are ascending and disjoint; no other rank writes these bytes.
  // Ensures: the memory is the caller's again.
  virtual Status write(std::span<const Extent> extents) = 0;
  // Brings what this rank wrote to stable storage.
  virtual Status make_durable() = 0;
  // Notes the file's new name. Local.
  virtual void renamed(const std::string& path) { static_cast<void>(path); }
  // Whether all ranks must call write() and make_durable() together.
  virtual bool collective() const noexcept { return false; }
  // Returns what the report should say of the writes; "" if nothing.
  // Thread: any.
  virtual std::string remark() const { return ""; }
};

struct SinkOptions {
  std::string path;                               // of the existing file, which has its header
  Durability durability = Durability::storage;    // storage: make_durable() follows
  std::map<std::string, std::string> hints = {};  // for MPI-IO
  FileIdentity identity = {};                     // of the file that must have the path
  double begin = 0;                               // 0.25: the first quarter of the extents is written last
  WaitLimit wait = {};                            // of a collective write, for other ranks
  std::vector<int> aggregators = {};              // ranks that write joined short runs for all ranks; empty: rank 0
  std::int64_t stripe_bytes = 0;                  // bytes in a row on one storage server; 0: not known
  std::int64_t past_cache_bytes = 0;  // at least so many bytes of whole blocks go past the page cache; 0: none
  StorageCalls* calls = nullptr;      // makes calls of a collective sink; nullptr: the rank's own thread
};

// Makes a sink for an existing file.
// Collective over `comm` for a collective sink, else Local.
// Errors: WEIR_EIO.
std::unique_ptr<Sink> make_sink(SinkKind kind, const Comm& comm, const SinkOptions& options);

std::unique_ptr<Sink> make_direct_sink(const SinkOptions& options);
std::unique_ptr<Sink> make_pnetcdf_sink(const Comm& comm, const SinkOptions& options);
std::unique_ptr<Sink> make_null_sink();

// Keeps what this rank writes, for tests.
class MemorySink final : public Sink {
 public:
  SinkKind kind() const noexcept override { return SinkKind::memory; }
  Status write(std::span<const Extent> extents) override;
  Status make_durable() override { return {}; }
  // The written bytes by offset. A later write of the same offset wins.
  const std::map<std::int64_t, std::vector<std::byte>>& written() const noexcept { return written_; }

 private:
  std::map<std::int64_t, std::vector<std::byte>> written_;
};

}  // namespace weir
