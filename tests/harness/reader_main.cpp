// SPDX-License-Identifier: Apache-2.0
// Judges files after a run. It reads requests, a line of JSON each, from the pipe it is given, and answers each on
// standard output:
//   {"plan": PATH, "file": PATH, "number": N, "kind": "whole|part|netcdf4", "last": [generation, records] or null,
//    "states": [[generation, records], ...]}
//   {"state": [generation, records], "parts": N}   the file is in one of the states, and every value is right
//   {"wrong": "a sentence", "kept": BOOL}          what was committed (the last state) is there all the same, or not
#include <mpi.h>

#include <fstream>
#include <iostream>

#include "reader.hpp"

namespace harness {
namespace {

using nlohmann::json;

State state_of(const json& words) {
  return {words[0].get<int>(), words[1].get<std::int64_t>()};
}

json answer(const std::string& line) {
  bool kept = false;
  try {
    const json request = json::parse(line);
    Asked asked{request.at("file"), request.at("number"), request.at("kind"), {}, {}};
    if (!request.at("last").is_null()) asked.last = state_of(request.at("last"));
    for (const json& state : request.at("states")) asked.states.push_back(state_of(state));
    const Judged judged = judge(Plan::read(request.at("plan")), asked, kept);
    return {{"state", {judged.state.generation, judged.state.records}}, {"parts", judged.parts}};
  } catch (const std::exception& error) {
    return {{"wrong", error.what()}, {"kept", kept}};
  }
}

}  // namespace
}  // namespace harness

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::ifstream requests(argc == 2 ? argv[1] : "/dev/stdin");
  for (std::string line; std::getline(requests, line);) std::cout << harness::answer(line).dump() << std::endl;
  MPI_Finalize();
}
