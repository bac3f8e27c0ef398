// SPDX-License-Identifier: Apache-2.0
// An entry of the configuration with its place, so that each refusal says where it is: "stream daily: fields: salt:
// digits: ... (model.yaml, line 7)". streams/stream_config.cpp reads streams by it. Pure, Local.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "base/config_keys.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace weir {

// Returns the end of a sentence on an entry of the configuration: " (model.yaml, line 7)".
std::string origin_of(const std::string& place, int line);

// All methods throw Error(WEIR_ECONFIG) for what is not as they ask.
class Setting {
 public:
  // `path`: the keys that lead to it, for messages. `kind`: what its entries are, where it has no path: "stream ".
  // `value` outlives the setting.
  Setting(const ConfigValue& value, std::string key, std::string path, std::string place, std::string kind = "")
      : value_(&value),
        key_(std::move(key)),
        path_(std::move(path)),
        place_(std::move(place)),
        kind_(std::move(kind)) {}

  const std::string& key() const noexcept { return key_; }
  const ConfigValue& value() const noexcept { return *value_; }

  // Throws an error with the path before it and the place behind it; `line` in place of the setting's own.
  [[noreturn]] void refuse(const std::string& what, int line = 0) const;
  // Returns what `read` returns, and gives its error a place.
  template <class Read>
  auto guard(Read read) const {
    try {
      return read();
    } catch (const Error& error) {
      refuse(error.what());
    }
  }

  // `example`: a map that may be given.
  void require_map(std::string_view example) const;
  // Refuses a key that is not known, with the nearest one, and a key that is given twice.
  void check_keys(std::span<const std::string_view> known) const;
  // Return the entries of a map; those of a key; the items of a list. entries() refuses a key that is given twice.
  std::vector<Setting> entries() const;
  std::optional<Setting> find(std::string_view key) const;
  Setting need(std::string_view key, std::string_view example) const;
  std::vector<Setting> items() const;

  // Read a single value.
  const std::string& text() const;
  std::int64_t whole(std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  double number(double least = std::numeric_limits<double>::lowest(),
                double most = std::numeric_limits<double>::max()) const;
  template <class Kind>
  Kind word(Words<Kind> words) const {
    const std::string& given = text();
    return guard([&] { return kind_of(words, given); });
  }

 private:
  Setting child(const ConfigEntry& entry) const;

  const ConfigValue* value_;
  std::string key_;
  std::string path_;
  std::string place_;
  std::string kind_;
};

}  // namespace weir
