// SPDX-License-Identifier: Apache-2.0
#include "plain_options.hpp"

#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <iostream>

namespace weir::bench {
namespace {

bool is_one_of(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

int answer(const PlainProgram& program, const PlainOptions& line, bool speaks) {
  if (line.given.contains("help")) {
    if (speaks) std::cout << program.usage;
    return 0;
  }
  try {
    if (!line.wrong.empty()) throw WrongLine(line.wrong);
    program.run(line, speaks);
  } catch (const WrongLine& error) {
    if (speaks) std::cerr << program.name << ": " << error.what() << "\n" << program.usage;
    return 2;
  } catch (const std::exception& error) {
    if (speaks) std::cerr << program.name << ": " << error.what() << "\n";
    return 1;
  }
  return 0;
}

}  // namespace

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number < least)
    throw WrongLine(option + " wants a whole number from " + std::to_string(least) + " on, not \"" + text + "\"");
  if (number > most) throw WrongLine(option + " goes to " + std::to_string(most) + ", not " + text);
  return number;
}

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

int run_under_mpi(const PlainProgram& program, int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int code = answer(program, read_options(argc, argv, program.options), rank == 0);
  MPI_Finalize();
  return code;
}

}  // namespace weir::bench
