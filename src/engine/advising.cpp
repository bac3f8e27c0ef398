// SPDX-License-Identifier: Apache-2.0
#include "engine/advising.hpp"

#include <algorithm>
#include <cmath>

#include "base/host.hpp"
#include "base/text.hpp"
#include "formats/output_file.hpp"
#include "storage/filesystem.hpp"

namespace weir {

namespace {

constexpr std::size_t most_lines = 1000;

Config with(const Config& asked, const Way& way) {
  Config config = way.over(asked, "advice");
  config.progress = ProgressKind::automatic;  // what was asked is there, and not every way has a use for it
  config.control = ControlKind::hosted;       // a rank that serves does so by the way that it was started for
  config.hops = HopKind::one;
  resolve_defaults(config);
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
    output.bytes_per_record += variable_bytes(schema, var);
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

// What rank 0 finds.
struct Found {
  SinkKind sink = SinkKind::automatic;
  Settings way;  // the table's
  bool measured = false;
  std::string problem;  // with the table
};
void fields(auto& archive, Either<Found> auto& found) {
  archive(found.sink, found.way, found.measured, found.problem);
}

}  // namespace

// A run may change its mind for ever; the last lines are kept.
void Advising::say(std::string line) {
  if (lines_.size() >= most_lines) lines_.erase(lines_.begin());
  lines_.push_back(std::move(line));
}

void Advising::ask_for(const Config& asked) {
  advice_ = std::make_unique<Advice>();
  advice_->asked = asked;
  if (asked.tuned != "none") advice_->table_path = asked.tuned == "auto" ? default_table_path() : asked.tuned;
}

// The table's way first, where rank 0 finds one; `known`: its entry, whole on rank 0. What is wrong with the table is a
// line in the report.
std::vector<Way> Advising::ways_for(const OpenFile& file, TunedEntry& known) {
  Found found;
  if (rank_.comm.rank() == 0) {
    try {
      const auto inspect = [path = file.resolved] { return inspect_file_system(path); };
      const FileSystem system = rank_.storage.get(inspect, formatted("querying the file system of {}", file.path));
      found.sink = choose_sink(*rank_.config, rank_.machine.hosts(), system).kind;
      const auto read = [path = advice_->table_path] { return TunedTable::read(path, machine_name()); };
      known = rank_.storage.get(read, formatted("reading {}", advice_->table_path))
                  .find(advice_->output)
                  .value_or(TunedEntry{});
      found.way = known.way.settings;
      found.measured = known.measured;
    } catch (const Error& error) {
      found.problem = error.what();
    }
  }
  found = broadcast_value(rank_.comm, found, 0, rank_.deadline(), formatted("weir_enddef of {}", file.path));
  if (!found.problem.empty()) say(found.problem);
  std::vector<Way> ways = ways_by_rule(found.sink, rank_.machine);
  known.way = {found.way};
  known.measured = found.measured;
  if (found.way.empty()) return ways;
  std::erase_if(ways, [&](const Way& way) { return same(way, known.way); });
  ways.insert(ways.begin(), known.way);
  return ways;
}

void Advising::take(const OpenFile& file, const std::string& packing) {
  if (!advice_ || advice_->advisor) return;
  advice_->output = shape_of(file.schema, rank_.machine);
  if (advice_->output.bytes_per_record == 0) return;
  advice_->output.packing = packing;
  TunedEntry known;
  std::vector<Way> ways = ways_for(file, known);
  using Origin = Advisor::Origin;
  const Origin tuned = known.measured ? Origin::measured : Origin::simulated;
  advice_->advisor.emplace(std::move(ways), known.way.settings.empty() ? Origin::rules : tuned);
  if (known.measured && known.shape == advice_->output) advice_->advisor->expect(known.seconds);
  say(advice_->advisor->line());
  cycles_.drain();
  change_to(advice_->advisor->way());
}

void Advising::end_record(const OpenFile& file) {
  if (!advice_) return;
  Advice& advice = *advice_;
  if (!advice.advisor) return;
  if (!advice.leader) advice.leader = &file;
  if (advice.leader != &file) return;
  ++advice.records;
  if (!advice.advisor->record_ended(now_seconds())) return;
  cycles_.drain();
  std::int64_t nanoseconds = std::llround(1e9 * advice.advisor->judge(now_seconds(), cycles_.flow().overlaps()));
  broadcast(rank_.comm, std::span(&nanoseconds, 1), 0, rank_.deadline(), "strategy: auto");
  const bool other = advice.advisor->decide(1e-9 * static_cast<double>(nanoseconds));
  if (!advice.advisor->trying()) say(advice.advisor->line());
  if (other) change_to(advice.advisor->way());
}

bool Advising::slower_than_before() {
  return advice_ && advice_->advisor && advice_->advisor->worse();
}

void Advising::reconsider() {
  advice_->advisor->try_again();
  say(advice_->advisor->line());
}

void Advising::leave(const OpenFile& file) {
  if (!advice_ || advice_->leader != &file) return;
  advice_->leader = nullptr;
  if (advice_->advisor) advice_->advisor->break_off();
}

// Nothing is under way on any rank: all have settled. Where memory for the other way is refused (on all ranks then),
// the way before stays, and no further one is tried.
void Advising::change_to(const Way& way) {
  const auto before = std::exchange(rank_.config, std::make_shared<const Config>(with(advice_->asked, way)));
  Roles roles(*rank_.config, rank_.machine);
  std::swap(roles_, roles);
  std::unique_ptr<RunFlow> run;
  rank_.staging.share_out(rank_.shares());
  try {
    run = cycles_.make_flow(nullptr);
  } catch (const Error&) {
    rank_.config = before;
    rank_.staging.share_out(rank_.shares());
    std::swap(roles_, roles);
    advice_.reset();
    throw;
  }
  plans_.clear();
  cycles_.go_on_with(std::move(run));
  agreement_.agree_at({AgreementPoint::change_of_way, 0, "strategy: auto", nullptr}, {});
}

void Advising::remember(double elapsed_seconds, double call_seconds) {
  if (!advice_ || !advice_->advisor || !advice_->advisor->found() || advice_->table_path.empty() ||
      rank_.comm.rank() != 0)
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
    rank_.storage.run(keep, formatted("writing {}", advice_->table_path)).raise();
  } catch (const Error& error) {
    say(formatted("cannot keep what it found: {}", error.what()));
  }
}

}  // namespace weir
