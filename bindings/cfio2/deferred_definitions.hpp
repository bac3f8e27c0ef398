// SPDX-License-Identifier: Apache-2.0
// What a program has revealed of a file since its definitions ended last: puts of variables that are new to it, with
// their values, and attributes. Local; alike on all ranks, but for values and what a rank alone finds wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mpi/comm.hpp"
#include "request.hpp"

namespace weir::cfio2 {

class DeferredDefinitions {
 public:
  // Outlived by the communicator.
  explicit DeferredDefinitions(const Comm& comm) noexcept : comm_(comm) {}

  // Keeps the put, and copies its data; `wanted` has its definition then. `status`: what this rank alone finds wrong
  // with it. Throws where it cannot be; it is kept all the same, so that all ranks define the file at the same call.
  void add(const Put& put, Status status, Schema& wanted);
  // var "": of the file.
  void add(std::string var, Attribute attribute, const Status& status);
  void forget() noexcept;

  struct Held {
    Put put;
    std::vector<std::byte> values;
  };
  // In the order in which they came.
  const std::vector<Held>& puts() const noexcept { return puts_; }
  bool has(const std::string& name) const;
  // Throws where `wanted`, of the file of this path, has not the variable of one of them.
  void apply_attributes(Schema& wanted, const std::string& path) const;

  std::int64_t changes() const noexcept { return changes_; }
  // A rank's even share of their data, the same number on all ranks.
  std::int64_t bytes() const noexcept { return bytes_; }
  // What all ranks must agree on, in words; and what this rank could not do of it.
  std::vector<std::string> lines() const;
  const Status& refused() const noexcept { return refused_; }

 private:
  struct HeldAttribute {
    std::string var;
    Attribute attribute;
  };

  // Copies the put's data.
  static void keep(Held& held);
  void refuse(const Status& status);

  const Comm& comm_;
  std::vector<Held> puts_;
  std::vector<HeldAttribute> attributes_;
  std::int64_t changes_ = 0, bytes_ = 0;
  Status refused_;
};

}  // namespace weir::cfio2
