// SPDX-License-Identifier: Apache-2.0
#include "streams/setting.hpp"

#include <algorithm>

namespace weir {

std::string origin_of(const std::string& place, int line) {
  if (line == 0) return place.empty() ? "" : formatted(" ({})", place);
  return place.empty() ? formatted(" (line {})", line) : formatted(" ({}, line {})", place, line);
}

void Setting::refuse(const std::string& what, int line) const {
  throw Error(WEIR_ECONFIG,
              (path_.empty() ? "" : path_ + ": ") + what + origin_of(place_, line > 0 ? line : value_->line));
}

Setting Setting::child(const ConfigEntry& entry) const {
  return {entry.value, entry.key, path_.empty() ? kind_ + entry.key : path_ + ": " + entry.key, place_};
}

void Setting::require_map(std::string_view example) const {
  if (!value_->is_map)
    refuse(formatted("{} is not a map; give {}", value_->is_list ? "a list" : in_quotes(value_->text), example));
}

void Setting::check_keys(std::span<const std::string_view> known) const {
  for (const Setting& entry : entries()) {
    if (std::find(known.begin(), known.end(), entry.key_) != known.end()) continue;
    const auto nearest = nearest_word(entry.key_, known);
    refuse(formatted(
               "unknown key \"{}\": {}", entry.key_,
               nearest ? formatted("did you mean \"{}\"?", *nearest) : formatted("the keys are {}", join_words(known))),
           entry.value_->line);
  }
}

std::vector<Setting> Setting::entries() const {
  std::vector<Setting> found;
  for (const ConfigEntry& entry : value_->entries) {
    for (const Setting& before : found)
      if (before.key_ == entry.key)
        child(entry).refuse(
            formatted("is given twice, in lines {} and {}; keep one of them", before.value_->line, entry.value.line));
    found.push_back(child(entry));
  }
  return found;
}

std::optional<Setting> Setting::find(std::string_view key) const {
  for (const ConfigEntry& entry : value_->entries)
    if (entry.key == key) return child(entry);
  return std::nullopt;
}

Setting Setting::need(std::string_view key, std::string_view example) const {
  if (auto found = find(key)) return *found;
  refuse(formatted("has no \"{}\"; give one: {}: {}", key, key, example));
}

std::vector<Setting> Setting::items() const {
  if (!value_->is_list) refuse("is not a list; give [...]");
  std::vector<Setting> found;
  for (const ConfigValue& item : value_->items) found.emplace_back(item, key_, path_, place_);
  return found;
}

const std::string& Setting::text() const {
  if (value_->is_map || value_->is_list)
    refuse(formatted("expected a single value, found a {}; give a single value", value_->is_map ? "map" : "list"));
  return value_->text;
}

std::int64_t Setting::whole(std::int64_t least, std::int64_t most) const {
  const auto number = parse_whole(text());
  const bool bounded = most != std::numeric_limits<std::int64_t>::max();
  const std::string wanted = bounded ? formatted("{} to {}", least, most) : formatted("{} or more", least);
  if (!number) refuse(formatted("\"{}\" is not a whole number; give {}", text(), wanted));
  if (*number < least || *number > most) refuse(formatted("{} is impossible; give {}", *number, wanted));
  return *number;
}

double Setting::number(double least, double most) const {
  const auto number = parse_number(text());
  if (!number) refuse(formatted("\"{}\" is not a number; give one", text()));
  if (*number < least || *number > most)
    refuse(formatted("{} is impossible; give a number from {} to {}", text(), least, most));
  return *number;
}

}  // namespace weir
