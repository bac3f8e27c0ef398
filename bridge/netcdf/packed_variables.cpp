// SPDX-License-Identifier: Apache-2.0
#include "netcdf/packed_variables.hpp"

#include <cstddef>
#include <utility>

#include "netcdf/front.hpp"
#include "netcdf/packed_definition.hpp"

namespace weir::bridge {

namespace {

std::int64_t bytes_of_record(const PackedVariable& variable) {
  std::int64_t bytes = type_bytes(variable.type);
  for (std::size_t d = variable.record ? 1 : 0; d < variable.shape.size(); ++d)
    if (__builtin_mul_overflow(bytes, variable.shape[d], &bytes)) return INT64_MAX;
  return bytes;
}

}  // namespace

int PackedVariables::find(int var, const Known*& known) {
  const auto found = known_.find(var);
  if (found != known_.end()) {
    known = &found->second;
    return NC_NOERR;
  }
  PackedVariable variable;
  int deflate = 0, fletcher32 = 0;
  std::size_t filters = 0;
  if (const int code = find_packed_variable(ncid_, var, variable); code != NC_NOERR) return code;
  WEIR_NETCDF(nc_inq_var_deflate)(ncid_, var, nullptr, &deflate, nullptr);
  WEIR_NETCDF(nc_inq_var_fletcher32)(ncid_, var, &fletcher32);
  WEIR_NETCDF(nc_inq_var_filter_ids)(ncid_, var, &filters, nullptr);
  const auto asked = asked_access_.find(var);
  const bool filtered = deflate != 0 || fletcher32 != 0 || filters > 0;
  const bool collective = collective_ || (asked != asked_access_.end() ? asked->second : filtered);
  known = &known_.emplace(var, Known{std::move(variable), collective}).first->second;
  return NC_NOERR;
}

// As in netCDF: filters make it collective, and it then stays so.
int PackedVariables::set_access(int var, bool collective) {
  if (const int code = WEIR_NETCDF(nc_inq_var)(ncid_, var, nullptr, nullptr, nullptr, nullptr, nullptr);
      code != NC_NOERR)
    return code;
  std::size_t filters = 0;
  WEIR_NETCDF(nc_inq_var_filter_ids)(ncid_, var, &filters, nullptr);
  if (!collective && filters > 0) return NC_EINVAL;
  if (collective_) return NC_NOERR;
  asked_access_[var] = collective;
  if (const auto found = known_.find(var); found != known_.end()) found->second.collective = collective;
  return NC_NOERR;
}

void PackedVariables::tell_access() {
  for (const auto& [var, collective] : asked_access_)
    if (collective) static_cast<void>(WEIR_NETCDF(nc_var_par_access)(ncid_, var, NC_COLLECTIVE));
}

std::optional<KeptPuts::Together> EarlyPuts::take(int var, const PackedVariable& variable, const PutExtent& all) {
  const std::int64_t bytes = bytes_of_record(variable);
  if (bytes > most_bytes - bytes_) return std::nullopt;
  bytes_ += bytes;
  if (!variable.record) return KeptPuts::Together{var, 0, 1};
  if (all.bytes > most_bytes) return std::nullopt;
  return KeptPuts::Together{var, all.first_record(), all.records};
}

}  // namespace weir::bridge
