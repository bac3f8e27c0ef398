// SPDX-License-Identifier: Apache-2.0
// `strategy: auto`: the pipeline writes by the way that is advised, and changes it between cycles.
#include <algorithm>
#include <cmath>

#include "base/machine_name.hpp"
#include "pipeline/pipeline.hpp"
#include "write/filesystem.hpp"
#include "write/output_file.hpp"

namespace weir {

namespace {

constexpr std::int64_t change_point = 106;
constexpr std::size_t most_advice_lines = 1000;

Config with(const Config& asked, const Way& way) {
  Config config = way.over(asked, "advice");
  config.progress = ProgressKind::automatic;  // what was asked is there, and not every way has a use for it
  settle(config);
  return config;
}

bool same(const Way& a, const Way& b) {
  return a.settings == b.settings;
}

OutputShape shape_of(const Schema& schema, const Machine& machine) {
  OutputShape output{machine.ranks(), machine.hosts(), 0, 0};
  for (std::size_t v = 0; v < schema.variables().size(); ++v) {
    const int var = static_cast<int>(v);
    if (!schema.is_record(var)) continue;
    ++output.variables;
    output.bytes_per_record += schema.elements(var) * type_bytes(schema.variables()[v].type);
  }
  return output;
}

// Where ranks write together, in MPI-IO, nothing is hidden. Where each can write by itself, on one host the scheduler
// hides most; between hosts pieces may move within Weir's calls only, and fixed owners need fewer messages.
std::vector<Way> ways_by_rule(SinkKind sink, const Machine& machine) {
  const Way remap{{{"strategy", "remap"}, {"overlap", "none"}}};
  if (machine.ranks() == 1) return {remap};
  if (sink == SinkKind::pnetcdf) return {remap, {{{"strategy", "collective"}, {"overlap", "none"}}}};
  const Way dynamic{{{"strategy", "dynamic"}}};
  const Way behind{{{"strategy", "remap"}, {"overlap", "background"}}};
  if (machine.hosts() == 1) return {dynamic, remap};
  return {behind, dynamic};
}

// Key and value, a line each, for the other ranks.
std::string lines_of(const Settings& settings) {
  std::string text;
  for (const auto& [key, value] : settings) text += key + "\n" + value + "\n";
  return text;
}

Settings settings_of(const std::string& lines) {
  Settings settings;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t middle = lines.find('\n', at), end = lines.find('\n', middle + 1);
    settings.emplace_back(lines.substr(at, middle - at), lines.substr(middle + 1, end - middle - 1));
    at = end + 1;
  }
  return settings;
}

}  // namespace

Traffic Pipeline::traffic() const noexcept {
  return {past_.messages + flow_->messages(), past_.relayed + flow_->relayed(),
          past_.message_bytes + flow_->message_bytes()};
}

// A run may change its mind for ever; the last lines are kept.
void Pipeline::say_advice(std::string line) {
  if (advice_lines_.size() >= most_advice_lines) advice_lines_.erase(advice_lines_.begin());
  advice_lines_.push_back(std::move(line));
}

void Pipeline::ask_for_advice(const Config& asked) {
  advice_ = std::make_unique<Advice>();
  advice_->asked = asked;
  if (asked.tuned != "none") advice_->table_path = asked.tuned == "auto" ? default_table_path() : asked.tuned;
}

// The table's way first, where rank 0 finds one; `known`: its entry, whole on rank 0. What is wrong with the table is a
// line in the report.
std::vector<Way> Pipeline::ways_for(const OpenFile& file, TunedEntry& known) {
  std::string found, trouble;
  std::int64_t told[] = {0, 0};  // the sink, and whether a run has measured the entry
  if (comm_.rank() == 0) {
    try {
      const auto inspect = [path = file.resolved] { return inspect_file_system(path); };
      const FileSystem system = storage_.get(inspect, "asking for the file system of " + file.path);
      told[0] = static_cast<std::int64_t>(choose_sink(config_, machine_.hosts(), system).kind);
      const auto read = [path = advice_->table_path] { return TunedTable::read(path, machine_name()); };
      known = storage_.get(read, "reading " + advice_->table_path).find(advice_->output).value_or(TunedEntry{});
      found = lines_of(known.way.settings);
      told[1] = known.measured ? 1 : 0;
    } catch (const Error& error) {
      trouble = error.what();
    }
  }
  const std::string call = "weir_enddef of " + file.path;
  broadcast(comm_, std::span(told), 0, deadline(), call);
  found = broadcast(comm_, found, 0, deadline(), call);
  trouble = broadcast(comm_, trouble, 0, deadline(), call);
  if (!trouble.empty()) say_advice(trouble);
  std::vector<Way> ways = ways_by_rule(static_cast<SinkKind>(told[0]), machine_);
  known.way = {settings_of(found)};
  known.measured = told[1] == 1;
  if (found.empty()) return ways;
  std::erase_if(ways, [&](const Way& way) { return same(way, known.way); });
  ways.insert(ways.begin(), known.way);
  return ways;
}

