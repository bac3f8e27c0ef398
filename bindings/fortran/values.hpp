// SPDX-License-Identifier: Apache-2.0
// A caller's array as values of a call: whether it fits a layout or a box, its texts, and the values of an attribute.
// Local; what cannot be right throws Refusal.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "descriptor.hpp"

namespace weir::fortran {

// Refuses a buffer of another size or shape than `wanted`, slowest first, which `owner` needs. A rank that holds
// nothing may give any buffer. Of an array of assumed size nothing is known.
void require_fit(const Buffer& values, std::span<const std::int64_t> wanted, const std::string& owner);

// The texts of an array of characters, or of one text, each without its trailing blanks.
// Requires: `values` is of `array`.
std::vector<std::string> texts_of(const CFI_cdesc_t& array, const Buffer& values);

// The values of an attribute as weir_put_att takes them. They are the caller's, but for texts, which are this object's.
class AttributeValues {
 public:
  // `type`: nullptr, or the type in the file, which Fortran may have no kind for.
  AttributeValues(const CFI_cdesc_t& array, const int* type);
  AttributeValues(const AttributeValues&) = delete;
  AttributeValues& operator=(const AttributeValues&) = delete;

  weir_type type() const noexcept { return type_; }
  std::int64_t count() const noexcept { return count_; }
  const void* data() const noexcept { return data_; }

 private:
  weir_type type_;
  std::int64_t count_;
  const void* data_;
  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
};

}  // namespace weir::fortran
