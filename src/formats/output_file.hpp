// SPDX-License-Identifier: Apache-2.0
// A file open for writing, between the tiles and the sink: where each tile's bytes go, and how the file is committed.
// Kinds: one shared classic file (classic/shared_file.cpp), packed chunks (netcdf4/chunked_file.cpp), a Zarr folder
// (zarr/zarr_file.cpp), part files (parts/part_file.cpp). The rest of the path does not know the kind.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "commit/publish_step.hpp"
#include "formats/definition.hpp"
#include "mpi/comm.hpp"
#include "plan/chunk_grid.hpp"
#include "plan/machine.hpp"
#include "plan/plan.hpp"
#include "schema/schema.hpp"
#include "storage/filesystem.hpp"
#include "storage/sink.hpp"

namespace weir {

class StorageCalls;
struct StoredTables;
class TraceLane;

// A round of one put, whose tile is complete.
struct ReadyTile {
  int var;
  std::int64_t record;  // 0 for a fixed variable
  const Plan* plan;
  const TilePlan* tile;  // of a round of it, or of a slot
  std::byte* memory;     // the file may change it; no other rank reads it any more
};

// A variable's record (or a fixed variable) that no rank put.
struct MissingRecord {
  int var;
  std::int64_t record;
};

// The commit of a file (contract 3). flow/steps.hpp has the order of the calls; all ranks make them alike.
// Errors: returned; this rank's, for the next agreement.
class CommittedOutput {
 public:
  virtual ~CommittedOutput() = default;
  // Whether the steps of a commit wait for all ranks, so that the ranks agree before them. The same on all ranks.
  virtual bool commits_together() const noexcept = 0;
  // Writes the fill value to missing records; each writer writes a share.
  // Collective if OutputFile::collective(), else Local.
  virtual Status fill(std::span<const MissingRecord> missing_records) = 0;
  // Exchanges what ranks must know of each other before make_durable(). Collective.
  virtual void prepare_commit() {}
  // Brings what this rank wrote to stable storage; for Durability::cache only out of this process.
  // Collective if OutputFile::collective(), else Local.
  virtual Status make_durable(Durability wanted) = 0;
  // Returns WEIR_EIO if the file no longer has the name by which it is written. Local.
  virtual Status check_name() const { return {}; }
  // Makes the commit visible, with `records` records.
  // Requires: all ranks have made their data durable, and all call it; the rank that made the file on disk acts.
  // Local.
  virtual Status publish(std::int64_t records) = 0;
  // Whether the file can be committed as one with other files (commit/group_record.hpp); the same on all ranks.
  virtual bool publishes_in_steps() const noexcept { return false; }
  // Appends what publish() would do to `steps`, and does the part that no reader sees. On rank 0. Local.
  virtual Status prepare_publish(std::int64_t records, std::vector<PublishStep>& steps) {
    return static_cast<void>(records), static_cast<void>(steps), Status{};
  }
  // Notes that the steps are done or decided: the state is as after publish(), and discard() keeps the commit. Local.
  virtual void published(std::int64_t records) { static_cast<void>(records); }
  // Removes what was never committed, after a failure. Local.
  virtual void discard() noexcept = 0;
};

// Thread: one at a time: the rank's own or its storage thread, and for write() the writer thread. Only the rank's own
// thread makes collective calls (contract 7). While another thread is in write(), the rank's own may ask what write()
// does not change: collective(), uses_storage(), one_at_a_time(), must_prepare(), why_not_puttable(), granule(),
// geometry(), stripe_bytes(), past_page_cache(), chunk_row(), must_meet() and note_holders(); and bytes_written(),
// which is atomic. The table of the threads is in engine/background_threads.hpp.
class OutputFile : public CommittedOutput {
 public:
  // Writes tiles. The memory is the file's until it returns.
  // Collective if collective(), else Local, no MPI.
  virtual Status write(std::span<const ReadyTile> tiles) = 0;
  // Writes bytes to their offsets in the file.
  // Requires: `extents` are ascending and disjoint; no other thread of this rank writes.
  // Collective if collective(), else Local.
  virtual Status write(std::span<const Extent> extents) = 0;
  // Sets the trace lane of the next write(): that of the thread that calls it.
  virtual void trace_by(TraceLane& lane) { static_cast<void>(lane); }
  // Whether write() is Collective.
  virtual bool collective() const noexcept = 0;
  // Whether these tiles need prepare() before they are written; their memory is not read. Local.
  virtual bool must_prepare(std::span<const ReadyTile> tiles) const { return static_cast<void>(tiles), false; }
  // Makes the MPI calls that writing these tiles needs. write() reports what fails.
  // Requires: no other thread of this rank writes.
  // Thread: the rank's own.
  virtual void prepare(std::span<const ReadyTile> tiles) { static_cast<void>(tiles); }
  // Whether calls go to storage, which may be slow.
  virtual bool uses_storage() const noexcept = 0;
  // Whether the system admits one write of a host at a time, so that more writers only wait for each other.
  virtual bool one_at_a_time() const noexcept = 0;
  // Notes that records which are written will be put again, and that the later put counts.
  // Requires: all ranks call it while nothing is written.
  // Local.
  virtual void put_again() {}
  // Returns a number that a variable's records have in common if they are in the same row of chunks: best held by the
  // same ranks. In a file that has such rows, variables without them get the number of the longest. 0: no variable of
  // the file has several records in a chunk. The same on all ranks. Local.
  virtual std::int64_t chunk_row(int var, std::int64_t record) const {
    return static_cast<void>(var), static_cast<void>(record), 0;
  }
  // Notes that a record is put next. Returns whether the ranks must meet() before that.
  // Requires: all ranks call it alike.
  // Local.
  virtual bool must_meet(int var, std::int64_t record) {
    return static_cast<void>(var), static_cast<void>(record), false;
  }
  // Notes who holds a round of the record that is put: a number for each set of ranks; 0: the owners of the plan.
  // must_meet() goes by it.
  // Requires: all ranks call it alike, after must_meet().
  // Local.
  virtual void note_holders(int var, std::size_t round, std::uint64_t holders) {
    static_cast<void>(var), static_cast<void>(round), static_cast<void>(holders);
  }
  // Brings together what several ranks have of one chunk.
  // Requires: nothing is written meanwhile.
  // Collective. Thread: the rank's own.
  virtual Status meet() { return {}; }
  // Returns why a variable of an existing file cannot be put; "" if it can. The same on all ranks. Local.
  virtual std::string why_not_puttable(int var) const { return static_cast<void>(var), std::string(); }
  // Returns where a variable's tiles may be cut. The same on all ranks. Local.
  virtual Granule granule(int var) const { return static_cast<void>(var), Granule{}; }
  // The file that reads of its name must find.
  virtual const FileIdentity& identity() const noexcept = 0;
  // The offset of each variable's first element, and the distance between records: for cuts at stripes, and to give
  // neighbours in the file one writer. Empty offsets for part files.
  virtual const Geometry& geometry() const noexcept = 0;
  // The sink and why it was chosen, for the report.
  virtual std::string sink_reason() const = 0;
  virtual SinkKind sink_kind() const noexcept = 0;
  // Whether large tiles go past the page cache, so that no core reads their memory again.
  virtual bool past_page_cache() const noexcept { return false; }
  virtual std::int64_t stripe_bytes() const noexcept = 0;
  virtual std::int64_t bytes_written() const noexcept = 0;
  // Processor seconds of filters, on this rank.
  virtual double compress_seconds() const noexcept { return 0; }
  // The most memory that this rank's packing has used at a time, in addition to buffer_limit.
  virtual std::int64_t packing_bytes() const noexcept { return 0; }
};

// What a maker of an output needs.
struct OutputOptions {
  std::string path;  // resolved (formats/classic/visible.hpp)
  std::shared_ptr<const Config> config;
  const Comm& comm;
  StorageCalls& calls;  // makes storage calls that the rank's thread waits for
  std::vector<int> writers;
  int hosts = 1;
  int format = 0;         // 0: chosen
  bool append = false;    // the file exists, and its contents stay
  bool attached = false;  // another library keeps its header
  Alignment alignment;
  weir_fill_mode fill = WEIR_FILL;
  std::map<std::string, std::string> hints;   // of this file; the configuration's hints win
  const Machine* machine = nullptr;           // where ranks are; nullptr: not known
  const Comm* host = nullptr;                 // the ranks of this rank's host; nullptr: not known
  Watch* watch = nullptr;                     // of waits for other ranks
  std::vector<int> compressing_writers = {};  // of variables that are compressed
  // Of an existing file, how many of its records stay; the others are gone with the next commit. nullopt: all stay.
  std::optional<std::int64_t> records = {};
  std::vector<int> packing_hosts = {};  // whose ranks may pack chunks, ascending
};

// Make an output. `existing`: what an existing file has; it is appended to (netcdf4/netcdf4_store.hpp,
// zarr/append.hpp), and the schema has its chunks. Ensures: a new file does not have its name before the first commit
// (contract 3). Collective. Errors: thrown, alike on all ranks, except for an attached file.
std::unique_ptr<OutputFile> make_shared_file(const OutputOptions& options, const Schema& schema,
                                             const Geometry* existing);
std::unique_ptr<OutputFile> make_chunked_file(const OutputOptions& options, const Schema& schema,
                                              const StoredTables* existing);
std::unique_ptr<OutputFile> make_zarr_file(const OutputOptions& options, const Schema& schema,
                                           const StoredTables* existing);
// Makes the output of a strategy that writes part files: one for each rank that owns tiles. Collective.
std::unique_ptr<OutputFile> make_part_file(const OutputOptions& options, const Schema& schema);

// The sink of a file, and why.
struct SinkChoice {
  SinkKind kind = SinkKind::automatic;
  std::string reason;
  std::int64_t stripe_bytes = 0;
  bool own_disk = false;              // a disk of this host, whose kernel locks a file during a write
  std::int64_t past_cache_bytes = 0;  // at least so many bytes of whole blocks go past the page cache; 0: none
};
// Chooses the sink by configuration and file system. Pure.
SinkChoice choose_sink(const Config& config, int hosts, const FileSystem& system);

}  // namespace weir
