// SPDX-License-Identifier: Apache-2.0
// The one table of configuration keys: name, meaning, allowed values, how a value is read and shown. config.cpp reads
// the sources (YAML, environment). Local.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "base/text.hpp"

namespace weir {

// The largest gap that an alignment may leave in a file: beyond 2 GiB PnetCDF cannot place the first variable.
inline constexpr std::int64_t largest_gap_bytes = 1LL << 30;

// A key. `set` throws Error(WEIR_ECONFIG) with what is allowed; the caller adds the key and where it was set.
struct ConfigKey {
  std::string_view name;
  std::string_view meaning;
  std::string allowed;
  void (*set)(Config&, const ConfigValue&);
  std::string (*show)(const Config&);  // the whole value: equal texts are equal values
  bool takes_lists = false;
};

// Throws Error(WEIR_ECONFIG).
[[noreturn]] inline void reject(const std::string& what) {
  throw Error(WEIR_ECONFIG, what);
}

// The words of a kind, in the order in which sentences list them.
template <class Kind>
using Words = std::span<const std::pair<std::string_view, Kind>>;
inline constexpr std::array format_words{std::pair{std::string_view("auto"), FormatKind::automatic},
                                         std::pair{std::string_view("netcdf4"), FormatKind::netcdf4},
                                         std::pair{std::string_view("zarr"), FormatKind::zarr}};
inline constexpr std::array compression_words{std::pair{std::string_view("none"), CompressionKind::none},
                                              std::pair{std::string_view("zlib"), CompressionKind::zlib},
                                              std::pair{std::string_view("zstd"), CompressionKind::zstd}};
inline constexpr std::array answer_words{std::pair{std::string_view("no"), false},
                                         std::pair{std::string_view("yes"), true}};

template <class Kind>
std::vector<std::string_view> words_of(Words<Kind> words) {
  std::vector<std::string_view> all;
  for (const auto& entry : words) all.push_back(entry.first);
  return all;
}

// Returns what a word stands for.
// Errors: WEIR_ECONFIG; has the allowed words, and the nearest one.
template <class Kind>
Kind kind_of(Words<Kind> words, std::string_view given) {
  for (const auto& [word, kind] : words)
    if (word == given) return kind;
  const auto all = words_of(words);
  const auto nearest = nearest_word(given, all);
  reject(formatted("\"{}\" is not one of {}{}", given, join_words(all),
                   nearest ? formatted("; did you mean \"{}\"?", *nearest) : ""));
}

const std::vector<ConfigKey>& config_keys();
// Returns a key.
// Errors: WEIR_ECONFIG; names the nearest known key.
const ConfigKey& config_key(std::string_view name);
// Whether a word is a key, or most likely meant as one.
bool is_near_a_key(std::string_view name);

// Sets one key. `origin` ("model.yaml, line 3") ends the sentence of an error.
void set_key(Config& config, const std::string& name, const ConfigValue& value, const std::string& origin);

// Reads the value of the key `files`: rules for files by their names.
// Errors: WEIR_ECONFIG; names the rule.
std::vector<FileRule> parse_rules(const ConfigValue& value);
// Returns the rules as text: equal texts are equal rules.
std::string show_rules(const std::vector<FileRule>& rules);

}  // namespace weir