void Pipeline::take_advice(const OpenFile& file) {
  if (!advice_ || advice_->advisor) return;
  advice_->output = shape_of(file.schema, machine_);
  if (advice_->output.bytes_per_record == 0) return;
  TunedEntry known;
  std::vector<Way> ways = ways_for(file, known);
  using Origin = Advisor::Origin;
  const Origin tuned = known.measured ? Origin::measured : Origin::simulated;
  advice_->advisor.emplace(std::move(ways), known.way.settings.empty() ? Origin::rules : tuned);
  if (known.measured && known.shape == advice_->output) advice_->advisor->expect(known.seconds);
  say_advice(advice_->advisor->line());
  settle();
  change_to(advice_->advisor->way());
}

void Pipeline::consult(const OpenFile& file) {
  Advice& advice = *advice_;
  if (!advice.advisor) return;
  if (!advice.leader) advice.leader = &file;
  if (advice.leader != &file) return;
  ++advice.records;
  if (!advice.advisor->record_ended(now_seconds())) return;
  settle();
  std::int64_t nanoseconds = std::llround(1e9 * advice.advisor->judge(now_seconds(), flow_->beside()));
  broadcast(comm_, std::span(&nanoseconds, 1), 0, deadline(), "strategy: auto");
  const bool other = advice.advisor->decide(1e-9 * static_cast<double>(nanoseconds));
  if (!advice.advisor->trying()) say_advice(advice.advisor->line());
  if (other) change_to(advice.advisor->way());
}

bool Pipeline::advice_worn_out() {
  return advice_ && advice_->advisor && advice_->advisor->worse();
}

void Pipeline::reconsider() {
  advice_->advisor->try_again();
  say_advice(advice_->advisor->line());
}

void Pipeline::leave(const OpenFile& file) {
  std::erase(files_, &file);
  journal_.leave(file);
  if (!advice_ || advice_->leader != &file) return;
  advice_->leader = nullptr;
  if (advice_->advisor) advice_->advisor->break_off();
}

// Nothing is under way on any rank: all have settled. Where memory for the other way is refused (on all ranks then),
// the way before stays, and no further one is tried.
void Pipeline::change_to(const Way& way) {
  const Config config = std::exchange(config_, with(advice_->asked, way));
  auto strategy = std::exchange(strategy_, make_strategy(config_));
  const std::vector<int> writers = std::exchange(writers_, strategy_->writers(machine_, config_));
  const std::vector<int> readers = std::exchange(readers_, by_range_->writers(machine_, config_));
  std::unique_ptr<RunFlow> flow;
  staging_.share_out(shares());
  try {
    flow = make_flow(nullptr);
  } catch (const Error&) {
    config_ = config;
    staging_.share_out(shares());
    strategy_ = std::move(strategy);
    writers_ = writers;
    readers_ = readers;
    advice_.reset();
    throw;
  }
  past_ = traffic();
  plans_.clear();
  flow_ = std::move(flow);
  cycle_ = Cycle{.number = cycle_.number + most_places, .slots = {}};
  batch_.clear();
  flow_->restart(cycle_.number);
  host_status_.restart(cycle_.number);
  meet({change_point, 0, "strategy: auto", nullptr}, {});
}

void Pipeline::remember_advice(double elapsed_seconds, double call_seconds) {
  if (!advice_ || !advice_->advisor || !advice_->advisor->found() || advice_->table_path.empty() || comm_.rank() != 0)
    return;
  const Advisor& advisor = *advice_->advisor;
  const double computing = (elapsed_seconds - call_seconds) / static_cast<double>(advice_->records);
  try {
    const TunedEntry entry{advice_->output, advisor.way(),        std::max(computing, 0.0),
                           advisor.cost(),  advisor.first_cost(), true};
    const auto keep = [path = advice_->table_path, entry] {
      TunedTable table = TunedTable::read(path, machine_name());
      table.keep(entry);
      table.write(path);
      return Status();
    };
    storage_.run(keep, "writing " + advice_->table_path).raise();
  } catch (const Error& error) {
    say_advice(std::string("cannot keep what it found: ") + error.what());
  }
}

}  // namespace weir
