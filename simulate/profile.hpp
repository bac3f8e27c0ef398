// SPDX-License-Identifier: Apache-2.0
// A machine as the simulator knows it: what `weir profile` measures (Wang & Huang 2025, table 2) or what is published
// of it. docs/machines.md is the schema of the YAML file, key by key. Seconds, bytes, bytes a second. Pure, Local.
#pragma once

#include <cstdint>
#include <string>

#include "base/config.hpp"
#include "simulate/estimate.hpp"

namespace weir::simulate {

constexpr int profile_version = 1;

// Messages of one kind: between the ranks of a node, or between nodes.
struct Link {
  Estimate latency;   // of a message of no bytes, one way
  Estimate overhead;  // that a message costs the card besides its bytes; of a rank, within a node
  Curve bandwidth;    // of one card one way (within a node: of all its ranks), against messages under way
};

// How the bytes of a file lie on servers.
struct Stripes {
  std::int64_t servers = 0;  // of the storage; 0: not striped, or nothing is known of servers
  std::int64_t count = 0;    // servers of one file, where the run says nothing
  std::int64_t size = 0;     // bytes
  bool told = true;          // the file system reports the size, so that Weir cuts tiles at stripes
  Estimate server_bandwidth;
  Estimate request;  // seconds a server needs for a write besides its bytes
  Estimate lock;     // seconds that a stripe costs when it comes from another writer than before
};

// MPI-IO's two phases: ranks send to aggregators, which write.
struct TwoPhase {
  enum class Aggregators { node, stripe, count };
  Aggregators aggregators = Aggregators::node;
  std::int64_t count = 0;            // where the kind is count
  std::int64_t buffer = 16LL << 20;  // bytes an aggregator writes at a time
  Estimate rank;                     // seconds that a rank costs in each call: offsets of all are exchanged
  Estimate piece;                    // seconds that a contiguous piece costs the aggregator it goes to
};

struct StorageSpeed {
  bool shared = true;    // all nodes see one file system; else each has its own, where a file takes one write at a time
  bool coherent = true;  // writes of several nodes into one file come out right: Weir may write directly
  Curve rate;            // of one file or domain with so many writers at once, all together
  Curve together;        // what a domain keeps of it with so many domains written at once
  Estimate total;        // of all files and domains; value 0: no limit is known
  Curve piece;           // seconds of a writer for each contiguous piece, with so many writers of a file at once
  Estimate processor;    // bytes that a thread writes in a second of a core's; value 0: writing takes none
  Stripes stripes;
  Estimate create;  // seconds that making a file takes
  Estimate commit;  // seconds that a commit takes besides the bytes
};

// What packing chunks takes (netCDF-4, Zarr): by the writers, of a core, and on rank 0.
struct Squeezing {
  Curve rate;   // bytes put that one thread shuffles and compresses in a second of a core's, against the level
  Curve ratio;  // bytes put for each that is stored, of values like a model's, against the level
};
struct FormatCost {
  Estimate create, create_variable;  // seconds of making the file; and what each variable adds
  Estimate commit, commit_variable;  // the same of the commit that gives it its name
  Estimate piece;                    // of each chunk that rank 0 enters (netCDF-4), of each file that is written (Zarr)
};
struct PackingSpeed {
  Estimate plain;  // bytes that go into chunks without filters, in a second of a core's; value 0: that takes nothing
  Squeezing zlib, zstd;
  FormatCost netcdf4, zarr;
  bool netcdf4_known = false, zarr_known = false;
};

struct Profile {
  std::string name;
  std::string about;
  std::string measured;     // when: 2026-01-31T12:00:00Z; "" where nothing was measured
  std::int64_t nodes = 0;   // at the most; 0: no limit is known
  int cores = 1;            // ranks of a node, where the run says nothing
  std::int64_t memory = 0;  // bytes a node
  Curve copy;               // of a node, with so many ranks copying at once, all together
  Link within, between;
  Estimate network_total;           // between all nodes; value 0: no limit is known
  std::int64_t eager = 64LL << 10;  // messages up to this do not wait until they are asked for
  StorageSpeed storage;
  TwoPhase two_phase;
  PackingSpeed packing;
  Estimate compute_spread;  // standard deviation of the ranks' speeds, relative
  Estimate control;         // seconds that a rank of its own needs for a message to the scheduler
};

// Throws Error(WEIR_ECONFIG) with a sentence: no such file, no YAML, not a profile, another version, an unknown key
// (and the nearest known one), a number without its unit or beyond what is possible.
Profile read_profile(const std::string& path);
// `origin` names the text in messages.
Profile parse_profile(const std::string& text, const std::string& origin);

}  // namespace weir::simulate
