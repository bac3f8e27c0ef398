// SPDX-License-Identifier: Apache-2.0
// A sink writes bytes at given offsets of one file; it knows nothing of variables. src/README.md says how to add one.
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

// Bytes of tile memory and their place in the file.
struct Extent {
  std::int64_t offset;  // bytes from the file's beginning
  std::int64_t bytes;
  const std::byte* data;
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual SinkKind kind() const noexcept = 0;
  // Writes extents, ascending and disjoint; the memory stays the caller's and may be reused on return. For a collective
  // sink Collective over the sink's communicator (with no extents where a rank has none), else Local.
  virtual Status write(std::span<const Extent> extents) = 0;
  // Brings what this rank wrote to stable storage. As write().
  virtual Status make_durable() = 0;
  // The file has another name now.
  virtual void renamed(const std::string& path) { static_cast<void>(path); }
  // True where write() must be called by all ranks.
  virtual bool collective() const noexcept { return false; }
  // What turned out on the way, for the report; "" where nothing did. Any thread.
  virtual std::string remark() const { return ""; }
};

struct SinkOptions {
  std::string path;                               // of the existing file; its header is already there
  Durability durability = Durability::storage;    // storage: what is written will be asked for there
  std::map<std::string, std::string> hints = {};  // MPI-IO's
  FileIdentity identity = {};                     // what is written under the path is this file
  double begin = 0;                               // share of a write's extents before the one to begin with
  WaitLimit wait = {};                            // of a collective write, for another rank
  std::vector<int> aggregators = {};              // ranks that write for all, where short runs are joined; rank 0
  std::int64_t stripe_bytes = 0;                  // bytes that one storage server holds in a row; 0: not known
  std::int64_t past_cache_bytes = 0;              // whole blocks of so many go past the page cache; 0: none do
  StorageCalls* calls = nullptr;                  // makes those of a collective sink; nullptr: the rank's own thread
};

// Opens the file for writing. Collective over `comm`; throws Error(WEIR_EIO).
std::unique_ptr<Sink> make_sink(SinkKind kind, const Comm& comm, const SinkOptions& options);

std::unique_ptr<Sink> make_direct_sink(const SinkOptions& options);
std::unique_ptr<Sink> make_pnetcdf_sink(const Comm& comm, const SinkOptions& options);
std::unique_ptr<Sink> make_null_sink();

// Keeps what is written, for tests: the bytes a file would have on this rank's part.
class MemorySink final : public Sink {
 public:
  SinkKind kind() const noexcept override { return SinkKind::memory; }
  Status write(std::span<const Extent> extents) override;
  Status make_durable() override { return {}; }
  // Written stretches by offset. Later writes win.
  const std::map<std::int64_t, std::vector<std::byte>>& written() const noexcept { return written_; }

 private:
  std::map<std::int64_t, std::vector<std::byte>> written_;
};

}  // namespace weir
