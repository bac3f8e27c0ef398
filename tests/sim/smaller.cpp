// SPDX-License-Identifier: Apache-2.0
#include "smaller.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace sim {

using nlohmann::json;

namespace {

constexpr int fewest_ranks = 2;  // of the model
const json least_shape{1, 5, 4};
const char* const keys[] = {"bundle_size", "header_free", "buffer_limit", "durability"};  // that have a good default

int model_ranks(const Trial& trial) {
  return trial.ranks - trial.reserved;
}

bool strays(const Trial& trial) {
  return trial.mishap.kind == Mishap::Kind::stray;
}

std::set<int> files_of(const Trial& trial) {
  std::set<int> files;
  for (const json& line : trial.script)
    if (line[0] != "compute") files.insert(line[1].get<int>());
  return files;
}

// Lines of a file from where it is made or opened to its close.
struct Life {
  int file;
  bool fresh;
  std::vector<std::size_t> lines;
};

std::vector<Life> lives_of(const json& script) {
  std::vector<Life> lives;
  for (std::size_t i = 0; i < script.size(); ++i) {
    const json& line = script[i];
    if (line[0] == "compute") continue;
    const int file = line[1];
    if (line[0] == "create" || line[0] == "open") lives.push_back({file, line[0] == "create", {}});
    const auto life =
        std::find_if(lives.rbegin(), lives.rend(), [file](const Life& each) { return each.file == file; });
    life->lines.push_back(i);
  }
  return lives;
}

// Whether nobody goes on with what the life leaves.
bool is_last(const std::vector<Life>& lives, std::size_t number) {
  for (std::size_t next = number + 1; next < lives.size(); ++next)
    if (lives[next].file == lives[number].file) return lives[next].fresh;
  return true;
}

bool puts_record(const json& line) {
  return line[0] == "put" && line[2] >= 2;
}

// The lines of the last record that a life puts, and its commit; none where it puts none.
std::vector<std::size_t> last_record(const json& script, const Life& life) {
  std::vector<std::size_t> lines;
  int last = -1;
  for (const std::size_t i : life.lines)
    if (puts_record(script[i])) last = std::max(last, script[i][3].get<int>());
  bool after = false;
  for (const std::size_t i : life.lines) {
    const bool of_it = puts_record(script[i]) && script[i][3] == last;
    if (of_it || (after && script[i][0] == "sync")) lines.push_back(i);
    after = after || of_it;
  }
  return last < 0 ? std::vector<std::size_t>{} : lines;
}

// A rank that makes another call is judged by what comes before and after it.
bool holds_stray(const Trial& trial, const std::vector<std::size_t>& lines) {
  const auto at = static_cast<std::size_t>(trial.mishap.at);
  return strays(trial) && !lines.empty() && lines.front() <= at;
}

void take_lines(Trial& trial, const std::set<std::size_t>& lines) {
  json left = json::array();
  long before = 0;
  for (std::size_t i = 0; i < trial.script.size(); ++i) {
    if (!lines.contains(i)) left.push_back(trial.script[i]);
    if (lines.contains(i) && strays(trial) && static_cast<long>(i) < trial.mishap.at) ++before;
  }
  trial.script = std::move(left);
  if (strays(trial)) trial.mishap.at -= before;
}

// Variables that the commit fills where nobody puts them; of "step" all are put, so each record is there.
bool may_be_left_out(const Trial& trial, std::size_t i) {
  const json& line = trial.script[i];
  if (strays(trial) && static_cast<long>(i) <= trial.mishap.at) return false;
  if (line[0] == "sync" || line[0] == "compute") return true;
  return line[0] == "put" && line[2] < 4 && !trial.in_parts;
}

void leave_out(Trial& trial, std::size_t i) {
  const json line = trial.script[i];
  if (line[0] == "put") {
    int generation = 0;
    for (std::size_t k = 0; k < i; ++k)
      if ((trial.script[k][0] == "create" || trial.script[k][0] == "open") && trial.script[k][1] == line[1])
        generation = trial.script[k][2];
    trial.model["left_out"].push_back({line[1], generation, line[2], line[3]});
  }
  take_lines(trial, {i});
}

std::set<std::size_t> lines_of_file(const Trial& trial, int file) {
  std::set<std::size_t> lines;
  for (std::size_t i = 0; i < trial.script.size(); ++i)
    if (trial.script[i][0] != "compute" && trial.script[i][1] == file) lines.insert(i);
  return lines;
}

void keep_ranks(Trial& trial, int count) {
  const int goes = model_ranks(trial) - count;
  const auto keep = [&](auto& list) { list.erase(list.begin() + count, list.begin() + count + goes); };
  keep(trial.hosts);
  keep(trial.paces);
  const auto moved = [&](int process) {
    return process >= model_ranks(trial) ? process - goes : std::min(process, count - 1);
  };
  trial.mishap.process = moved(trial.mishap.process);
  trial.fault.process = moved(trial.fault.process);
  trial.ranks -= goes;
}

void drop_key(Trial& trial, const std::string& key) {
  std::istringstream lines(trial.configuration);
  std::string left, line;
  while (std::getline(lines, line))
    if (!line.starts_with(key + ":")) left += line + "\n";
  trial.configuration = left;
}

class Steps {
 public:
  explicit Steps(const Trial& trial) : trial_(trial) {}

