// SPDX-License-Identifier: Apache-2.0
#include "smpi/request.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace weir::simgrid {

namespace {

using Json = nlohmann::json;

Json parse(const std::string& path) {
  std::ifstream file(path);
  require(file.good(), WEIR_EIO, "{} cannot be read; give the path of a request", path);
  try {
    return Json::parse(file);
  } catch (const Json::exception& error) {
    throw Error(WEIR_EARGUMENT, "{} is no request: {}", path, error.what());
  }
}

std::string yaml_of(const Json& config) {
  std::string text;
  for (const auto& entry : config.items())
    text += entry.key() + ": " + (entry.value().is_string() ? entry.value().get<std::string>() : entry.value().dump()) +
            "\n";
  return text;
}

Request request_of(const Json& json) {
  Request request;
  request.profile = json.at("profile");
  simulate::WorkloadRequest work;
  work.name = json.at("workload");
  work.ranks = json.at("ranks");
  work.scale = json.at("scale");
  work.records = json.at("records");
  request.work = make_workload(work);
  request.config_text = yaml_of(json.at("config"));
  request.config = load_config(request.config_text.c_str());
  resolve_defaults(request.config);
  request.ranks_per_node = json.at("ranks_per_node");
  require(request.ranks_per_node > 0, WEIR_EARGUMENT, "a node has at least one rank: give --ranks-per-node");
  return request;
}

}  // namespace

Request read_request(const std::string& path) {
  const Json json = parse(path);
  try {
    return request_of(json);
  } catch (const Json::exception& error) {
    throw Error(WEIR_EARGUMENT, "{} is no request: {}", path, error.what());
  }
}

}  // namespace weir::simgrid
