// SPDX-License-Identifier: Apache-2.0
// How modes are written, for weir-bench, the simulator and Python: "remap:writers=4,sink=pnetcdf" is a mode with two
// settings, "peer:pnetcdf:romio_cb_write=disable" a peer with one; modes are separated by commas, and so are the
// settings of one. What a name means is for who runs it. Pure, Local.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::workloads {

using Settings = std::vector<std::pair<std::string, std::string>>;

struct ModeSpec {
  std::string text;  // as the user gave it
  std::string name;  // "remap", "peer:pnetcdf"
  Settings settings;

  [[nodiscard]] bool is_peer() const { return name.starts_with("peer:"); }
  [[nodiscard]] bool is_weir() const { return !is_peer() && !is_limit() && !writes_nothing(); }
  [[nodiscard]] bool is_limit() const { return name == "limit"; }
  [[nodiscard]] bool writes_nothing() const { return name == "none"; }
};

// Each throws Error(WEIR_EARGUMENT). "key=value" without a colon before it belongs to the mode on its left.
std::vector<ModeSpec> parse_modes(const std::string& list);
// Of a text that is one mode.
ModeSpec parse_mode(const std::string& text);
// "key=value"; `where` begins the sentence where it is none.
std::pair<std::string, std::string> parse_setting(const std::string& text, const std::string& where = "");

}  // namespace weir::workloads