  std::vector<std::string> all() {
    offer(trial_.fault.process >= 0, "no fault of the storage");
    offer(trial_.mishap.kind != Mishap::Kind::none, "nothing happens to a rank");
    of_script();
    of_machine();
    of_model();
    return std::move(steps_);
  }

 private:
  void offer(bool is_one, const std::string& step) {
    if (is_one) steps_.push_back(step);
  }

  void of_script() {
    const std::set<int> files = files_of(trial_);
    for (const int file : files) offer(files.size() > 1 && !strays_in(file), "without file " + std::to_string(file));
    const std::vector<Life> lives = lives_of(trial_.script);
    for (std::size_t n = 0; n < lives.size(); ++n) {
      const bool several =
          std::count_if(lives.begin(), lives.end(), [&](const Life& each) { return each.file == lives[n].file; }) > 1;
      offer(several && is_last(lives, n) && !holds_stray(trial_, lives[n].lines), "without life " + std::to_string(n));
    }
    for (std::size_t n = 0; n < lives.size(); ++n) {
      const std::vector<std::size_t> lines = last_record(trial_.script, lives[n]);
      offer(!lines.empty() && is_last(lives, n) && !holds_stray(trial_, lines),
            "without the last record of life " + std::to_string(n));
    }
    for (std::size_t i = 0; i < trial_.script.size(); ++i)
      offer(may_be_left_out(trial_, i), "without line " + std::to_string(i));
  }

  bool strays_in(int file) const {
    return strays(trial_) &&
           (trial_.script[static_cast<std::size_t>(trial_.mishap.at)][1] == file || trial_.mishap.line[1] == file);
  }

  void of_machine() {
    // Of two ranks, one of which has all elements, the other learns from it which record it is (draw.cpp).
    const int fewest = fewest_ranks + (strays(trial_) ? 1 : 0);
    for (int ranks = fewest; ranks < model_ranks(trial_); ++ranks) offer(true, "ranks " + std::to_string(ranks));
    const auto other = [](const auto& list, auto value) {
      return std::any_of(list.begin(), list.end(), [value](auto each) { return each != value; });
    };
    offer(other(trial_.hosts, 0), "one host");
    offer(other(trial_.paces, 1.0), "ranks of one pace");
    offer(trial_.mpi.most_latency > trial_.mpi.latency, "messages of one latency");
  }

  void of_model() {
    offer(trial_.model["shape"] != least_shape, "least shape");
    for (std::size_t axis = 0; axis < 3; ++axis)
      offer(trial_.model["shape"][axis] > least_shape[axis], "shorter axis " + std::to_string(axis));
    offer(trial_.model["decomposition"] != "rows", "decomposition rows");
    offer(trial_.model["puts"] != "layout", "puts by layout");
    offer(trial_.model["holes"].get<bool>(), "no holes");
    for (const char* key : keys)
      offer(("\n" + trial_.configuration).find("\n" + std::string(key) + ":") != std::string::npos,
            std::string("without key ") + key);
  }

