// SPDX-License-Identifier: Apache-2.0
// Every point at which ranks agree, of the core, the bridges, the bindings and the programs. The compiler numbers them,
// so no number is used twice.
#pragma once

#include <cstdint>

namespace weir {

enum class AgreementPoint : std::int64_t {
  // The recovery after a failure of all files. The first value, so that one reduction shows whether a rank is here. If
  // some ranks are here and others are not, agree() throws on all.
  recovery,
  // An instance.
  start,
  memory,
  make_layout,
  free_layout,
  report,
  end,
  // Streams.
  start_streams,
  streams_memory,
  streams_later_files,
  // A file, from its creation or opening to its end.
  create,
  open,
  definitions,
  definitions_made,
  part_begun,
  chunks_begun,
  close,
  summed,
  marked,
  // Puts.
  put_box,
  plan,
  planned,
  flush,
  out_of_sync,
  drain,
  change_of_way,
  // Commits of one file, and of several as one.
  flush_attached,
  fill,
  durable,
  published,
  range,
  group_begin,
  group_durable,
  group_published,
  group_range,
  // Gets.
  get,
  get_box,
  prefetch,
  read,
  read_end,
  // The bridges.
  bridge_definitions,
  bridge_intercept,
  give_up_bridge,
  store_by_bridge,
  complete_record,
  pio_record_count,
  // CFIO2, and the programs.
  cfio2_start,
  cfio2_configuration,
  merge_configuration,
  merge_parts,
  profile,
  // The first number of the points that have names: call_point() in bindings/cfio2/shared.cpp.
  named_calls
};

}  // namespace weir
