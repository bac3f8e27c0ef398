// SPDX-License-Identifier: Apache-2.0
#include "configuration.hpp"

#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/text.hpp"

namespace weir::cfio2 {

std::string with_defaults(const std::string& yaml, const std::string& lines) {
  YAML::Node root;
  try {
    root = YAML::Load(yaml);
  } catch (const YAML::Exception&) {
    return yaml;
  }
  if (!root.IsDefined() || root.IsNull()) return lines;
  if (!root.IsMap()) return yaml;
  const bool in_braces = root.Style() == YAML::EmitterStyle::Flow;
  std::string added, line;
  for (std::istringstream stream(lines); std::getline(stream, line);) {
    if (root[line.substr(0, line.find(':'))]) continue;
    added +=
        line + (in_braces ? std::string(", ") : "\n" + std::string(static_cast<std::size_t>(root.Mark().column), ' '));
  }
  // The place of a map is its first key, or its brace.
  return std::string(yaml).insert(static_cast<std::size_t>(root.Mark().pos) + (in_braces ? 1 : 0), added);
}

std::string configuration_text(int writers_per_host, int writers_per_variable) {
  const std::string lines =
      formatted("strategy: dynamic\ncontrol: rank\nwriters_per_host: {}\nwriters_per_variable: {}\n", writers_per_host,
                writers_per_variable);
  const char* source = std::getenv("WEIR_CONFIG");
  if (source == nullptr) return lines;
  const std::string given(source);
  if (given.find(": ") != given.npos || given.find('\n') != given.npos) return with_defaults(given, lines);
  std::ifstream file(given, std::ios::binary);
  if (!file) return given;
  return with_defaults({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}, lines);
}

}  // namespace weir::cfio2
