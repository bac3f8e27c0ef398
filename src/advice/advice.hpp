// SPDX-License-Identifier: Apache-2.0
// The state of `strategy: auto` in the pipeline. Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "advice/advisor.hpp"
#include "advice/tuned_table.hpp"
#include "base/config.hpp"

namespace weir {

struct OpenFile;

// One file leads: the time between its records is what is compared. When it is closed the next one leads.
struct Advice {
  Config asked;            // the user's configuration
  std::string table_path;  // "": none is read or written
  OutputShape output;      // of the first file with records
  const OpenFile* leader = nullptr;
  std::int64_t records = 0;
  std::optional<Advisor> advisor;  // empty until a file with records comes
};

}  // namespace weir
