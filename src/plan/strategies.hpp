// SPDX-License-Identifier: Apache-2.0
// The functions that make the strategies (plan/strategies.cpp). plan/strategy.cpp calls them.
#pragma once

#include <memory>

#include "plan/strategy.hpp"

namespace weir {

std::unique_ptr<Strategy> make_serial();
std::unique_ptr<Strategy> make_collective();
std::unique_ptr<Strategy> make_rows();
std::unique_ptr<Strategy> make_columns();
std::unique_ptr<Strategy> make_remap();
std::unique_ptr<Strategy> make_servers();
std::unique_ptr<Strategy> make_dynamic();
std::unique_ptr<Strategy> make_hosts();
std::unique_ptr<Strategy> make_file_per_rank();
std::unique_ptr<Strategy> make_file_per_domain(int domains);

}  // namespace weir
