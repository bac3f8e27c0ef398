// SPDX-License-Identifier: Apache-2.0
#include "plain_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iostream>

#include "base/text.hpp"

namespace weir::bench {
namespace {

bool is_one_of(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

int answer(const PlainProgram& program, const PlainOptions& line, const PlainRanks& ranks) {
  const bool speaks = ranks.speaks();
  if (line.given.contains("help")) {
    if (speaks) std::cout << program.usage;
    return 0;
  }
  try {
    if (!line.wrong.empty()) throw WrongLine(line.wrong);
    program.run(line, ranks);
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
    throw WrongLine(formatted("{} needs a whole number from {} on, not \"{}\"", option, least, text));
  if (number > most) throw WrongLine(formatted("{} goes to {}, not {}", option, most, text));
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
        read.wrong = formatted("{} needs a value", *word);
      else
        read.given[name] = equals == std::string::npos ? *++word : word->substr(equals + 1);
    } else if (equals == std::string::npos && (name == "help" || is_one_of(names, name))) {
      read.given[name] = "";
    } else {
      read.wrong = formatted("unknown option {}", *word);
    }
  }
  return read;
}

void PlainRanks::barrier() const {
  if (size > 1) MPI_Barrier(comm);
}

// Open MPI, PRRTE and Slurm's PMIx, Hydra (MPICH, Intel MPI) and Slurm's PMI, Cray's ALPS and PALS, MVAPICH, and srun,
// which may set nothing else. A job's own script on its first node has SLURM_PROCID, too, but no step of more than
// itself.
bool started_as_rank() {
  constexpr std::array marks{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK",   "PMI_RANK",
                             "ALPS_APP_PE",          "PALS_RANKID", "MV2_COMM_WORLD_RANK"};
  if (std::any_of(marks.begin(), marks.end(), [](const char* mark) { return std::getenv(mark) != nullptr; }))
    return true;
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  return tasks != nullptr && std::atoi(tasks) > 1;
}

int run_by_ranks(const PlainProgram& program, int argc, char** argv) {
  PlainRanks ranks;
  const bool begins = started_as_rank();
  if (begins) {
    int given = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, program.thread_level, &given);
    ranks.comm = MPI_COMM_WORLD;
    MPI_Comm_rank(ranks.comm, &ranks.rank);
    MPI_Comm_size(ranks.comm, &ranks.size);
  }
  const int code = answer(program, read_options(argc, argv, program.options), ranks);
  if (begins) MPI_Finalize();
  return code;
}

}  // namespace weir::bench
