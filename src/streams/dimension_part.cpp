// SPDX-License-Identifier: Apache-2.0
#include "streams/dimension_part.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"

namespace weir {

namespace {

constexpr std::array part_keys{std::string_view("from"), std::string_view("to"),    std::string_view("first"),
                               std::string_view("last"), std::string_view("every"), std::string_view("at")};

IndexList parse_elements(const Setting& setting) {
  IndexList elements;
  for (const Setting& item : setting.items()) {
    const std::int64_t element = item.whole(0);
    if (!elements.empty() && element <= elements.back())
      item.refuse(formatted("element {} comes after {}; give elements in ascending order, each once", element,
                            elements.back()));
    elements.push_back(element);
  }
  if (elements.empty()) setting.refuse("has no elements; give at least one");
  return elements;
}

IndexRange checked_range(const Setting& setting, IndexRange range) {
  if (range.first > range.last)
    setting.refuse(formatted("element {} is behind element {}; give the first one first", range.first, range.last));
  return range;
}

// [first, last]
IndexRange parse_first_and_last(const Setting& setting) {
  const auto items = setting.items();
  const bool whole =
      std::all_of(items.begin(), items.end(), [](const Setting& item) { return parse_whole(item.text()).has_value(); });
  if (items.size() != 2 || !whole)
    setting.refuse(
        "is not [first, last] in whole numbers; give two elements, {from: 0.5, to: 80.5} for coordinate values, or "
        "{at: [0, 10]} for a list of elements");
  return checked_range(setting, {items[0].whole(0), items[1].whole(0), 1});
}

}  // namespace

DimensionPart parse_part(const Setting& setting) {
  DimensionPart part{setting.key(), IndexRange()};
  if (setting.value().is_list) {
    part.part = parse_first_and_last(setting);
    return part;
  }
  setting.require_map("{from: 0.5, to: 80.5}, {first: 0, last: 10, every: 2}, {at: [0, 10]} or [first, last]");
  setting.check_keys(part_keys);
  const auto from = setting.find("from"), to = setting.find("to"), first = setting.find("first");
  const auto last = setting.find("last"), every = setting.find("every"), at = setting.find("at");
  const bool by_values = from || to, by_range = first || last || every;
  if (int{by_values} + int{by_range} + int{at.has_value()} != 1)
    setting.refuse("mixes ways to choose; give one of {from, to}, {first, last, every} and {at}");
  if (at) part.part = parse_elements(*at);
  if (by_values) {
    if (!from || !to) setting.refuse(formatted("has no \"{}\"; give both from and to", from ? "to" : "from"));
    const CoordinateRange range{from->number(), to->number()};
    if (range.first > range.last)
      setting.refuse(formatted("from: {} is above to: {}; give the lower value first", from->text(), to->text()));
    part.part = range;
  }
  if (by_range)
    part.part = checked_range(setting, {first ? first->whole(0) : 0, last ? last->whole(0) : IndexRange::to_the_end,
                                        every ? every->whole(1) : 1});
  return part;
}

}  // namespace weir
