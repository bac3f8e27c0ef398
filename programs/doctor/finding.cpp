// SPDX-License-Identifier: Apache-2.0
#include "finding.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "base/text.hpp"
#include "mpi/exchange.hpp"

namespace weir::doctor {
namespace {

using Json = nlohmann::ordered_json;

std::string packed(const Findings& findings) {
  Json json = Json::array();
  for (const Finding& finding : findings)
    json.push_back({finding.topic, finding.text, finding.advice, finding.wrong, finding.of_host});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Findings unpacked(const std::string& text) {
  Findings findings;
  for (const auto& each : Json::parse(text))
    findings.push_back({each.at(0).get<std::string>(), each.at(1).get<std::string>(), each.at(2).get<std::string>(),
                        each.at(3).get<bool>(), each.at(4).get<bool>()});
  return findings;
}

}  // namespace

std::vector<SharedFinding> gathered(const Findings& own, const Comm& comm) {
  std::vector<SharedFinding> all;
  const std::string mine = packed(own) + '\n';
  const std::vector<char> texts = gather_to_0(comm, std::span(mine.data(), mine.size()), Deadline(), "weir-doctor");
  std::istringstream lines(std::string(texts.begin(), texts.end()));
  std::string line;
  for (int rank = 0; std::getline(lines, line); ++rank) {
    for (Finding& finding : unpacked(line)) {
      const auto same = std::find_if(all.begin(), all.end(), [&](const auto& met) { return met.finding == finding; });
      if (same != all.end()) {
        same->ranks.push_back(rank);
        continue;
      }
      // Behind what is known of its topic.
      const auto last =
          std::find_if(all.rbegin(), all.rend(), [&](const auto& met) { return met.finding.topic == finding.topic; });
      all.insert(last == all.rend() ? all.end() : last.base(), {std::move(finding), {rank}});
    }
  }
  return all;
}

std::string in_words(const SharedFinding& shared, int ranks, int hosts) {
  std::string line = formatted("{}{}", shared.finding.wrong ? "! " : "  ", shared.finding.topic);
  line.resize(std::max<std::size_t>(line.size() + 1, 18), ' ');
  line += shared.finding.text;
  const auto number = static_cast<int>(shared.ranks.size());
  if (number == (shared.finding.of_host ? hosts : ranks)) return line;
  constexpr std::size_t most = 8;
  const std::vector<int> named(shared.ranks.begin(), shared.ranks.begin() + std::min<std::ptrdiff_t>(number, most));
  return line + formatted(" (rank{} {}{})", number == 1 ? "" : "s", join_numbers(named),
                          shared.ranks.size() > most ? formatted(", and {} more", shared.ranks.size() - most) : "");
}

std::string as_json(const std::vector<SharedFinding>& all, int ranks) {
  Json findings = Json::array();
  for (const SharedFinding& shared : all)
    findings.push_back({{"topic", shared.finding.topic},
                        {"text", shared.finding.text},
                        {"advice", shared.finding.advice},
                        {"wrong", shared.finding.wrong},
                        {"ranks", shared.ranks}});
  return Json{{"ranks", ranks}, {"findings", findings}}.dump(2);
}

}  // namespace weir::doctor
