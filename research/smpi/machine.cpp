// SPDX-License-Identifier: Apache-2.0
// weir-smpi-machine REQUEST PLATFORM HOSTS: writes the profile of a request as a SimGrid platform, and the hosts of its
// ranks; prints, as a line of JSON, what weir::simulate makes of the same request, and what smpirun is to be given.
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "simulate/simulation.hpp"
#include "smpi/platform.hpp"
#include "smpi/request.hpp"

namespace weir::simgrid {

namespace {

using Json = nlohmann::ordered_json;

template <class Write>
void write_file(const std::string& path, Write write) {
  std::ofstream file(path);
  write(file);
  file.close();
  require(file.good(), WEIR_EIO, "{} cannot be written", path);
}

simulate::Curve flat(double rate) {
  return simulate::Curve({{1, {rate, rate, rate, simulate::Source::assumed}}});
}

// The machine without what a SimGrid platform has no word for: what a message costs a card beside its bytes, what cards
// lose under contention, a control rank's time for a message. Copies keep what one rank and what all of them get.
simulate::Profile flattened(simulate::Profile profile) {
  profile.within.overhead = profile.between.overhead = profile.control = {};
  profile.within.bandwidth = flat(profile.within.bandwidth.largest());
  profile.between.bandwidth = flat(profile.between.bandwidth(1));
  return profile;
}

Json prediction(const Request& request, const simulate::Profile& profile) {
  simulate::RunRequest run;
  run.ranks_per_node = request.ranks_per_node;
  const simulate::Result result = simulate::simulate(profile, request.work, request.config, run);
  Json steps = Json::object();
  for (const Step step : {Step::put, Step::forward, Step::rearrange, Step::write, Step::commit, Step::wait})
    steps[std::string(name(step))] = result.largest[static_cast<std::size_t>(step)];
  return {{"seconds", result.seconds},   {"steps", steps},
          {"messages", result.messages}, {"message_bytes", result.message_bytes},
          {"cycles", result.cycles},     {"bytes_written", result.bytes_written}};
}

void run(char** paths) {
  const Request request = read_request(paths[1]);
  const simulate::Profile profile = flattened(simulate::read_profile(request.profile));
  const int ranks = request.work.ranks + reserved_ranks(request.config);
  const int nodes = (ranks + request.ranks_per_node - 1) / request.ranks_per_node;
  write_file(paths[2], [&](std::ostream& out) { write_platform(out, profile, nodes); });
  write_file(paths[3], [&](std::ostream& out) { write_hosts(out, ranks, request.ranks_per_node); });
  const Json answer{{"machine", profile.name},
                    {"ranks", ranks},
                    {"nodes", nodes},
                    {"eager", profile.eager},
                    {"simulated", prediction(request, profile)}};
  std::printf("%s\n", answer.dump().c_str());
}

}  // namespace

}  // namespace weir::simgrid

int main(int argc, char** argv) {
  try {
    weir::require(argc == 4, WEIR_EARGUMENT,
                  "weir-smpi-machine wants a request, and paths for a platform and its hosts");
    weir::simgrid::run(argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weir-smpi-machine: %s\n", error.what());
    return 1;
  }
  return 0;
}
