// SPDX-License-Identifier: Apache-2.0
// Describes the first difference of two schemas in words.
#include <algorithm>
#include <cstring>
#include <sstream>

#include "base/text.hpp"
#include "schema/schema.hpp"
#include "schema/text_list.hpp"

namespace weir {
namespace {

constexpr std::size_t largest_shown_text = 40;
constexpr std::int64_t most_shown_values = 4;

using Words = std::optional<std::string>;

Words told(const std::string& subject, const std::string& mine, const std::string& theirs,
           std::string_view their_name) {
  return formatted("{} {} here and {} on {}", subject, mine, theirs, their_name);
}

// An entry at the same place of both lists: it lacks on one side, or has another name.
template <class Named>
Words place_difference(const char* kind, const std::vector<Named>& mine, const std::vector<Named>& theirs,
                       std::string_view their_name) {
  const std::size_t both = std::min(mine.size(), theirs.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (mine[i].name == theirs[i].name) continue;
    return told(formatted("{} number {}", kind, i), formatted("is \"{}\"", mine[i].name), in_quotes(theirs[i].name),
                their_name);
  }
  if (mine.size() > both) {
    return formatted("{} \"{}\" is defined here but not on {}", kind, mine[both].name, their_name);
  }
  if (theirs.size() > both) {
    return formatted("{} \"{}\" is not defined here but on {}", kind, theirs[both].name, their_name);
  }
  return std::nullopt;
}

std::string show_length(const Dimension& dimension) {
  return dimension.length == 0
             ? "no fixed length (the record dimension)"
             : (dimension.grows ? "no fixed length, now " : "length ") + std::to_string(dimension.length);
}

std::string show_dims(const Schema& schema, const Variable& variable) {
  std::string text;
  for (const int dim : variable.dims) {
    text += (text.empty() ? "" : ", ") + schema.dimensions()[static_cast<std::size_t>(dim)].name;
  }
  return "(" + text + ")";
}

std::string show_value(const Attribute& attribute, std::int64_t index) {
  return with_type(attribute.type, [&](auto value) {
    std::memcpy(&value, attribute.values.data() + static_cast<std::size_t>(index) * sizeof(value), sizeof(value));
    std::ostringstream text;
    text.precision(17);
    if constexpr (std::is_same_v<decltype(value), float>) text.precision(9);
    text << +value;
    return text.str();
  });
}

std::string_view text_of(const Attribute& attribute) {
  return {reinterpret_cast<const char*>(attribute.values.data()), attribute.values.size()};
}

std::string show_text(const Attribute& attribute) {
  return in_quotes(text_of(attribute));
}

std::string show_values(const Attribute& attribute) {
  if (attribute.type == WEIR_CHAR) return show_text(attribute);
  std::string text;
  if (attribute.type == WEIR_STRING) {
    for (const char* const each : texts_in(attribute.values)) text += (text.empty() ? "" : ", ") + in_quotes(each);
    return text;
  }
  for (std::int64_t i = 0; i < attribute.count; ++i) text += (i == 0 ? "" : ", ") + show_value(attribute, i);
  return text;
}

bool is_short(const Attribute& attribute) {
  if (attribute.type == WEIR_CHAR) return attribute.values.size() <= largest_shown_text;
  return attribute.count <= most_shown_values &&
         (attribute.type != WEIR_STRING || attribute.values.size() <= largest_shown_text);
}

// As much of it from there on as a sentence has room for.
std::string show_from(std::string_view text, std::size_t place) {
  return in_quotes(text.substr(std::min(place, text.size()), largest_shown_text));
}

Words list_difference(const std::string& subject, const Attribute& mine, const Attribute& theirs,
                      std::string_view their_name) {
  const auto here = texts_in(mine.values), there = texts_in(theirs.values);
  const auto [place, other] = std::mismatch(here.begin(), here.end(), there.begin(), there.end(),
                                            [](const char* a, const char* b) { return std::strcmp(a, b) == 0; });
  if (place == here.end() || other == there.end()) return std::nullopt;
  return told(formatted("{} has as text number {}", subject, place - here.begin()), show_from(*place, 0),
              show_from(*other, 0), their_name);
}

Words value_difference(const std::string& subject, const Attribute& mine, const Attribute& theirs,
                       std::string_view their_name) {
  if (is_short(mine) && is_short(theirs))
    return told(subject, formatted("is {}", show_values(mine)), show_values(theirs), their_name);
  const auto [place, other] = std::mismatch(mine.values.begin(), mine.values.end(), theirs.values.begin());
  const std::int64_t index = (place - mine.values.begin()) / type_bytes(mine.type);
  if (mine.type == WEIR_STRING) return list_difference(subject, mine, theirs, their_name);
  const std::string value = formatted(" has at value number {}", index);
  if (mine.type == WEIR_CHAR)
    return told(formatted("{}, from character {} on,", subject, index),
                formatted("is {}", show_from(text_of(mine), static_cast<std::size_t>(index))),
                show_from(text_of(theirs), static_cast<std::size_t>(index)), their_name);
  return told(subject + value, show_value(mine, index), show_value(theirs, index), their_name);
}

Words attribute_difference(const std::string& whose, const Attribute& mine, const Attribute& theirs,
                           std::string_view their_name) {
  const std::string subject = formatted("attribute \"{}\" of {}", mine.name, whose);
  if (mine.type != theirs.type) {
    return told(subject, formatted("has type {}", type_name(mine.type)), std::string(type_name(theirs.type)),
                their_name);
  }
  if (mine.count != theirs.count && !(is_short(mine) && is_short(theirs))) {
    return told(subject, formatted("has {} values", mine.count), std::to_string(theirs.count), their_name);
  }
  if (mine.values != theirs.values) return value_difference(subject, mine, theirs, their_name);
  return std::nullopt;
}

Words attributes_difference(const std::string& whose, const std::vector<Attribute>& mine,
                            const std::vector<Attribute>& theirs, std::string_view their_name) {
  if (auto words = place_difference("attribute", mine, theirs, their_name))
    return formatted("{} (attributes of {})", *words, whose);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (auto words = attribute_difference(whose, mine[i], theirs[i], their_name)) return words;
  }
  return std::nullopt;
}

Words dimension_difference(const Schema& mine, const Schema& theirs, std::string_view their_name) {
  const auto& here = mine.dimensions();
  const auto& there = theirs.dimensions();
  if (auto words = place_difference("dimension", here, there, their_name)) return words;
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i] == there[i]) continue;
    const bool plain = here[i].length > 0 && there[i].length > 0 && here[i].grows == there[i].grows;
    return told(formatted("dimension \"{}\"", here[i].name), formatted("has {}", show_length(here[i])),
                plain ? std::to_string(there[i].length) : show_length(there[i]), their_name);
  }
  return std::nullopt;
}

