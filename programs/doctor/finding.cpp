// SPDX-License-Identifier: Apache-2.0
#include "finding.hpp"

#include <mpi.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

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

std::vector<std::string> texts_of_all(const std::string& own, int ranks) {
  if (ranks == 1) return {own};
  const int length = static_cast<int>(own.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks)), begins(lengths.size());
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (std::size_t rank = 1; rank < begins.size(); ++rank) begins[rank] = begins[rank - 1] + lengths[rank - 1];
  std::string all(static_cast<std::size_t>(begins.back() + lengths.back()), ' ');
  MPI_Gatherv(own.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<std::string> texts;
  for (std::size_t each = 0; rank == 0 && each < begins.size(); ++each)
    texts.push_back(all.substr(static_cast<std::size_t>(begins[each]), static_cast<std::size_t>(lengths[each])));
  return texts;
}

}  // namespace

std::vector<SharedFinding> gathered(const Findings& own, int ranks) {
  std::vector<SharedFinding> all;
  const std::vector<std::string> texts = texts_of_all(packed(own), ranks);
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    for (Finding& finding : unpacked(texts[rank])) {
      const auto same = std::find_if(all.begin(), all.end(), [&](const auto& met) { return met.finding == finding; });
      if (same != all.end()) {
        same->ranks.push_back(static_cast<int>(rank));
        continue;
      }
      // Behind what is known of its topic.
      const auto last =
          std::find_if(all.rbegin(), all.rend(), [&](const auto& met) { return met.finding.topic == finding.topic; });
      all.insert(last == all.rend() ? all.end() : last.base(), {std::move(finding), {static_cast<int>(rank)}});
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
