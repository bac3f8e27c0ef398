// SPDX-License-Identifier: Apache-2.0
#include "core/counts.hpp"

#include <nlohmann/json.hpp>

namespace weir::bridge {

std::string_view in_words(Reason reason) noexcept {
  switch (reason) {
    case Reason::rule:
      return "switched off by the configuration";
    case Reason::single:
      return "one rank's own file: no rule says collective: yes";
    case Reason::configuration:
      return "the configuration is wrong or differs between ranks";
    case Reason::library:
      return "another library than the bridge was built for";
    case Reason::format:
      return "a format that Weir does not write";
    case Reason::driver:
      return "the library writes this file by burst buffer or subfiles";
    case Reason::strategy:
      return "the strategy writes part files";
    case Reason::header:
      return "Weir could not start on this file";
    case Reason::read_only:
      return "opened to read";
    case Reason::independent:
      return "independent mode";
    case Reason::small:
      return "a get of less than 1 MiB a rank";
    case Reason::reading:
      return "reading from a file that is written";
    case Reason::filling:
      return "filling of a record";
    case Reason::definition:
      return "a definition after data";
    case Reason::conversion:
      return "a conversion of types that Weir does otherwise";
    case Reason::unusual:
      return "only the library knows the answer";
    case Reason::differing:
      return "ranks define it differently";
    case Reason::overlap:
      return "ranks put the same elements";
    case Reason::datatype:
      return "an MPI datatype says where in the file";
    case Reason::packed:
      return "refused: the file is made in another format";
    case Reason::failed:
      return "Weir failed";
    case Reason::none:
    case Reason::kept:
    case Reason::count:
      break;
  }
  return "";
}

void Counts::add(const Counts& other) noexcept {
  taken_over += other.taken_over;
  bytes_taken_over += other.bytes_taken_over;
  for (std::size_t r = 0; r < passed.size(); ++r) passed[r] += other.passed[r];
}

std::string to_json(const std::vector<Counts>& files, const std::vector<std::string>& notes, std::string_view bridge) {
  nlohmann::ordered_json json;
  json["files"] = nlohmann::ordered_json::array();
  for (const Counts& file : files) {
    nlohmann::ordered_json passed = nlohmann::ordered_json::object();
    for (std::size_t r = 0; r < file.passed.size(); ++r)
      if (file.passed[r] > 0) passed[std::string(in_words(static_cast<Reason>(r)))] = file.passed[r];
    json["files"].push_back({{"path", file.path},
                             {"by", bridge},
                             {"taken_over", file.taken_over},
                             {"bytes_of_rank_0", file.bytes_taken_over},
                             {"passed_through", passed}});
  }
  json["notes"] = notes;
  return json.dump(2);
}

}  // namespace weir::bridge
