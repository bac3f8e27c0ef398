// SPDX-License-Identifier: Apache-2.0
#include "deferred_definitions.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "definitions.hpp"
#include "schema/schema.hpp"

namespace weir::cfio2 {

void DeferredDefinitions::add(const Put& put, Status status, Schema& wanted) {
  ++changes_;
  const auto deferred = [&] { return define_from_put(wanted, put), Status{}; };
  if (status.ok() && !(status = outcome_of(deferred)).ok()) status.message = put.in_words() + ": " + status.message;
  puts_.push_back({put, {}});
  if (!status.ok()) return refuse(status);
  bytes_ += elements(own_box(put).shape) * type_bytes(put.type) / comm_.size();
  const Status kept = outcome_of([this] { return keep(puts_.back()), Status{}; });
  if (!kept.ok()) refuse({kept.code, put.in_words() + ": " + kept.message});
}

void DeferredDefinitions::keep(Held& held) {
  held.values.resize(static_cast<std::size_t>(held.put.length() * type_bytes(held.put.type)));
  if (!held.values.empty()) std::memcpy(held.values.data(), held.put.values, held.values.size());
  held.put.values = held.values.data();
}

void DeferredDefinitions::add(std::string var, Attribute attribute, const Status& status) {
  ++changes_;
  attributes_.push_back({std::move(var), std::move(attribute)});
  if (!status.ok()) refuse(status);
}

void DeferredDefinitions::refuse(const Status& status) {
  const std::string sentence = formatted("rank {}: {}", comm_.number(), status.message);
  refused_.merge({status.code, sentence});
  throw Error(status.code, sentence);
}

void DeferredDefinitions::forget() noexcept {
  puts_.clear();
  attributes_.clear();
  changes_ = bytes_ = 0;
  refused_ = {};
}

bool DeferredDefinitions::has(const std::string& name) const {
  return std::any_of(puts_.begin(), puts_.end(), [&](const Held& held) { return same_name(held.put.name, name); });
}

void DeferredDefinitions::apply_attributes(Schema& wanted, const std::string& path) const {
  for (const HeldAttribute& held : attributes_) {
    const int var = held.var.empty() ? WEIR_GLOBAL : wanted.find_variable(held.var);
    require(held.var.empty() || var >= 0, WEIR_ENOTFOUND,
            "{} has no variable \"{}\" for the attribute \"{}\"; put the variable before cfio2_wait_output", path,
            held.var, held.attribute.name);
    weir::put_attribute(wanted, var, held.attribute);
  }
}

std::vector<std::string> DeferredDefinitions::lines() const {
  std::vector<std::string> lines;
  for (const Held& held : puts_) lines.push_back(held.put.in_words());
  for (const HeldAttribute& held : attributes_)
    lines.push_back(formatted(R"(cfio2_put_att of "{}", "{}": {} of {})", held.var, held.attribute.name,
                              held.attribute.count, type_name(held.attribute.type)));
  return lines;
}

}  // namespace weir::cfio2
