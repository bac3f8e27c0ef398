// SPDX-License-Identifier: Apache-2.0
// The machines that ship with Weir (python/weir/machines), by name: the texts of their profiles, which the
// configuration puts into the program (cmake/WeirCommandLines.cmake), so that it knows them from any folder and
// wherever it is installed.
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace weir::simulate {

extern const std::span<const std::pair<std::string_view, std::string_view>> shipped_machines;

}  // namespace weir::simulate
