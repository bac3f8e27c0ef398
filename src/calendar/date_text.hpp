// SPDX-License-Identifier: Apache-2.0
// Dates as text, read and written. parse_date() (time_axis.hpp) is what others call. Pure, Local.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "calendar/time_axis.hpp"

namespace weir {

struct ReadDate {
  Date date;           // in universal time
  bool plain = false;  // year, month and day, with no time zone: all that read files read it alike
};

// Reads a date as units and configurations have it: a year, "-", month, "-", day, then a time of day and a time zone,
// of which all behind the year may be missing. Returns the date, or what is wrong, as the end of a sentence:
// "1990-02-30 does not exist ...".
std::variant<ReadDate, std::string> read_date(Calendar calendar, std::string_view text);

// Why no such date exists in a calendar, as the end of a sentence; nullopt: it exists.
std::optional<std::string> why_impossible(Calendar calendar, const Date& date);

// Returns "1990-01-31 06:00:00", and ".5" at the end where there is a part of a second.
std::string in_words(const Date& date);

// Returns the text with small letters for A to Z.
std::string in_small_letters(std::string_view text);

// Returns the number with at least `digits` digits.
std::string padded_number(std::int64_t number, int digits);

}  // namespace weir
