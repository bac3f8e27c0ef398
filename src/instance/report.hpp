// SPDX-License-Identifier: Apache-2.0
// The report: what was written, by which ranks, how long each step took, how long the model waited, and why Weir did it
// so. docs/configuration.md (`report`) says how a user gets it.
#pragma once

#include <string>

#include "engine/pipeline.hpp"
#include "file/put_history.hpp"
#include "streams/stream_counts.hpp"

namespace weir {

// The times of this rank since the start. The report derives from them, without counting a second twice:
//
//  - *Visible*: what the model waited, the time in Weir's calls without the slack in it.
//  - *Slack*: writing within a call while other ranks had not arrived, for which this rank would have waited anyway.
//  - *Hidden*: the rest of the work. Slack, and the time of a thread or server while the model was outside Weir's
//    calls.
//
// The output took visible and hidden time together, on the rank where that is most. The model waited as long as the
// rank that waited most.
struct RunTimes {
  double elapsed_seconds = 0;  // since the start
  double call_seconds = 0;     // that the model has spent in Weir's calls
};

// Returns the report as JSON, the same on all ranks. Collective over `comm`.
std::string report_json(const Config& config, const Comm& comm, Pipeline& pipeline, const RunTimes& times,
                        const FileHistory& files, const StreamsCounts& streams);

// Prints a report, or what a bridge adds to one (report_file.hpp), in a few lines on standard error. Local.
void say_report(const std::string& json);

// Prints what the user should know of the configuration, a line each on standard error, unless a report there has these
// lines. One rank calls it. Local.
void say_notes(const Config& config, const std::string& speaker);

}  // namespace weir
