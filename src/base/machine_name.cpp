// SPDX-License-Identifier: Apache-2.0
#include "base/machine_name.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace weir {

namespace {

constexpr std::string_view ten_digits = "0123456789";

bool may_stand_in_a_file_name(char letter) noexcept {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         ten_digits.find(letter) != ten_digits.npos || letter == '-' || letter == '_';
}

std::string with_plain_letters(std::string_view name) {
  std::string plain(name);
  for (char& letter : plain)
    if (!may_stand_in_a_file_name(letter)) letter = '-';
  return plain;
}

}  // namespace

std::string machine_of_host(std::string_view host) {
  std::string_view name = host.substr(0, host.find('.'));
  if (const auto last = name.find_last_not_of(ten_digits); last != name.npos) {
    const std::string_view rest = name.substr(0, last + 1);
    if (const auto word = rest.find_last_not_of("-_"); word != rest.npos) name = name.substr(0, word + 1);
  }
  return name.empty() ? "unnamed" : with_plain_letters(name);
}

std::string machine_name() {
  for (const char* variable : {"SLURM_CLUSTER_NAME", "LMOD_SYSHOST"})
    if (const char* name = std::getenv(variable); name && *name) return with_plain_letters(name);
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) return "unnamed";
  return machine_of_host(host.data());
}

}  // namespace weir
