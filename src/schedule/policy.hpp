// SPDX-License-Identifier: Apache-2.0
// A trained policy: maps the state of the machine, the job and the cached data to the action for the next variable
// (Wang & Huang 2025, section 3.5, table 2). A small network, trained elsewhere (docs/tuning.md), that is evaluated in
// microseconds and allocates nothing. Pure, Local.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace weir {

constexpr int policy_version = 1;

// What is done with a variable that comes.
struct PolicyAction {
  bool flush;       // what is cached is written first; else it waits
  int writers;      // that hold the variable
  int wait_rounds;  // ranks to pass over while one on another node may come
};

// Layers of the kind W x + b, a hyperbolic tangent between them. The outputs are as many as there are actions: every
// flush with every number of writers with every number of rounds, the last ones varying fastest; the largest counts.
class Policy {
 public:
  // Throws Error(WEIR_ECONFIG) with a sentence: no JSON, not a policy, another version, layers that do not fit
  // together. `origin` names the text in messages.
  static Policy parse(const std::string& text, const std::string& origin);
  static Policy read(const std::string& path);

  const std::vector<std::string>& inputs() const noexcept { return names_; }
  std::size_t actions() const noexcept { return 2 * writer_exponents_.size() * wait_rounds_.size(); }
  // The action's number. `inputs` are as inputs() names them, not scaled; a size that is another is an error of the
  // caller (Error(WEIR_EARGUMENT)). Not for two threads at once.
  std::size_t choose(std::span<const double> inputs) const;
  // What it means for a job of so many ranks.
  PolicyAction action(std::size_t number, int ranks) const;

 private:
  struct Layer {
    std::vector<double> weights;  // a row an output
    std::vector<double> bias;
  };

  std::vector<std::string> names_;
  std::vector<double> mean_, scale_;
  std::vector<Layer> layers_;
  std::vector<double> writer_exponents_;  // writers are ranks to the power of this
  std::vector<int> wait_rounds_;
  mutable std::vector<double> here_, next_;  // of a layer
};

}  // namespace weir
