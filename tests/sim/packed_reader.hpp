// SPDX-License-Identifier: Apache-2.0
// A netCDF-4 file or a Zarr folder as the next job finds it: Weir opens it, which takes back a commit that was cut
// short, on one rank and outside the simulated machine.
#pragma once

#include "draw.hpp"
#include "harness/reader.hpp"

namespace sim {

// As harness::judge, which judges the files of other trials.
harness::Judged judge(const Trial& trial, const harness::Plan& plan, const harness::Asked& asked, bool& kept);

}  // namespace sim
