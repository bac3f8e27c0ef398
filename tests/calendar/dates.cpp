// SPDX-License-Identifier: Apache-2.0
// Answers tests/python/test_calendar.py: for each line "UNITS<tab>CALENDAR<tab>DATE" of its input one line with the
// date's time in these units; for "UNITS<tab>CALENDAR<tab>=TIME" the date of a time; for "UNITS<tab>CALENDAR<tab>" the
// units that files have.
#include <cstdio>
#include <iostream>
#include <string>

#include "base/error.hpp"
#include "calendar/time_axis.hpp"

namespace {

using namespace weir;

void answer(const std::string& line) {
  const auto first = line.find('\t');
  const auto second = line.find('\t', first + 1);
  const TimeAxis axis(line.substr(0, first), line.substr(first + 1, second - first - 1));
  const std::string asked = line.substr(second + 1);
  if (asked.empty()) {
    std::puts(axis.units().c_str());
  } else if (asked.starts_with('=')) {
    std::puts(axis.in_words(axis.instant(std::stod(asked.substr(1)))).c_str());
  } else {
    std::printf("%.17g\n", axis.time(axis.instant(parse_date(axis.calendar(), asked))));
  }
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  try {
    for (std::string line; std::getline(std::cin, line);) answer(line);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
