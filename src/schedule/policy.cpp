// SPDX-License-Identifier: Apache-2.0
#include "schedule/policy.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"

namespace weir {

namespace {

using Json = nlohmann::json;

constexpr std::size_t most_inputs = 1000;

void check_version(const Json& root, const std::string& origin) {
  require(root.is_object() && root.contains("weir_policy"), WEIR_ECONFIG,
          origin + " is not a policy: its key weir_policy is missing; train one (docs/tuning.md)");
  const Json& version = root["weir_policy"];
  require(version.is_number_integer() && version.get<int>() == policy_version, WEIR_ECONFIG,
          origin + " is a policy of version " + version.dump() + ", and this Weir evaluates version " +
              std::to_string(policy_version) + ": train it again (docs/tuning.md)");
}

void check_finite(std::span<const double> numbers, const std::string& origin) {
  require(std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); }),
          WEIR_ECONFIG, origin + " is not a policy: it contains a number that is not finite");
}

}  // namespace

Policy Policy::read(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  require(stream.is_open(), WEIR_ECONFIG, "the policy " + in_quotes(path) + " cannot be read");
  return parse(text, path);
}

Policy Policy::parse(const std::string& text, const std::string& origin) {
  Policy policy;
  try {
    const Json root = Json::parse(text);
    check_version(root, origin);
    for (const Json& input : root.at("inputs")) {
      policy.names_.push_back(input.at("name"));
      policy.mean_.push_back(input.at("mean"));
      policy.scale_.push_back(input.at("scale"));
      require(policy.scale_.back() > 0, WEIR_ECONFIG,
              origin + " is not a policy: the input " + in_quotes(policy.names_.back()) +
                  " has a scale that is not above 0");
    }
    policy.writer_exponents_ = root.at("writer_exponents").get<std::vector<double>>();
    policy.wait_rounds_ = root.at("wait_rounds").get<std::vector<int>>();
    std::size_t width = policy.names_.size();
    for (const Json& layer : root.at("layers")) {
      Layer& made = policy.layers_.emplace_back();
      made.bias = layer.at("bias").get<std::vector<double>>();
      for (const auto& row : layer.at("weights").get<std::vector<std::vector<double>>>()) {
        require(row.size() == width, WEIR_ECONFIG, origin + " is not a policy: its layers do not fit together");
        made.weights.insert(made.weights.end(), row.begin(), row.end());
      }
      require(made.weights.size() == width * made.bias.size(), WEIR_ECONFIG,
              origin + " is not a policy: its layers do not fit together");
      check_finite(made.weights, origin);
      check_finite(made.bias, origin);
      width = made.bias.size();
      policy.here_.resize(std::max({policy.here_.size(), width, policy.names_.size()}));
    }
    require(!policy.names_.empty() && policy.names_.size() <= most_inputs && width == policy.actions() && width > 0,
            WEIR_ECONFIG, origin + " is not a policy: it does not have as many outputs as actions");
  } catch (const Json::exception& error) {
    throw Error(WEIR_ECONFIG, origin + " is not a policy: " + error.what());
  }
  policy.next_.resize(policy.here_.size());
  return policy;
}

std::size_t Policy::choose(std::span<const double> inputs) const {
  require(inputs.size() == names_.size(), WEIR_EARGUMENT, [&] {
    return "the policy has " + std::to_string(names_.size()) + " inputs, not " + std::to_string(inputs.size());
  });
  for (std::size_t i = 0; i < inputs.size(); ++i) here_[i] = (inputs[i] - mean_[i]) / scale_[i];
  std::size_t width = inputs.size();
  for (const Layer& layer : layers_) {
    const bool last = &layer == &layers_.back();
    for (std::size_t row = 0; row < layer.bias.size(); ++row) {
      double sum = layer.bias[row];
      for (std::size_t i = 0; i < width; ++i) sum += layer.weights[row * width + i] * here_[i];
      next_[row] = last ? sum : std::tanh(sum);
    }
    width = layer.bias.size();
    std::swap(here_, next_);
  }
  return static_cast<std::size_t>(std::max_element(here_.begin(), here_.begin() + static_cast<std::ptrdiff_t>(width)) -
                                  here_.begin());
}

PolicyAction Policy::action(std::size_t number, int ranks) const {
  const std::size_t rounds = wait_rounds_.size(), writers = writer_exponents_.size();
  require(number < actions(), WEIR_EARGUMENT, "there is no action of this number");
  const double count = std::round(std::pow(ranks, writer_exponents_[number / rounds % writers]));
  return {number / (rounds * writers) == 1, std::clamp(static_cast<int>(count), 1, ranks),
          wait_rounds_[number % rounds]};
}

}  // namespace weir
