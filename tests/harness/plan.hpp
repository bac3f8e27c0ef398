// SPDX-License-Identifier: Apache-2.0
// What a run of the harness is: the model reads it to know what to write, the reader to know what must be there. All
// values follow from (seed, file, generation, variable, record, element). tools/faults makes it as a JSON file, the
// simulated machine (tests/sim) in memory.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace harness {

// The numbers are netCDF's nc_type.
enum class Type { integer = 4, real = 5, wide = 6 };

struct Variable {
  const char* name;
  Type type;
  bool record;
  int ndims;     // the last ones of (z, y, x), the record dimension not counted
  bool partial;  // nobody puts its last row where the plan has holes
};

inline constexpr std::array<Variable, 5> variables{{{"mask", Type::integer, false, 2, false},
                                                    {"depth", Type::wide, false, 2, false},
                                                    {"temp", Type::real, true, 3, false},
                                                    {"salt", Type::wide, true, 2, true},
                                                    {"step", Type::integer, true, 0, false}}};

// Which file, in which of its lives: it is made anew with another generation.
struct RecordKey {
  int file;
  int generation;
  int var;
  std::int64_t record;
};

struct Box {
  std::vector<std::int64_t> start, count;
};

class Plan {
 public:
  explicit Plan(nlohmann::json words);
  static Plan read(const std::string& path);

  const nlohmann::json& operator[](const char* key) const { return json_.at(key); }
  const nlohmann::json& words() const noexcept { return json_; }
  std::string text(const char* key) const { return json_.at(key).get<std::string>(); }
  std::string path(int file) const;

  // Of one record of a variable.
  std::vector<std::int64_t> shape(int var) const;
  std::int64_t elements(int var) const;
  // The box that this rank puts of it; counts of 0 where it has nothing. Of decomposition "cyclic" there is none.
  Box box(int var, int rank, int ranks) const;
  bool has_boxes() const { return decomposition_ != "cyclic"; }
  // Numbers of the elements that this rank puts, in file order.
  std::vector<std::int64_t> owned(int var, int rank, int ranks) const;

  // What the file holds there: the value put, or the fill value where nobody puts any.
  double expected(const RecordKey& place, std::int64_t element) const;

 private:
  std::int64_t rows_put(int var) const;

  nlohmann::json json_;
  // Of them, what is asked for each element.
  std::uint64_t seed_;
  std::string decomposition_;
  bool holes_;
  std::array<std::int64_t, 3> shape_;
  std::set<std::array<std::int64_t, 4>> left_out_;  // file, generation, variable, record: nobody puts them
};

}  // namespace harness
