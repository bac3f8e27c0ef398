// SPDX-License-Identifier: Apache-2.0
// What Weir plans to do with a workload, without doing it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "mode.hpp"

namespace weir::bench {

// The plans of one of Weir's modes: one for each decomposition and element size, with the first variable that has it.
// `path` is created and, as nothing is put, holds fill values alone; the caller removes it. Collective. Throws
// AgreedError.
nlohmann::ordered_json weir_plans(const ModeSpec& spec, const Scene& scene, const std::string& path);

}  // namespace weir::bench
