// SPDX-License-Identifier: Apache-2.0
// What is measured of a machine, each a part of the profile (docs/machines.md) and with its share of the time. All are
// Collective and throw the same Error on all ranks.
#pragma once

#include "sampler.hpp"
#include "simulate/profile.hpp"
#include "site.hpp"

namespace weir::profile {

using simulate::Profile;

// Weights: the shares of the time, together 1.
inline constexpr double network_weight = 0.25, copy_weight = 0.1, storage_weight = 0.3, stripe_weight = 0.05,
                        two_phase_weight = 0.1, compute_weight = 0.05, control_weight = 0.05, packing_weight = 0.06,
                        format_weight = 0.04;

void measure_network(const Site& site, Sampler& sampler, Profile& profile);
void measure_copy(const Site& site, Sampler& sampler, Profile& profile);
// Of the storage: rate, piece, together, total, create, commit.
void measure_storage(const Site& site, Sampler& sampler, Profile& profile);
// Of servers, where the file system reports of them or the options do.
void measure_stripes(const Site& site, Sampler& sampler, Profile& profile, const Options& options);
void measure_two_phase(const Site& site, Sampler& sampler, Profile& profile);
void measure_compute(const Site& site, Sampler& sampler, Profile& profile);
// Chunks through filters.
void measure_packing(const Site& site, Sampler& sampler, Profile& profile);
// Making and committing files of packed chunks.
void measure_formats(const Site& site, Sampler& sampler, Profile& profile);
void measure_control(const Site& site, Sampler& sampler, Profile& profile);

}  // namespace weir::profile
