// SPDX-License-Identifier: Apache-2.0
// The report: what was written, by whom, how long each step took, how long the model waited, and why Weir did it so.
#pragma once

#include <string>
#include <vector>

#include "pipeline.hpp"

namespace weir {

// JSON, alike on all ranks. Collective; `files` alike on all ranks but for bytes.
std::string report_json(const Config& config, const Comm& comm, Pipeline& pipeline, std::vector<FileSummary> files);

// Writes the report where the configuration says: "-" a few lines on standard error, else JSON into that file. Local,
// to be called on one rank.
void write_report(const std::string& where, const std::string& json);

}  // namespace weir