  const Trial& trial_;
  std::vector<std::string> steps_;
};

// What begins with these words has this after them.
bool takes(const std::string& step, const char* words, std::string& rest) {
  const std::string begin(words);
  if (!step.starts_with(begin)) return false;
  rest = step.substr(begin.size());
  return true;
}

void go(Trial& trial, const std::string& step) {
  std::string rest;
  if (step == "no fault of the storage") trial.fault = {};
  if (step == "nothing happens to a rank") trial.mishap = {};
  if (takes(step, "without file ", rest)) take_lines(trial, lines_of_file(trial, std::stoi(rest)));
  if (takes(step, "without life ", rest)) {
    const Life life = lives_of(trial.script)[std::stoul(rest)];
    take_lines(trial, {life.lines.begin(), life.lines.end()});
  }
  if (takes(step, "without the last record of life ", rest)) {
    const auto lines = last_record(trial.script, lives_of(trial.script)[std::stoul(rest)]);
    take_lines(trial, {lines.begin(), lines.end()});
  }
  if (takes(step, "without line ", rest)) leave_out(trial, std::stoul(rest));
  if (takes(step, "ranks ", rest) && step != "ranks of one pace") keep_ranks(trial, std::stoi(rest));
  if (step == "one host") trial.hosts.assign(trial.hosts.size(), 0);
  if (step == "ranks of one pace") trial.paces.assign(trial.paces.size(), 1);
  if (step == "messages of one latency") trial.mpi.most_latency = trial.mpi.latency;
  if (step == "least shape") trial.model["shape"] = least_shape;
  if (takes(step, "shorter axis ", rest)) {
    json& length = trial.model["shape"][std::stoul(rest)];
    length = std::max(least_shape[std::stoul(rest)].get<int>(), length.get<int>() / 2);
  }
  if (step == "decomposition rows") trial.model["decomposition"] = "rows";
  if (step == "puts by layout") trial.model["puts"] = "layout";
  if (step == "no holes") trial.model["holes"] = false;
  if (takes(step, "without key ", rest)) drop_key(trial, rest);
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> steps_down(const Trial& trial) {
  return Steps(trial).all();
}

Trial smaller(Trial trial, const std::string& step) {
  const std::vector<std::string> steps = steps_down(trial);
  if (std::find(steps.begin(), steps.end(), step) == steps.end())
    throw std::invalid_argument("\"" + step + "\" is no step down from " + size_of(trial));
  go(trial, step);
  return trial;
}

Trial smaller_by(Trial trial, const std::string& steps) {
  std::istringstream text(steps);
  std::string step;
  while (std::getline(text >> std::ws, step, ';')) trial = smaller(std::move(trial), step);
  return trial;
}

std::string some_steps(Trial trial) {
  Chance chance(trial.seed + 2);
  std::string chosen;
  for (int left = chance.between(1, 12); left > 0; --left) {
    const std::vector<std::string> steps = steps_down(trial);
    if (steps.empty()) break;
    const std::string& step = chance.one_of(steps);
    chosen += (chosen.empty() ? "" : "; ") + step;
    trial = smaller(std::move(trial), step);
  }
  return chosen;
}

std::string size_of(const Trial& trial) {
  std::size_t puts = 0;
  std::set<std::pair<int, int>> records;
  for (const json& line : trial.script) {
    puts += line[0] == "put" ? 1 : 0;
    if (puts_record(line)) records.insert({line[1].get<int>(), line[3].get<int>()});
  }
  const std::set<int> hosts(trial.hosts.begin(), trial.hosts.end());
  const std::size_t faults = (trial.fault.process >= 0 ? 1 : 0) + (trial.mishap.kind != Mishap::Kind::none ? 1 : 0);
  return counted(static_cast<std::size_t>(trial.ranks), "rank") + " on " + counted(hosts.size(), "host") + ", " +
         counted(files_of(trial).size(), "file") + ", " + counted(puts, "put") + ", " +
         counted(records.size(), "record") + ", " + counted(faults, "fault");
}

std::string kind_of(const std::string& wrong) {
  const std::string next = "in the next run: ";
  const std::string sentence = wrong.starts_with(next) ? wrong.substr(next.size()) : wrong;
  return sentence.substr(0, sentence.find(':'));
}

}  // namespace sim
