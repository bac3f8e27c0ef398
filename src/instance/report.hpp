// SPDX-License-Identifier: Apache-2.0
// The report: what was written, by whom, how long each step took, how long the model waited, and why Weir did it so.
//
// A rank's output takes time that is visible or hidden. *Visible* is what its model waited: the time in Weir's calls,
// without the slack in it. *Hidden* is the rest of the work: of a thread or a server, as far as the model was outside
// Weir's calls meanwhile, and *slack*, writing within a call while other ranks had not yet arrived, for whom this rank
// would have waited anyway. No second is counted in both. The output took as long as the two together did on the rank
// where that is most; the model waited as long as the rank did that waited most.
#pragma once

#include <string>

#include "engine/pipeline.hpp"
#include "file/put_history.hpp"

namespace weir {

// Of this rank, until now.
struct RunTimes {
  double elapsed_seconds = 0;  // since the start
  double call_seconds = 0;     // that its model has spent in Weir's calls
};

// JSON, alike on all ranks. Collective.
std::string report_json(const Config& config, const Comm& comm, Pipeline& pipeline, const RunTimes& times,
                        const FileHistory& files);

// The report with one member more, of a bridge: JSON, an object of lists. Where the report has that member already the
// lists grow. An empty report is one without any other.
std::string with_note(const std::string& report, const std::string& member, const std::string& json);

// Writes the report where the configuration says: "-" a few lines on standard error, else JSON into that file. Local,
// to be called on one rank.
void write_report(const std::string& where, const std::string& json);

// What the user should know of the configuration, at the start, a line on standard error each: not everybody asks for a
// report. One on standard error has these lines itself. Local, to be called on one rank.
void say_notes(const Config& config, const std::string& speaker);

}  // namespace weir
