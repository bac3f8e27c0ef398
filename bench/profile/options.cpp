// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <sstream>

#include "base/quantity.hpp"

namespace weir::profile {

namespace {

std::int64_t parse_stripe(const std::string& text) {
  const std::optional<std::int64_t> bytes = parse_bytes(text);
  if (!bytes || *bytes <= 0) throw CLI::ValidationError("--stripe-size", text + " is no size; give bytes, as 4MiB");
  return *bytes;
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, bool print, int& exit_code) {
  CLI::App app{"Measures this machine: what the simulator needs to know of it (docs/machines.md), as YAML."};
  Options options;
  app.add_option("--seconds", options.seconds, "that it may take, nearly")->check(CLI::Range(2.0, 3600.0));
  app.add_option("--dir", options.directory, "folder whose storage is measured: where the model writes");
  app.add_option("--name", options.name, "of the machine (default: the cluster's, else the host's)");
  app.add_option("--output", options.output, "file for the profile; -: standard output");
  app.add_option("--ranks-per-host", options.ranks_per_host, "take so many ranks of a host for a host of their own")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--servers", options.servers,
                 "servers of a striped storage: without it nothing of stripes is measured")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--stripe-count", options.stripe_count, "of them, those on which a file lies (default: all)")
      ->check(CLI::NonNegativeNumber);
  std::string stripe;
  app.add_option("--stripe-size", stripe,
                 "bytes that one server has in a row: 4MiB (default: what the file system tells)");
  try {
    app.parse(argc, argv);
    if (!stripe.empty()) options.stripe_bytes = parse_stripe(stripe);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, complaints;
    exit_code = app.exit(error, out, complaints) == 0 ? 0 : 2;
    if (print) std::cout << out.str();
    if (print) std::cerr << complaints.str();
    return std::nullopt;
  }
  return options;
}

}  // namespace weir::profile
