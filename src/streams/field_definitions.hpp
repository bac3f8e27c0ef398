// SPDX-License-Identifier: Apache-2.0
// What a model defines before its streams begin: fields, their attributes and fixed values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "plan/layout.hpp"
#include "streams/field.hpp"

namespace weir {

// All methods throw Error. Thread: the thread of the rank's calls.
class FieldDefinitions {
 public:
  // The references outlive this.
  FieldDefinitions(const Comm& comm, const Layouts& layouts);

  // Defines a field over dimensions that are called `dimensions`, slowest first. Its lengths are those of the layout's
  // array. Without dimensions it is a scalar, and `layout` is ignored.
  // Requires: the arguments are the same on all ranks.
  // Local; Streams::start() compares the definitions of all ranks, and reports a refused one on all.
  // Errors: WEIR_EARGUMENT as Fields::add(), and for a layout of another shape.
  int define_field(std::string_view name, Type type, const std::vector<std::string>& dimensions, int layout);
  // Adds an attribute to a field, or to all files (WEIR_GLOBAL). As define_field().
  void put_attribute(int field, const Name& name, Type type, std::int64_t count, const void* values);
  // Gives a fixed field its values: this rank's elements, by the field's layout. They are copied. As define_field().
  void set_field(int field, Type type, const void* values);

  const Fields& fields() const noexcept { return fields_; }
  // Of all files.
  const std::vector<Attribute>& attributes() const noexcept { return attributes_; }
  // The first definition that was refused on this rank; the others learn of it where definitions are compared.
  const Status& refused() const noexcept { return refused_; }

  // A line each, to show how those of two ranks differ.
  std::vector<std::string> in_words() const;
  // Two ranks with other definitions have other signatures.
  std::uint64_t signature() const;

 private:
  template <class Define>
  void define(Define define);

  const Comm& comm_;
  const Layouts& layouts_;
  Fields fields_;
  std::vector<Attribute> attributes_;
  Status refused_;
};

}  // namespace weir
