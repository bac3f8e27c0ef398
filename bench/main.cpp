// SPDX-License-Identifier: Apache-2.0
// weir-bench: measures Weir's strategies and their peers on the same data. bench/README.md says how to use it.
#include <mpi.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string_view>

#include "agree.hpp"
#include "base/config.hpp"
#include "base/text.hpp"
#include "check.hpp"
#include "machine.hpp"
#include "options.hpp"
#include "restart.hpp"
#include "results.hpp"
#include "roster.hpp"
#include "runner.hpp"

namespace weir::bench {
namespace {

std::string command_text(int argc, char** argv) {
  std::string text = argv[0];
  for (int i = 1; i < argc; ++i) text.append(" ").append(argv[i]);
  return text;
}

void write_json(const std::string& path, const nlohmann::ordered_json& json) {
  std::ofstream file(path);
  file << json.dump(2) << '\n';
  file.close();
  if (!file) throw BenchError(formatted("the results cannot be written to {}", path));
}

// On the model's ranks; `json` gets what was measured. The exit code: 0 all is well, 1 a mode failed or left a wrong
// file.
int run_model(const Options& options, const Roster& roster, nlohmann::ordered_json json) {
  const int rank = roster.model().rank();
  if (options.plan) {
    const auto plans = plan_modes(options, roster);
    if (rank == 0) std::cout << plans.dump(2) << '\n';
    return 0;
  }
  if (options.workload.name == restart_name) {
    const int code = run_restart(options, roster, json);
    together(roster.model().raw(), [&] {
      if (rank == 0 && !options.json_path.empty()) write_json(options.json_path, json);
    });
    return code;
  }
  const RunResult result = run_modes(options, roster);
  if (rank == 0) print_table(result, std::cout);
  together(roster.model().raw(), [&] {
    if (rank != 0 || options.json_path.empty()) return;
    json["runs"] = runs_json(result);
    write_json(options.json_path, json);
  });
  int well = all_well(result) ? 1 : 0;
  check_mpi(MPI_Bcast(&well, 1, MPI_INT, 0, roster.model().raw()), "MPI_Bcast");
  return well ? 0 : 1;
}

// The exit code: as above, and 2 where the command line was wrong.
int run(int argc, char** argv) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  int exit_code = 0;
  const auto options = parse_options(argc, argv, MPI_COMM_WORLD, exit_code);
  if (!options) return exit_code;
  if (options->keys) {
    if (rank == 0) std::cout << describe_keys();
    return 0;
  }
  const auto machine = describe_machine(options->directory, MPI_COMM_WORLD);
  const Roster roster(*options, MPI_COMM_WORLD);
  if (!roster.models()) {
    roster.serve();
    return 0;
  }
  try {
    exit_code = run_model(*options, roster, {{"machine", machine}, {"command", command_text(argc, argv)}});
  } catch (const AgreedError&) {
    roster.dismiss();
    throw;
  }
  roster.dismiss();
  return exit_code;
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) {
  const bool any_thread = std::any_of(argv, argv + argc, [](const char* argument) {
    return std::string_view(argument).starts_with(weir::bench::any_thread_flag);
  });
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, any_thread ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
  int exit_code = 2;
  try {
    if (any_thread && provided < MPI_THREAD_MULTIPLE)
      throw weir::bench::AgreedError("--any-thread: this MPI does not give MPI_THREAD_MULTIPLE");
    exit_code = weir::bench::run(argc, argv);
  } catch (const weir::bench::AgreedError& error) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::cerr << "weir-bench: " << error.what() << std::endl;
  } catch (const std::exception& error) {
    std::cerr << "weir-bench: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, exit_code);
  }
  MPI_Finalize();
  return exit_code;
}
