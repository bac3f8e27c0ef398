// SPDX-License-Identifier: Apache-2.0
#include "workloads/modes.hpp"

#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"

namespace weir::workloads {

namespace {

// The first word of a mode: its name, and a setting where it has any.
ModeSpec parse_first(const std::string& text) {
  ModeSpec spec;
  spec.text = text;
  const auto equals = text.find('=');
  const auto colon = equals == std::string::npos ? std::string::npos : text.rfind(':', equals);
  spec.name = text.substr(0, colon);
  if (colon != std::string::npos) spec.settings.push_back(parse_setting(text.substr(colon + 1)));
  const auto rest = spec.name.find(':', spec.is_peer() ? 5 : 0);
  if (rest != std::string::npos) parse_setting(spec.name.substr(rest + 1));
  return spec;
}

bool is_setting(const std::string& word) {
  const auto equals = word.find('=');
  return equals != std::string::npos && word.find(':') > equals;
}

}  // namespace

std::pair<std::string, std::string> parse_setting(const std::string& text, const std::string& where) {
  const auto equals = text.find('=');
  require(equals != 0 && equals != std::string::npos, WEIR_EARGUMENT, "{}\"{}\" is no setting; give key=value", where,
          text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<ModeSpec> parse_modes(const std::string& list) {
  std::vector<ModeSpec> specs;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    if (!is_setting(word)) {
      specs.push_back(parse_first(word));
      continue;
    }
    require(!specs.empty(), WEIR_EARGUMENT, "the setting \"{}\" has no mode before it; give MODE:{}", word, word);
    specs.back().text += "," + word;
    specs.back().settings.push_back(parse_setting(word));
  }
  require(!specs.empty(), WEIR_EARGUMENT, "no mode is named; give --modes a,b,c");
  return specs;
}

ModeSpec parse_mode(const std::string& text) {
  std::vector<ModeSpec> specs = parse_modes(text);
  require(specs.size() == 1, WEIR_EARGUMENT, "\"{}\" is more than one mode; give each by itself", text);
  return std::move(specs.front());
}

}  // namespace weir::workloads
