// SPDX-License-Identifier: Apache-2.0
// The command line of a program that is built wherever the library is, and so does without CLI11: long options, with or
// without a value, and words. Local.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace weir::bench {

struct PlainOptions {
  std::map<std::string, std::string> given;  // by name without its dashes; "" where it takes no value
  std::vector<std::string> words;
  std::string wrong;  // what cannot be read, for a sentence; "" where all can
};

// `names`: an option that takes a value ends with '=', as in "records=". --help is always one.
PlainOptions read_options(int argc, char** argv, const std::vector<std::string>& names);

}  // namespace weir::bench
