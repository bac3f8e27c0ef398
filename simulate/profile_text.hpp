// SPDX-License-Identifier: Apache-2.0
// A profile as the text that parse_profile reads: what `weir profile` leaves. Pure, Local.
#pragma once

#include <string>

#include "simulate/profile.hpp"

namespace weir::simulate {

// Numbers have four digits, sizes are exact. Left out is what a missing key says too: a cost of 0, no limit, a way
// between nodes without bandwidth, of which nothing is known.
std::string profile_text(const Profile& profile);

}  // namespace weir::simulate
