// SPDX-License-Identifier: Apache-2.0
// A file open for writing, between the tiles and the sink: the file offset of each tile's bytes, and the commit of what
// was written. One shared file (shared_file.cpp), one of packed chunks (netcdf4/chunked_file.cpp), a folder of shards
// (zarr/zarr_file.cpp), or a file an owner (part_file.cpp); the path does not see which.
#pragma once

#include <map>
#include <memory>
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

// A round of one put whose tile memory is ready to be written.
struct ReadyTile {
  int var;
  std::int64_t record;  // 0 for a fixed variable
  const Plan* plan;
  std::size_t round;
  std::byte* memory;  // of no use to any other rank from then on: the file may change it
};

// A variable's record (or a fixed variable) that no rank put.
struct MissingRecord {
  int var;
  std::int64_t record;
};

// When what was written counts.
class CommittedOutput {
 public:
  virtual ~CommittedOutput() = default;
  // fill() or make_durable() wait for all ranks.
  virtual bool commits_together() const noexcept = 0;
  // Gives unput elements the fill value: each of the writers a share. Collective if OutputFile::collective(), else
  // Local.
  virtual Status fill(std::span<const MissingRecord> missing_records) = 0;
  // What ranks must know of each other before they make it durable. Collective.
  virtual void prepare_commit() {}
  // Brings what this rank wrote to stable storage, or, where that is not wanted, at least out of this process. Local.
  virtual Status make_durable(Durability wanted) = 0;
  // Whether the file still has the name by which it is written. Local.
  virtual Status check_name() const { return {}; }
  // Makes it visible, with `records` records, once all ranks have made theirs durable. Local.
  virtual Status publish(std::int64_t records) = 0;
  // Whether it can be published together with other files (commit/group_record.hpp). Alike on all ranks.
  virtual bool publishes_in_steps() const noexcept { return false; }
  // What publish() would do, as steps, and all of it done that no reader sees. On rank 0. Local.
  virtual Status prepare_publish(std::int64_t records, std::vector<PublishStep>& steps) {
    return static_cast<void>(records), static_cast<void>(steps), Status{};
  }
  // They stand: it is as after publish(), and nothing of it is discarded any more. Local.
  virtual void published(std::int64_t records) { static_cast<void>(records); }
  // Ends a file that failed: nothing is left of what was never committed. Local.
  virtual void discard() noexcept = 0;
};

class OutputFile : public CommittedOutput {
 public:
  // Writes tiles. Collective if collective(), else Local.
  virtual Status write(std::span<const ReadyTile> tiles) = 0;
  // Writes bytes at their places in the file, ascending and disjoint. As the above, and not while another thread of
  // this rank writes.
  virtual Status write(std::span<const Extent> extents) = 0;
  // Spans of the next write() go here: the lane of the thread that calls it.
  virtual void trace_by(TraceLane& lane) { static_cast<void>(lane); }
  virtual bool collective() const noexcept = 0;
  // Whether these tiles (their memory does not matter) want prepare() before they are written. Local.
  virtual bool must_prepare(std::span<const ReadyTile> tiles) const { return static_cast<void>(tiles), false; }
  // What of their writing calls MPI: by the rank's own thread, while no other writes. write() tells what fails. Local.
  virtual void prepare(std::span<const ReadyTile> tiles) { static_cast<void>(tiles); }
  // Whether calls go to a storage, which may be slow.
  virtual bool uses_storage() const noexcept = 0;
  // The system lets one write of a host at a time into the file: more writers at once only wait for each other.
  virtual bool one_at_a_time() const noexcept = 0;
  // What was put before is written; something of it is put again, and will be the one that counts. Local, alike on all
  // ranks, while nothing is written.
  virtual void put_again() {}
  // Why a variable of a file that was there before cannot be put; empty where it can. Local, alike on all ranks.
  virtual std::string why_not_puttable(int var) const { return static_cast<void>(var), std::string(); }
  // Where a variable's tiles may be cut. Local, alike on all ranks.
  virtual Granule granule(int var) const { return static_cast<void>(var), Granule{}; }
  // What is read under its name is this file.
  virtual const FileIdentity& identity() const noexcept = 0;
  // Byte of a variable's first element in the file, and the distance between records: for cutting at stripes and for
  // sending neighbours in the file to one writer. 0 where a file has no places yet.
  virtual const Geometry& geometry() const noexcept = 0;
  // The sink and why it was taken, for the report.
  virtual std::string sink_reason() const = 0;
  virtual SinkKind sink_kind() const noexcept = 0;
  // Large tiles go past the system's page cache: no core reads their memory again.
  virtual bool past_page_cache() const noexcept { return false; }
  virtual std::int64_t stripe_bytes() const noexcept = 0;
  virtual std::int64_t bytes_written() const noexcept = 0;
  // Of a processor, for filters: by this rank.
  virtual double compress_seconds() const noexcept { return 0; }
  // Most memory that this rank's packing took at a time, besides buffer_limit.
  virtual std::int64_t packing_bytes() const noexcept { return 0; }
};

struct OutputOptions {
  std::string path;  // resolved (formats/classic/visible.hpp)
  std::shared_ptr<const Config> config;
  const Comm& comm;
  StorageCalls& calls;  // makes those that the file's own thread waits for
  std::vector<int> writers;
  int hosts = 1;
  int format = 0;         // 0: chosen
  bool append = false;    // the file exists and stays
  bool attached = false;  // and another library keeps its header
  Alignment alignment;
  weir_fill_mode fill = WEIR_FILL;
  std::map<std::string, std::string> hints;   // of this file; the configuration's win
  const Machine* machine = nullptr;           // where ranks are; nullptr: no rank knows
  const Comm* host = nullptr;                 // the ranks of this rank's host; nullptr: no rank knows
  Watch* watch = nullptr;                     // of waits for other ranks
  std::vector<int> compressing_writers = {};  // of variables that are compressed
};

// Creates (or opens) the file. Collective; throws the same Error on all ranks.
std::unique_ptr<OutputFile> make_shared_file(const OutputOptions& options, const Schema& schema,
                                             const Geometry* existing);
// A netCDF-4 file; with `existing`, what it tells of itself, that file is appended to, and the schema is to have its
// chunks (netcdf4/append_form.hpp). Collective.
std::unique_ptr<OutputFile> make_chunked_file(const OutputOptions& options, const Schema& schema,
                                              const StoredTables* existing);
// A Zarr folder; with `existing` as above (zarr/append.hpp). Collective.
std::unique_ptr<OutputFile> make_zarr_file(const OutputOptions& options, const Schema& schema,
                                           const StoredTables* existing);
// The files of a strategy that writes parts: one a rank that owns tiles. Collective.
std::unique_ptr<OutputFile> make_part_file(const OutputOptions& options, const Schema& schema);

// Which sink a file gets, and why.
struct SinkChoice {
  SinkKind kind = SinkKind::automatic;
  std::string reason;
  std::int64_t stripe_bytes = 0;
  bool own_disk = false;              // of this host: its kernel locks a file during a write
  std::int64_t past_cache_bytes = 0;  // whole blocks of so many go past the page cache; 0: none do
};
SinkChoice choose_sink(const Config& config, int hosts, const FileSystem& system);

}  // namespace weir
