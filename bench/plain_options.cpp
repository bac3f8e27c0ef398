// SPDX-License-Identifier: Apache-2.0
#include "plain_options.hpp"

#include <algorithm>

namespace weir::bench {
namespace {

bool is_one_of(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

PlainOptions read_options(int argc, char** argv, const std::vector<std::string>& names) {
  PlainOptions read;
  const std::vector<std::string> line(argv + std::min(argc, 1), argv + argc);
  bool only_words = false;
  for (auto word = line.begin(); word != line.end() && read.wrong.empty(); ++word) {
    if (only_words || !word->starts_with("-") || *word == "-") {
      read.words.push_back(*word);
      continue;
    }
    only_words = *word == "--";
    if (only_words) continue;
    const auto equals = word->find('=');
    const std::string name = word->starts_with("--") ? word->substr(2, equals - 2) : "";
    if (is_one_of(names, name + "=")) {
      if (equals == std::string::npos && word + 1 == line.end())
        read.wrong = *word + " wants a value";
      else
        read.given[name] = equals == std::string::npos ? *++word : word->substr(equals + 1);
    } else if (equals == std::string::npos && (name == "help" || is_one_of(names, name))) {
      read.given[name] = "";
    } else {
      read.wrong = "there is no option " + *word;
    }
  }
  return read;
}

}  // namespace weir::bench
