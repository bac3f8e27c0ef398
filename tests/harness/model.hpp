// SPDX-License-Identifier: Apache-2.0
// The model that is killed. It carries out its plan's script, says at each call in which phase it is, and notes what
// has been committed, its first error, and its end. After an error it closes what is open and ends Weir (after_error:
// end), or makes all further calls, too (go_on).
#pragma once

#include <map>
#include <set>
#include <string>

#include "writer.hpp"

namespace harness {

// Where a rank's notes go.
class Notes {
 public:
  virtual ~Notes() = default;
  // init, define, put, commit, close, compute, finalize, end
  virtual void enter(const char* phase) = 0;
  // Before the commit that is this line of the script, and when it has returned without error.
  virtual void begin_commit(int line) = 0;
  virtual void end_commit(int line) = 0;
  virtual void first_error(int code, int line, const std::string& phase, const std::string& sentence) = 0;
  // First and last code: the rank has come to its end.
  virtual void end(int first, int last) = 0;
};

class Model {
 public:
  Model(const Plan& plan, Writer& writer, Notes& notes) : plan_(plan), writer_(writer), notes_(notes) {}

  // The first error, 0: none.
  int run();

 private:
  void enter(const char* phase);
  bool told(int code, int line);
  void carry_out();
  bool step(const nlohmann::json& words, int line);
  bool of_file(int file, bool good);
  bool compute(int microseconds);

  const Plan& plan_;
  Writer& writer_;
  Notes& notes_;
  const char* now_in_ = "init";
  int first_ = 0, last_ = 0;
  std::map<int, int> generation_;
  std::set<int> begun_, failed_;
};

}  // namespace harness
