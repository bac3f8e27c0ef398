// SPDX-License-Identifier: Apache-2.0
#include "advice/advisor.hpp"

#include <algorithm>
#include <cstdio>

#include "base/config_keys.hpp"
#include "base/text.hpp"

namespace weir {

namespace {

constexpr int records_of_a_trial = 2;
constexpr int least_watched = 5;  // records between whose ends times are compared
constexpr double grown = 1.25;

std::string shown(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

}  // namespace

std::string Way::words() const {
  std::string text;
  for (const auto& [key, value] : settings) text += (text.empty() ? "" : ", ") + key + ": " + value;
  return text;
}

Config Way::over(Config asked, const std::string& origin) const {
  for (const auto& [key, value] : settings) set_key(asked, key, {value, {}, false}, origin);
  return asked;
}

Advisor::Advisor(std::vector<Way> ways, Origin origin)
    : ways_(std::move(ways)), costs_(ways_.size(), 0), trying_(origin != Origin::measured && ways_.size() > 1) {
  line_ = formatted("began with {}", way().words());
  if (origin == Origin::rules) line_ += ", because no tuned table has a similar output";
  if (origin == Origin::simulated) line_ += ", the tuned table's, which was simulated";
  if (origin == Origin::measured) line_ += ", the tuned table's, which an earlier run has measured";
}

bool Advisor::record_ended(double now) {
  if (++records_ == 1) first_ = now;
  last_ = now;
  return trying_ && records_ == records_of_a_trial;
}

double Advisor::judge(double now, bool in_background) const {
  if (in_background) return std::max(last_ - first_, (now - first_) / records_of_a_trial);
  return last_ - first_ + (now - last_) / records_of_a_trial;
}

bool Advisor::decide(double seconds) {
  costs_[current_] = seconds;
  records_ = 0;
  const std::size_t before = current_;
  if (++tried_ < ways_.size())
    current_ = (current_ + 1) % ways_.size();
  else
    keep_cheapest();
  return current_ != before;
}

void Advisor::keep_cheapest() {
  trying_ = false;
  found_ = true;
  current_ = static_cast<std::size_t>(std::min_element(costs_.begin(), costs_.end()) - costs_.begin());
  std::string others;
  for (std::size_t w = 0; w < ways_.size(); ++w)
    if (w != current_)
      others += formatted("{}{} by {}", others.empty() ? "" : ", ", shown(costs_[w]), ways_[w].words());
  line_ = formatted("kept {}: {} a record, {}", way().words(), shown(cost()), others);
}

bool Advisor::worse() {
  if (trying_ || ways_.size() < 2 || records_ < least_watched) return false;
  const double period = (last_ - first_) / (records_ - 1);
  const double known = costs_[current_];
  if (known <= 0) costs_[current_] = period;
  records_ = 0;
  return known > 0 && period > grown * known;
}

void Advisor::try_again() {
  line_ = formatted("tried again: a record took more than {} by {}", shown(grown * cost()), way().words());
  trying_ = true;
  tried_ = 0;
  records_ = 0;
}

}  // namespace weir
