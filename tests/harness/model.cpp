// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include <unistd.h>

namespace harness {

using nlohmann::json;

int Model::run() {
  enter("init");
  if (told(writer_.init(), -1) && writer_.has_model()) {
    carry_out();
    enter("finalize");
    told(writer_.finalize(), -1);
  }
  enter("end");
  notes_.end(first_, last_);
  return first_;
}

void Model::enter(const char* phase) {
  now_in_ = phase;
  notes_.enter(phase);
}

// True where the call went well; the first error is noted.
bool Model::told(int code, int line) {
  last_ = code;
  if (code == 0 || first_ != 0) return code == 0;
  first_ = code;
  notes_.first_error(code, line, now_in_, writer_.sentence(code));
  return false;
}

void Model::carry_out() {
  const json& script = plan_["script"];
  for (int line = 0; line < static_cast<int>(script.size()); ++line) {
    if (!step(script[static_cast<std::size_t>(line)], line) && plan_.text("after_error") == "end") break;
  }
  if (first_ == 0) return;
  const std::set<int> begun = begun_;
  for (const int file : begun) {
    if (!writer_.is_open(file)) continue;
    enter("close");
    told(writer_.close(file), -1);
  }
}

bool Model::step(const json& words, int line) {
  const std::string call = words[0];
  const int number = words[1];
  if (call == "compute") return compute(number);
  if (call == "create" || call == "open") {
    if (failed_.contains(number)) return true;  // where it was to be continued there is less than the script thinks
    enter("define");
    generation_[number] = words[2];
    begun_.insert(number);
    if (call == "create") return of_file(number, told(writer_.create(number, words[2]), line));
    const bool goes_back = words.size() > 3;
    return of_file(number, told(goes_back ? writer_.open_at(number, words[3]) : writer_.open(number, words[2]), line));
  }
  if (!writer_.is_open(number)) return true;
  if (call == "put") {
    enter("put");
    return of_file(number, told(writer_.put({number, generation_[number], words[2], words[3]}), line));
  }
  enter(call == "sync" ? "commit" : "close");
  notes_.begin_commit(line);
  const bool good = of_file(number, told(call == "sync" ? writer_.sync(number) : writer_.close(number), line));
  if (good) notes_.end_commit(line);
  return good;
}

bool Model::of_file(int file, bool good) {
  if (!good) failed_.insert(file);
  return good;
}

// It computes for so many microseconds: something may go wrong meanwhile.
bool Model::compute(int microseconds) {
  enter("compute");
  usleep(static_cast<useconds_t>(microseconds));
  return true;
}

}  // namespace harness
