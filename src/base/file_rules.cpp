// SPDX-License-Identifier: Apache-2.0
#include "base/file_rules.hpp"

#include <string>
#include <vector>

#include "base/config_keys.hpp"
#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/spelling.hpp"

namespace weir {

namespace {

// A rule is the word off, or keys; on is a rule without keys. The keys are tried out, so that an impossible one is an
// error of the configuration and not of the first file that matches.
FileRule parse_rule(const std::string& pattern, const ConfigValue& value) {
  if (pattern.empty()) reject("a rule has no pattern; give \"*.nc\": off, or keys");
  FileRule rule{pattern, value.text == "off", value.entries};
  if (!value.is_map && !rule.off && value.text != "on")
    reject(in_quotes(pattern) + ": " + in_quotes(value.text) + " is not a rule; give off, on, or {key: value, ...}");
  Config trial;
  for (const auto& [key, setting] : rule.keys) {
    if (key == "files") reject(in_quotes(pattern) + ": a rule has no rules of its own; leave files out");
    try {
      config_key(key).set(trial, setting);
    } catch (const Error& error) {
      reject(in_quotes(pattern) + ": " + key + ": " + error.what());
    }
  }
  return rule;
}

std::string show_value(const ConfigValue& value) {
  if (!value.is_map) return value.text;
  std::string text;
  for (const auto& [key, setting] : value.entries)
    text += (text.empty() ? "" : ", ") + key + ": " + show_value(setting);
  return "{" + text + "}";
}

}  // namespace

std::vector<FileRule> parse_rules(const ConfigValue& value) {
  if (!value.is_map && !trimmed(value.text).empty())
    reject(in_quotes(value.text) + " is not a map; give {pattern: off, pattern: {key: value}}");
  std::vector<FileRule> rules;
  for (const auto& [pattern, rule] : value.entries) rules.push_back(parse_rule(pattern, rule));
  return rules;
}

std::string show_rules(const std::vector<FileRule>& rules) {
  std::string text;
  for (const FileRule& rule : rules)
    text += (text.empty() ? "" : ", ") + in_quotes(rule.pattern) + ": " +
            (rule.off ? "off" : show_value({"", rule.keys, true}));
  return text.empty() ? "" : "{" + text + "}";
}

}  // namespace weir
