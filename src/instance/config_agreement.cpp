// SPDX-License-Identifier: Apache-2.0
#include "instance/config_agreement.hpp"

#include <cctype>
#include <vector>

#include "base/config_keys.hpp"
#include "base/text.hpp"
#include "mpi/agree.hpp"

namespace weir {

namespace {

constexpr const char* comparison = "comparison of the ranks' configurations";

// Each with its length before it.
std::string values_of(const Config& config) {
  std::string values;
  for (const ConfigKey& key : config_keys()) {
    const std::string value = key.show(config);
    values += std::to_string(value.size()) + ":" + value;
  }
  return values;
}

std::vector<std::string> split(const std::string& values) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < values.size(); at += parts.back().size()) {
    const std::size_t length = std::stoull(values.substr(at));
    at = values.find(':', at) + 1;
    parts.push_back(values.substr(at, length));
  }
  return parts;
}

std::string variable_of(std::string_view key) {
  std::string variable = "WEIR_";
  for (char letter : key)
    variable += letter == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return variable;
}

}  // namespace

std::uint64_t signature(const Config& config) {
  return mix(0, values_of(config));
}

std::string difference_in_words(const Comm& comm, const Config& config, const Deadline& deadline) {
  const std::string mine = values_of(config), first = broadcast(comm, mine, 0, deadline, comparison);
  std::int64_t lowest = mine == first ? -comm.size() : -comm.rank();
  allreduce_max(comm, std::span(&lowest, 1), deadline, comparison);
  const int other = static_cast<int>(-lowest);
  const auto theirs = split(broadcast(comm, mine, other, deadline, comparison)), ours = split(first);
  std::size_t k = 0;
  while (k + 1 < config_keys().size() && theirs[k] == ours[k]) ++k;
  const std::string key(config_keys()[k].name);
  return "the configuration differs: " + key + " is " + in_quotes(theirs[k]) + " on rank " +
         std::to_string(comm.number_of(other)) + " and " + in_quotes(ours[k]) + " on rank " +
         std::to_string(comm.number_of(0)) + "; give all ranks the same (mpirun -x " + variable_of(key) + ")";
}

}  // namespace weir
