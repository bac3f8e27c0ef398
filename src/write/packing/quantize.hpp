// SPDX-License-Identifier: Apache-2.0
// Lossy, before a filter packs: bits of floating-point values that do not count are made alike, to netCDF-C's bits. Bit
// groom: Zender 2016, https://doi.org/10.5194/gmd-9-3199-2016. Granular bit round: Delaunay et al. 2019,
// https://doi.org/10.5194/gmd-12-4099-2019. Bit round: Kouznetsov 2021, https://doi.org/10.5194/gmd-14-377-2021.
// Local, pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "schema/storage.hpp"
#include "schema/types.hpp"

namespace weir {

// `values`: floats or doubles (by `element_bytes`) in this machine's byte order, of which the first has the place
// `first` in its record: bit groom does one thing at even places and another at odd ones. What is `fill` (external
// form), zero of either sign, or not finite stays as it is, and so does every value where more digits are asked for
// than the type has (docs/decisions/107-what-quantizing-leaves.md).
void quantize(const Quantization& how, std::span<std::byte> values, int element_bytes, std::int64_t first,
              const ExternalValue& fill);

}  // namespace weir
