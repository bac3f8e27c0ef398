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

std::vector<std::string> values_of(const Config& config) {
  std::vector<std::string> values;
  for (const ConfigKey& key : config_keys()) values.push_back(key.show(config));
  return values;
}

std::string variable_of(std::string_view key) {
  std::string variable = "WEIR_";
  for (char letter : key)
    variable += letter == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return variable;
}

}  // namespace

std::uint64_t signature(const Config& config) {
  std::uint64_t all = 0;
  for (const std::string& value : values_of(config)) all = mix(all, value);
  return all;
}

std::string difference_in_words(const Comm& comm, const Config& config, const Deadline& deadline) {
  const auto mine = values_of(config), ours = broadcast_value(comm, mine, 0, deadline, comparison);
  std::int64_t lowest = mine == ours ? -comm.size() : -comm.rank();
  allreduce_max(comm, std::span(&lowest, 1), deadline, comparison);
  const int other = static_cast<int>(-lowest);
  const auto theirs = broadcast_value(comm, mine, other, deadline, comparison);
  std::size_t k = 0;
  while (k + 1 < config_keys().size() && theirs[k] == ours[k]) ++k;
  const std::string key(config_keys()[k].name);
  return formatted(
      "the configuration differs: {} is \"{}\" on rank {} and \"{}\" on rank {}; give all ranks the same (mpirun -x "
      "{})",
      key, theirs[k], comm.number_of(other), ours[k], comm.number_of(0), variable_of(key));
}

}  // namespace weir