std::string show_storage(const Storage& storage) {
  std::string text = "chunks";
  for (const std::int64_t length : storage.chunk) text.append(" ").append(std::to_string(length));
  if (storage.chunk.empty()) text += " by default";
  if (storage.shuffle) text += ", shuffle";
  if (storage.deflate_level) text += formatted(", deflate {}", *storage.deflate_level);
  if (storage.zstd_level) text += formatted(", zstd {}", *storage.zstd_level);
  if (storage.quantization)
    text +=
        formatted(", quantize {} to {}", static_cast<int>(storage.quantization->kind), storage.quantization->digits);
  return text + (storage.fletcher32 ? ", fletcher32" : "");
}

Words variable_difference(const Schema& mine, const Schema& theirs, int var, std::string_view their_name) {
  const Variable& here = mine.variable(var);
  const Variable& there = theirs.variable(var);
  const std::string whose = formatted("variable \"{}\"", here.name);
  if (here.type != there.type) {
    return told(whose, formatted("has type {}", type_name(here.type)), std::string(type_name(there.type)), their_name);
  }
  if (here.dims != there.dims) {
    return told(whose, formatted("has dimensions {}", show_dims(mine, here)), show_dims(theirs, there), their_name);
  }
  if (here.storage != there.storage)
    return told(whose, formatted("is stored as {}", show_storage(here.storage)), show_storage(there.storage),
                their_name);
  return attributes_difference(whose, here.attributes, there.attributes, their_name);
}

}  // namespace

std::optional<std::string> difference(const Schema& mine, const Schema& theirs, std::string_view their_name) {
  if (auto words = dimension_difference(mine, theirs, their_name)) return words;
  if (auto words = place_difference("variable", mine.variables(), theirs.variables(), their_name)) return words;
  for (int var = 0; var < static_cast<int>(mine.variables().size()); ++var) {
    if (auto words = variable_difference(mine, theirs, var, their_name)) return words;
  }
  if (mine.attaches_scales() != theirs.attaches_scales())
    return told("the file", mine.attaches_scales() ? "has its dimension scales attached" : "has unattached scales",
                theirs.attaches_scales() ? "attached ones" : "unattached ones", their_name);
  return attributes_difference("the file", mine.attributes(WEIR_GLOBAL), theirs.attributes(WEIR_GLOBAL), their_name);
}

}  // namespace weir
