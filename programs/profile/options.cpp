// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "../command_line.hpp"
#include "base/text.hpp"

namespace weir::profile {

namespace {

std::int64_t parse_stripe(const std::string& text) {
  const std::optional<std::int64_t> bytes = parse_bytes(text);
  if (!bytes || *bytes <= 0)
    throw CLI::ValidationError("--stripe-size", formatted("{} is not a size; give bytes, as 4MiB", text));
  return *bytes;
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, MPI_Comm comm, int& exit_code) {
  CLI::App app{"Measures this machine: what the simulator needs to know of it (docs/machines.md), as YAML."};
  Options options;
  app.add_option("--seconds", options.seconds, "that it may take, nearly")->check(CLI::Range(2.0, 3600.0));
  app.add_option("--dir", options.directory, "folder whose storage is measured: where the model writes");
  app.add_option("--name", options.name, "of the machine (default: the cluster's, else the host's)");
  app.add_option("--output", options.output, "file for the profile; -: standard output");
  app.add_option("--ranks-per-host", options.ranks_per_host, "treat each group of this many ranks of a host as a host")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--servers", options.servers,
                 "servers of a striped storage: without it nothing of stripes is measured")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--stripe-count", options.stripe_count, "of them, those on which a file lies (default: all)")
      ->check(CLI::NonNegativeNumber);
  app.add_option_function<std::string>(
      "--stripe-size", [&](const std::string& text) { options.stripe_bytes = parse_stripe(text); },
      "bytes that one server has in a row: 4MiB (default: what the file system tells)");
  if (const auto ended = bench::parse_together(app, argc, argv, comm)) {
    exit_code = *ended;
    return std::nullopt;
  }
  return options;
}

}  // namespace weir::profile
