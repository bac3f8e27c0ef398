// SPDX-License-Identifier: Apache-2.0
// Which sink a file gets where none is asked for.
#include <gtest/gtest.h>

#include "formats/output_file.hpp"

namespace weir {
namespace {

const FileSystem own_disk{"ext4", 0, false, true};
const FileSystem parallel{"fuse.glusterfs", 0, true, true};
const FileSystem loose{"nfs", 0, true, false};

SinkKind chosen(StrategyKind strategy, int hosts, const FileSystem& system) {
  Config config;
  config.strategy = strategy;
  return choose_sink(config, hosts, system).kind;
}

TEST(SinkChoice, SeveralHostsWriteDirectlyOnlyWhereThatIsCoherent) {
  for (const StrategyKind strategy : {StrategyKind::remap, StrategyKind::dynamic, StrategyKind::serial}) {
    EXPECT_EQ(chosen(strategy, 4, parallel), SinkKind::direct);
    EXPECT_EQ(chosen(strategy, 4, loose), SinkKind::pnetcdf);
    EXPECT_EQ(chosen(strategy, 1, loose), SinkKind::direct);
  }
}

TEST(SinkChoice, ShortRunsOfLinesOfProcessesCrossTheNetworkJoined) {
  for (const StrategyKind lines : {StrategyKind::rows, StrategyKind::columns}) {
    EXPECT_EQ(chosen(lines, 4, parallel), SinkKind::pnetcdf);
    EXPECT_EQ(chosen(lines, 1, parallel), SinkKind::direct);
    EXPECT_EQ(chosen(lines, 4, own_disk), SinkKind::direct);
  }
}

// Where a thread writes, and a commit waits for the storage, on a disk that is known to be good at it; or as asked.
TEST(SinkChoice, ThePageCacheIsPassedByWhereAThreadWrites) {
  FileSystem disk = own_disk;
  disk.past_cache = true;
  Config config;
  config.strategy = StrategyKind::dynamic;
  resolve_defaults(config);
  EXPECT_GT(choose_sink(config, 1, disk).past_cache_bytes, 0);
  EXPECT_EQ(choose_sink(config, 1, own_disk).past_cache_bytes, 0);
  config.durability = Durability::cache;
  EXPECT_EQ(choose_sink(config, 1, disk).past_cache_bytes, 0);
  config.page_cache = PageCacheKind::past;
  EXPECT_GT(choose_sink(config, 1, own_disk).past_cache_bytes, 0);
  EXPECT_EQ(choose_sink(config, 4, loose).past_cache_bytes, 0) << "that is MPI-IO's";
  config.durability = Durability::storage;
  config.page_cache = PageCacheKind::through;
  EXPECT_EQ(choose_sink(config, 1, disk).past_cache_bytes, 0);
  Config in_calls;
  in_calls.strategy = StrategyKind::remap;
  resolve_defaults(in_calls);
  EXPECT_EQ(choose_sink(in_calls, 1, disk).past_cache_bytes, 0);
}

TEST(SinkChoice, WhatIsAskedForIsTaken) {
  Config config;
  config.strategy = StrategyKind::columns;
  config.sink = SinkKind::direct;
  EXPECT_EQ(choose_sink(config, 4, parallel).kind, SinkKind::direct);
  EXPECT_EQ(choose_sink(config, 4, loose).kind, SinkKind::pnetcdf);
}

}  // namespace
}  // namespace weir
