// SPDX-License-Identifier: Apache-2.0
#include "core/definition_agreement.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "mpi/agree.hpp"

namespace weir::bridge {

namespace {

constexpr const char* comparison = "comparison of definitions";

// Compares with rank 0's, and names the lowest rank that differs.
Status difference_from(const Schema& first, const RankGroup& group, const Schema& mine, Status here) {
  const Comm& comm = group.comm();
  if (here.ok())
    if (const auto words = difference(mine, first, formatted("rank {}", comm.number_of(0))))
      here = {WEIR_EMISMATCH, formatted("rank {}: {}", comm.number(), *words)};
  return agree(comm, {AgreementPoint::bridge_definitions, 0, comparison, nullptr}, here, group.deadline());
}

// Rank 0's. Collective.
Schema first_of(const RankGroup& group, const Schema& mine) {
  return broadcast_value(group.comm(), mine, 0, group.deadline(), comparison);
}

}  // namespace

Schema structure_of(const Schema& schema) {
  Schema structure;
  for (const Dimension& dim : schema.dimensions())
    dim.grows ? structure.add_growing_dimension(dim.name, dim.length) : structure.add_dimension(dim.name, dim.length);
  for (const Variable& variable : schema.variables()) {
    const int var = structure.add_variable(variable.name, variable.type, variable.dims);
    if (variable.storage.any()) structure.set_storage(var, variable.storage);
  }
  if (!schema.attaches_scales()) structure.leave_scales_unattached();
  return structure;
}

std::int64_t signature_of(const Schema& schema) {
  const std::vector<std::byte> bytes = schema.serialize();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return static_cast<std::int64_t>(mix(0, text) >> 2);
}

Status difference_of_ranks(const RankGroup& group, const Schema& mine, Status here) {
  return difference_from(first_of(group, mine), group, mine, std::move(here));
}

Schema agreed_definitions(RankGroup& group, const std::string& path, const Schema& mine) {
  const std::int64_t signature = signature_of(mine);
  std::int64_t most[] = {signature, -signature};
  allreduce_max(group.comm(), most, group.deadline(), comparison);
  if (most[0] == -most[1]) return mine;
  const Schema first = first_of(group, mine);
  const Status refused = difference_from(structure_of(first), group, structure_of(mine), {});
  require(refused.ok(), refused.code, "{}: {}{}", path, refused.message, define_alike);
  const Status told = difference_from(first, group, mine, {});
  group.note(formatted("{}: {}: the attributes of rank 0 are written", path, told.message));
  return first;
}

}  // namespace weir::bridge
