// SPDX-License-Identifier: Apache-2.0
// The one table of configuration keys: name, meaning, allowed values, how a value is read and how it is shown. Reading
// the sources (YAML, environment) is config.cpp's. A key's `set` throws Error(WEIR_ECONFIG) with a sentence that says
// what is allowed; the caller adds the key and where it was set. Local.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.hpp"

namespace weir {

// That an alignment may leave in a file: beyond 2 GiB PnetCDF cannot place the first variable.
inline constexpr std::int64_t largest_gap_bytes = 1LL << 30;

struct ConfigKey {
  std::string_view name;
  std::string_view meaning;
  std::string allowed;
  void (*set)(Config&, const ConfigValue&);
  std::string (*show)(const Config&);  // all of the value: equal texts are equal values
};

// Throws Error(WEIR_ECONFIG).
[[noreturn]] inline void reject(const std::string& what) {
  throw Error(WEIR_ECONFIG, what);
}

const std::vector<ConfigKey>& config_keys();
// Throws Error(WEIR_ECONFIG) that names the nearest known key.
const ConfigKey& config_key(std::string_view name);
// A key, or a word that was most likely meant as one.
bool is_near_a_key(std::string_view name);

// Sets one key; `origin` ("model.yaml, line 3") ends the sentence of an error.
void set_key(Config& config, const std::string& name, const ConfigValue& value, const std::string& origin);

// The value of the key `files`: rules for files by their names. Local.

// Throws Error(WEIR_ECONFIG) with a sentence on the rule that is impossible.
std::vector<FileRule> parse_rules(const ConfigValue& value);
// All of them: equal texts are equal rules.
std::string show_rules(const std::vector<FileRule>& rules);

}  // namespace weir
