// SPDX-License-Identifier: Apache-2.0
#include "draw.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <set>

#include "harness/plan.hpp"
#include "rare.hpp"

namespace sim {

using nlohmann::json;

namespace {

std::string lines(const char* keys) {
  std::string text(keys);
  for (std::size_t at = 0; (at = text.find(", ", at)) != std::string::npos;) text.replace(at, 2, "\n");
  return text + "\n";
}

// By a chance of its own, so that all else of a seed is what it is without.
const char* keys_of(const Way& way, std::uint64_t seed) {
  return way.or_keys && Chance(seed).happens(0.5) ? way.or_keys : way.keys;
}

const std::vector<int> fixed{0, 1}, record{2, 3, 4};

void put_all(json& script, int file, std::vector<int> variables, int number, Chance& chance) {
  for (std::size_t i = variables.size(); i > 1; --i)
    std::swap(variables[i - 1], variables[static_cast<std::size_t>(chance.below(static_cast<int>(i)))]);
  for (const int variable : variables) script.push_back({"put", file, variable, number});
}

// The calls of one file: made, filled and closed, then made anew, or opened again and continued.
json life(Chance& chance, int file, bool append) {
  json script = json::array();
  int generation = 0, number = 0;
  const int lives = chance.happens(0.33) ? 2 : 1;
  for (int i = 0; i < lives; ++i) {
    if (i == 0 || !append || chance.happens(0.5)) {
      number = 0;
      script.push_back({"create", file, ++generation});
      for (const int variable : fixed) script.push_back({"put", file, variable, 0});
    } else {
      script.push_back({"open", file, generation});
    }
    for (int records = chance.between(1, 4); records > 0; --records) {
      put_all(script, file, record, number++, chance);
      if (chance.happens(0.5)) script.push_back({"sync", file});
      if (chance.happens(0.3)) script.push_back({"compute", chance.between(0, 2) * 1500});
    }
    script.push_back({"close", file});
  }
  return script;
}

json draw_script(Chance& chance, bool append) {
  std::vector<json> lives;
  for (int file = 0, files = chance.between(1, 2); file < files; ++file) lives.push_back(life(chance, file, append));
  json script = json::array();
  while (!lives.empty()) {
    json& one = chance.one_of(lives);
    for (int calls = chance.between(1, 8); calls > 0 && !one.empty(); --calls) {
      script.push_back(one.front());
      one.erase(one.begin());
    }
    lives.erase(std::remove_if(lives.begin(), lives.end(), [](const json& rest) { return rest.empty(); }), lives.end());
  }
  return script;
}

void draw_model(Chance& chance, Trial& trial, bool boxes_only) {
  const char* decompositions[] = {"rows", "blocks", "hollow", "cyclic"};
  const char* puts[] = {"layout", "layout", "vara"};
  const int formats[] = {1, 2, 5};
  trial.model["decomposition"] = decompositions[chance.below(boxes_only ? 3 : 4)];
  trial.model["puts"] = chance.one_of(puts);
  trial.model["format"] = chance.one_of(formats);
  trial.model["holes"] = chance.happens(0.3);
  trial.model["after_error"] = chance.happens(0.5) ? "end" : "go_on";
  trial.model["shape"] = {chance.between(1, 3), chance.between(5, 14), chance.between(4, 20)};
  trial.model["seed"] = chance.word() >> 24;
}

void draw_machine(Chance& chance, Trial& trial, const Way& way) {
  const int levels[] = {MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  trial.mpi.thread_level = way.any_thread ? MPI_THREAD_MULTIPLE : chance.one_of(levels);
  const int eager[] = {0, 64, 4096, 1 << 20};
  trial.mpi.eager_bytes = chance.one_of(eager);
  trial.mpi.latency = chance.scaled(5e-7, 2e-5);
  trial.mpi.most_latency = trial.mpi.latency * chance.scaled(1, 1000);
  const int a_host = chance.happens(0.5) ? trial.ranks : chance.between(1, 3);
  const bool spread = chance.happens(0.3);  // ranks of a host need not be neighbours
  for (int rank = 0; rank < trial.ranks; ++rank) {
    const int hosts = (trial.ranks + a_host - 1) / a_host;
    trial.hosts.push_back(spread ? rank % hosts : rank / a_host);
    trial.paces.push_back(chance.happens(0.25) ? chance.scaled(1, 100) : 1);
  }
  trial.storage_seconds = chance.scaled(1e-6, 1e-3);
  trial.storage_bandwidth = chance.scaled(1e6, 1e10);
}

Storage::Fault draw_fault(Chance& chance, int ranks, bool by_mpi_io) {
  using Action = Storage::Action;
  const char* groups[] = {"open", "write", "sync", "length", "rename", "remove", "close", "hint", "read"};
  const int errors[] = {EIO, ENOSPC, EDQUOT, ESTALE};
  Storage::Fault fault;
  fault.process = chance.below(ranks);
  fault.group = chance.happens(0.4) ? "write" : chance.one_of(groups);
  fault.first = static_cast<long>(chance.scaled(1, 30));
  fault.times = chance.happens(0.6) ? 1 : chance.happens(0.5) ? 3 : 0;
  fault.error = chance.one_of(errors);
  const double kind = chance.number();
  if (fault.group == "write" && kind < 0.35) {
    fault.action = kind < 0.2 ? Action::less : Action::nothing;
  } else if (kind < 0.55 && !by_mpi_io) {  // who is in MPI-IO cannot answer (docs/decisions/017)
    fault.action = Action::slow;
    fault.times = std::max(1l, fault.times);  // not all of them: such a run takes hours
    fault.seconds = chance.scaled(0.01, 20);
  } else if (kind < 0.7 && fault.group != "close" && fault.group != "hint" && fault.group != "remove" &&
             fault.group != "rename") {
    fault.error = EINTR;
    fault.times = std::max(1l, fault.times);
  }
  return fault;
}

// Whether one rank has all elements and puts them by box: the others learn from it which record it is, so that another
// record is no disagreement but another model.
bool says_records_alone(const Trial& trial) {
  return trial.model["puts"] == "vara" && trial.model["decomposition"] == "hollow" && trial.ranks - trial.reserved == 2;
}

// A rank of the model leaves a call out, or makes another one.
void draw_stray(Chance& chance, Trial& trial) {
  Mishap& mishap = trial.mishap;
  mishap.process = chance.below(trial.ranks - trial.reserved);
  mishap.at = chance.below(static_cast<int>(trial.script.size()));
  const json& line = trial.script[static_cast<std::size_t>(mishap.at)];
  if (line[0] != "put" && line[0] != "sync") return;
  mishap.kind = Mishap::Kind::stray;
  trial.model["after_error"] = "go_on";
  const int file = line[1];
  const bool puts = line[0] == "put";
  // Not into what may be committed: there another value stands then, whoever is told of an error.
  const bool fixed_one = puts && line[2] < 2;
  const int variable = fixed_one ? chance.between(0, 1) : chance.between(2, 4);
  int number = !puts || fixed_one ? 0 : line[3].get<int>() + chance.between(0, 1);
  if (puts && !fixed_one && says_records_alone(trial)) number = line[3];
  const json others[] = {{"compute", 0}, {puts ? "sync" : "close", file}, {"put", file, variable, number}};
  mishap.line = others[chance.below(puts ? 3 : 2)];
  if (mishap.line == line) mishap.line = {"compute", 0};
}

void draw_trouble(Chance& chance, Trial& trial) {
  const double kind = chance.number();
  Mishap& mishap = trial.mishap;
  mishap.process = chance.below(trial.ranks);
  if (trial.reserved > 0 && chance.happens(0.3)) mishap.process = trial.ranks - 1 - chance.below(trial.reserved);
  mishap.at = static_cast<long>(chance.scaled(1, 4000));
  if (kind < 0.35) mishap.kind = Mishap::Kind::kill;
  if (kind >= 0.35 && kind < 0.45) mishap.kind = Mishap::Kind::kill_all;
  // MPI-IO's writes are not seen by who remembers what is synced.
  const bool promised = trial.configuration.find("durability: storage") != std::string::npos && !trial.by_mpi_io;
  if (kind >= 0.38 && kind < 0.45 && promised) mishap.kind = Mishap::Kind::power;
  if (kind >= 0.45 && kind < 0.55) {
    mishap.kind = Mishap::Kind::freeze;
    mishap.seconds = chance.happens(0.5) ? chance.scaled(0.001, 0.5) : 2.5 * trial.timeout;
  }
  if (kind >= 0.55 && kind < 0.8) {
    trial.fault = draw_fault(chance, trial.ranks, trial.by_mpi_io);
    trial.model["after_error"] = "go_on";  // else files are closed that the script does not close there
  }
}

// Variables that several ranks write, and cycles that follow one another without a meeting.
void draw_sizes(Chance& chance, Trial& trial) {
  if (chance.happens(0.3))
    trial.model["shape"] = {chance.between(1, 3), chance.between(20, 50), chance.between(20, 50)};
  const char* bundles[] = {"64B", "1KiB"};
  if (chance.happens(0.5)) trial.configuration += std::string("bundle_size: ") + chance.one_of(bundles) + "\n";
}

// Records of a variable that nobody puts: the commit fills them. Of "step" all are put, so each record is there.
void leave_out(Chance& chance, Trial& trial) {
  trial.model["left_out"] = json::array();
  if (trial.in_parts || !chance.happens(0.3)) return;
  std::map<int, json> generations;
  json script = json::array();
  for (const json& words : trial.script) {
    if (words[0] == "create" || words[0] == "open") generations[words[1]] = words[2];
    const bool may_be = words[0] == "put" && (words[2] == record[0] || words[2] == record[1]);
    if (may_be && chance.happens(0.15))
      trial.model["left_out"].push_back({words[1], generations[words[1]], words[2], words[3]});
    else
      script.push_back(words);
  }
  trial.script = std::move(script);
}

// Some files that are opened again go back to fewer records: {"open", file, generation of the values, records}. By a
// chance of its own, so that all else of a seed is what it is without.
void go_back(Trial& trial) {
  Chance chance(trial.seed * 0xA0761D6478BD642Fu + 5);
  std::map<int, int> records, less;  // by file: records so far; by how much the numbers of the puts are less
  int turn = 100;
  for (json& words : trial.script) {
    if (words[0] == "compute") continue;
    const int file = words[1];
    if (words[0] == "create") records[file] = less[file] = 0;
    if (words[0] == "open" && chance.happens(0.5)) {
      const int to = chance.between(0, records[file]);
      words[2] = ++turn;
      words.push_back(to);
      less[file] += records[file] - to;
      records[file] = to;
    }
    if (words[0] != "put" || !harness::variables[words[2].get<std::size_t>()].record) continue;
    words[3] = words[3].get<int>() - less[file];
    records[file] = std::max(records[file], words[3].get<int>() + 1);
  }
}

// What a file's line goes on with: the fixed variables of a new file, or a record.
bool goes_on(const json& before, const json& line) {
  if (line[0] != "put") return false;
  const bool is_fixed = harness::variables[line[2].get<std::size_t>()].record == false;
  if (before[0] == "create") return is_fixed;
  if (before[0] != "put") return false;
  return is_fixed == !harness::variables[before[2].get<std::size_t>()].record && before[3] == line[3];
}

// A commit comes where the records of all files are complete: what nobody has put yet it would fill.
json with_whole_records(const json& script) {
  json whole = json::array();
  std::vector<bool> taken(script.size());
  std::map<int, json> last;  // line of each file
  const auto take = [&](std::size_t i) {
    taken[i] = true;
    whole.push_back(script[i]);
    if (script[i][0] != "compute") last[script[i][1]] = script[i];
  };
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (taken[i]) continue;
    std::set<int> left{script[i][1].get<int>()};
    const bool commits = script[i][0] == "sync" || script[i][0] == "close";
    for (std::size_t j = i + 1; j < script.size() && commits; ++j) {
      if (taken[j] || script[j][0] == "compute" || left.contains(script[j][1])) continue;
      const auto before = last.find(script[j][1]);
      if (before != last.end() && goes_on(before->second, script[j]))
        take(j);
      else
        left.insert(script[j][1].get<int>());
    }
    take(i);
  }
  return whole;
}

// Who remembers what is synced gives files other numbers after a power cut, so that no record would know them.
void group(Chance& chance, Trial& trial) {
  trial.grouped = true;
  trial.configuration += "commit_group: \"*\"\n";
  trial.script = with_whole_records(trial.script);
  trial.fault = {};
  if (trial.mishap.kind == Mishap::Kind::kill) return;
  const long at = static_cast<long>(chance.scaled(1, 4000));
  trial.mishap = {Mishap::Kind::kill_all, chance.below(trial.ranks), at, 0, {}, 0};
}

}  // namespace

Trial draw(std::uint64_t seed, bool grouped) {
  Chance chance(seed * 0x9E3779B97F4A7C15u + 1);
  Trial trial;
  trial.seed = seed;
  Chance own(seed * 0xD1342543DE82EF95u + 3);
  const Rare rare = grouped ? Rare::none : rare_of(own);
  const Way& way = way_of(rare, chance.one_of(ways), own);
  trial.configuration = lines(keys_of(way, seed));
  trial.in_parts = std::strstr(way.keys, "file_per") != nullptr;
  trial.by_mpi_io = by_mpi_io(way);
  trial.reserved = way.reserved;
  trial.ranks = chance.between(2, 6) + way.reserved;
  trial.script = draw_script(chance, !trial.in_parts);
  draw_model(chance, trial, std::strstr(way.keys, "rows") || std::strstr(way.keys, "columns"));
  draw_machine(chance, trial, way);
  const char* limits[] = {"64KiB", "256KiB", "64MiB"};
  const char* durabilities[] = {"storage", "cache"};
  trial.configuration += std::string("buffer_limit: ") + chance.one_of(limits) + "\n";
  trial.configuration += std::string("durability: ") + chance.one_of(durabilities) + "\n";
  if (chance.happens(0.2)) trial.configuration += "header_free: 1KiB\n";
  trial.configuration += "timeout: 3\n";
  draw_trouble(chance, trial);
  draw_sizes(chance, trial);
  if (!trial.in_parts && rare == Rare::none) go_back(trial);  // a rare trial has a script of its own
  leave_out(chance, trial);
  make_rare(rare, own, trial);
  const bool strays = rare == Rare::anew || chance.happens(0.4);
  if (strays && trial.mishap.kind == Mishap::Kind::none && trial.fault.process < 0)
    draw_stray(rare == Rare::anew ? own : chance, trial);
  if (grouped && !trial.in_parts) group(chance, trial);
  return trial;
}

Trial continuation(const Trial& trial, std::map<int, harness::State> there) {
  Trial next = trial;
  next.mishap = {};
  next.fault = {};
  next.script = json::array();
  Chance chance(trial.seed + 1);
  std::set<int> files;
  for (const auto& [line, commit] : trial.commits()) files.insert(commit.file);
  for (const int file : files) {
    const auto found = there.find(file);
    const bool fresh = found == there.end();
    int first = fresh ? 0 : static_cast<int>(found->second.records);
    next.script.push_back({fresh ? "create" : "open", file, fresh ? 1 : found->second.generation_of(first)});
    if (fresh) put_all(next.script, file, fixed, 0, chance);
    if (Chance back(trial.seed + 7 + static_cast<std::uint64_t>(file)); !fresh && back.happens(0.4)) {
      first = back.between(0, first);
      next.script.back() = {"open", file, 1000, first};
    }
    for (const int number : {first, first + 1}) {
      put_all(next.script, file, record, number, chance);
      next.script.push_back({"sync", file});
    }
    next.script.push_back({"close", file});
  }
  next.there = std::move(there);
  return next;
}

std::map<int, Trial::Commit> Trial::commits() const {
  std::map<int, Commit> found;
  std::map<int, harness::State> now = there, open;
  for (int line = 0; line < static_cast<int>(script.size()); ++line) {
    const json& words = script[static_cast<std::size_t>(line)];
    const std::string call = words[0];
    const int file = words[1];
    if (call == "create") now[file] = {words[2], 0};
    if (call == "open" && words.size() > 3) now[file].go_back(words[3], words[2]);
    if (call == "put" && harness::variables[words[2].get<std::size_t>()].record)
      now[file].records = std::max(now[file].records, words[3].get<std::int64_t>() + 1);
    if (call == "create" || call == "open" || call == "put") open[file] = now[file].shown();
    if (call == "sync" || call == "close") found[line] = {file, now[file].shown(), open};
    if (call == "close") open.erase(file);
  }
  return found;
}

bool Trial::goes_back() const {
  return std::any_of(script.begin(), script.end(),
                     [](const json& words) { return words[0] == "open" && words.size() > 3; });
}

bool Trial::borne() const {
  if (mishap.kind != Mishap::Kind::none) return mishap.kind == Mishap::Kind::freeze && mishap.seconds < timeout / 3;
  if (fault.process < 0) return true;
  return fault.action == Storage::Action::less || fault.action == Storage::Action::slow ||
         (fault.action == Storage::Action::error && fault.error == EINTR);
}

std::string Trial::words() const {
  std::string keys = configuration;
  std::replace(keys.begin(), keys.end(), '\n', ' ');
  std::string words = std::to_string(ranks) + " ranks, " + keys;
  const char* kinds[] = {"", "kill", "kill all", "power cut", "freeze", "stray"};
  if (mishap.kind != Mishap::Kind::none)
    words += "| " + std::string(kinds[static_cast<int>(mishap.kind)]) + " rank " + std::to_string(mishap.process) +
             (mishap.kind == Mishap::Kind::stray ? " at line " + std::to_string(mishap.at) + ": " + mishap.line.dump()
                                                 : " at its call " + std::to_string(mishap.at)) +
             (mishap.commits > 0 ? " after commit " + std::to_string(mishap.commits) : "");
  const char* actions[] = {"error", "less", "nothing", "slow"};
  if (fault.process >= 0)
    words +=
        "| " + std::string(actions[static_cast<int>(fault.action)]) + " from " + fault.group + " " +
        std::to_string(fault.first) + " of rank " + std::to_string(fault.process) + ", " + std::to_string(fault.times) +
        " times, " +
        (fault.action == Storage::Action::error ? std::strerror(fault.error) : std::to_string(fault.seconds) + " s");
  return words;
}

}  // namespace sim
