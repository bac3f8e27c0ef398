// SPDX-License-Identifier: Apache-2.0
// A file under its name, as the reader finds it.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "plan.hpp"

namespace harness {

// What is wrong with a file, in a sentence.
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Found {
  int generation;
  std::int64_t records;
  int parts;  // of a part file: how many there are
};

// Opens a file and reads it to the last value; throws Wrong. `look` is told what the file says of itself, and throws
// Wrong where that must not be. A part holds some elements only.
class Reading {
 public:
  virtual ~Reading() = default;
  virtual Found head() = 0;
  // One record of a variable, and which elements it is; nothing where the file has none of them.
  virtual std::vector<double> values(int var, std::int64_t record, std::vector<std::int64_t>& elements) = 0;
};

// How much a file holds: which of its lives, and so many records.
struct State {
  int generation;
  std::int64_t records;
  // It went back to so many records; those put since have the values of another generation.
  struct Turn {
    std::int64_t first;
    int generation;
    bool operator==(const Turn&) const = default;
  };
  std::vector<Turn> turns = {};

  bool operator==(const State&) const = default;
  void go_back(std::int64_t to, int values) {
    std::erase_if(turns, [to](const Turn& turn) { return turn.first >= to; });
    turns.push_back({to, values});
    records = to;
  }
  int generation_of(std::int64_t record) const {
    int found = generation;
    for (const Turn& turn : turns)
      if (turn.first <= record) found = turn.generation;
    return found;
  }
  // Without turns that no record shows.
  State shown() const {
    State state = *this;
    std::erase_if(state.turns, [this](const Turn& turn) { return turn.first >= records; });
    return state;
  }
};

struct Asked {
  std::string path;
  int number;                 // of the file
  std::string kind;           // whole, part, netcdf4
  std::optional<State> last;  // that was committed
  std::vector<State> states;  // the file may be in
};

struct Judged {
  State state;
  int parts;
};

// Reads the file by PnetCDF's own reader (netCDF-4 files, and heads once more, by netCDF's), and holds every value
// against the plan. Throws; `kept` says whether what was committed is there all the same.
Judged judge(const Plan& plan, const Asked& asked, bool& kept);
// The same, as another reader finds it.
Judged judge(const Plan& plan, const Asked& asked, Reading& reading, bool& kept);

std::unique_ptr<Reading> read_netcdf4(const Plan& plan, const std::string& path);

}  // namespace harness
