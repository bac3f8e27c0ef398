// SPDX-License-Identifier: Apache-2.0
// The model that writes a workload, as the command lines of weir-bench and weir-simulate have it: the same options.
// What their words mean, and which are wrong, is for who runs it. Local.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace weir::workloads {

struct ModelOptions {
  double scale = 1;          // of the workload's bytes
  std::int64_t records = 0;  // 0: the workload's own number
  double compute_seconds = 0, imbalance = 0;
  std::string imbalance_kind = "fixed";  // fixed, drifting
  std::string halo = "neighbours";       // none, neighbours, all
  std::optional<int> steps;              // unset: who runs it knows
};

inline void describe_model(CLI::App& app, ModelOptions& model) {
  app.add_option("--scale", model.scale, "multiplies the bytes of the workload")->check(CLI::PositiveNumber);
  app.add_option("--records", model.records, "records of every file; memory grows with them")
      ->check(CLI::PositiveNumber);
  app.add_option("--compute", model.compute_seconds, "seconds a rank computes before each record");
  app.add_option("--imbalance", model.imbalance, "how much a rank's computing differs, 0 to 1");
  app.add_option("--imbalance-kind", model.imbalance_kind,
                 "fixed: the same ranks are slow throughout; drifting: others each time");
  app.add_option("--halo", model.halo, "whom a rank waits for when a step begins: none, neighbours or all");
  app.add_option("--steps", model.steps, "steps of the model before each record; 0: it does not compute");
}

}  // namespace weir::workloads
