// SPDX-License-Identifier: Apache-2.0
// Compares the definitions of the ranks, of a file that Weir makes. Dimensions and variables must be equal, with types,
// chunks and filters; rank 0's attributes are written, as the underlying libraries do.
#pragma once

#include <cstdint>
#include <string>

#include "core/rank_group.hpp"
#include "schema/schema.hpp"

namespace weir::bridge {

// What to do about a difference, behind its words.
inline constexpr const char* define_alike =
    "; all ranks must define the same dimensions and variables, and store them alike";

// The schema without its attributes.
Schema structure_of(const Schema& schema);
// Not negative.
std::int64_t signature_of(const Schema& schema);

// The first difference from rank 0's, of the lowest rank that has one: which definition, on which two ranks, with both
// values (WEIR_EMISMATCH). `here`: what is wrong with this rank's own definitions, if anything; the lowest rank's is
// then the answer. The same on all ranks. Collective.
Status difference_of_ranks(const RankGroup& group, const Schema& mine, Status here = {});

// The definitions of all ranks: rank 0's. Where ranks have other attributes than rank 0, the report says so. Throws
// Error(WEIR_EMISMATCH), the same on all ranks, where something else differs. Collective.
Schema agreed_definitions(RankGroup& group, const std::string& path, const Schema& mine);

}  // namespace weir::bridge
