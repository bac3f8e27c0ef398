// SPDX-License-Identifier: Apache-2.0
// Fortran 2018's C descriptors as the C interface wants them: texts, indices from 0 and slowest first, and buffers
// whose type and length are known. Local; what cannot be right throws Refusal.
#pragma once

#include <ISO_Fortran_binding.h>
#include <weir/weir.h>

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace weir::fortran {

// An argument that cannot be right, or a call at the wrong time: `code` and the sentence for the caller.
class Refusal : public std::runtime_error {
 public:
  Refusal(weir_code code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  weir_code code() const noexcept { return code_; }

 private:
  weir_code code_;
};

// A character argument without its trailing blanks; "" where it is absent or of another type.
std::string trimmed_text(const CFI_cdesc_t* text);

// A character argument as it is.
std::string whole_text(const CFI_cdesc_t& text);

// Gives a character variable a value, padded with blanks or cut at its end; nothing where it is absent.
void assign_text(CFI_cdesc_t* variable, std::string_view value);

// The elements of an integer array of either kind in array element order.
std::vector<std::int64_t> integers(const CFI_cdesc_t& array);

// Lengths of axes, from fastest first to slowest first.
std::vector<std::int64_t> axis_lengths(const CFI_cdesc_t& array);

// Positions in axes: from fastest first to slowest first, and from counting from 1 to counting from 0.
std::vector<std::int64_t> axis_starts(const CFI_cdesc_t& array);

// The order of axes in memory, both ways of listing reversed; empty where `order` is absent.
std::vector<int> axis_order(const CFI_cdesc_t* order);

// What the caller's array is to the C interface. The memory stays the caller's.
class Buffer {
 public:
  explicit Buffer(const CFI_cdesc_t& array);

  weir_type type() const noexcept { return type_; }
  // Elements, those of a character array being its characters; negative for an assumed-size array, which has no known
  // length.
  std::int64_t length() const noexcept { return length_; }
  void* data() const noexcept { return data_; }
  // Lengths of its axes, slowest first; the last ones of a character array are its characters'. None where the length
  // is not known.
  std::span<const std::int64_t> shape() const noexcept { return {shape_.data(), axes_}; }

 private:
  weir_type type_;
  std::int64_t length_;
  std::array<std::int64_t, CFI_MAX_RANK + 1> shape_{};
  std::size_t axes_ = 0;
  void* data_;
};

// Whether one of the shapes is the other with neighbouring axes joined, so that a buffer of the one holds an array of
// the other in its order. Axes of length 1 do not count.
bool fit(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

// A type's name as in the C interface without its WEIR_, in small letters: "float".
std::string_view type_name(weir_type type) noexcept;

}  // namespace weir::fortran
