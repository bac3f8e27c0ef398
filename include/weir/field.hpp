// SPDX-License-Identifier: Apache-2.0
// Fields of weir.hpp: what a model sends to streams. Included by weir.hpp.
#ifndef WEIR_FIELD_HPP
#define WEIR_FIELD_HPP

#include <weir/types.h>

#include <cstdint>

namespace weir::io {

// Made by Weir::def_field, and a plain value: the field is the Weir's and lives until its end.
class Field {
 public:
  // No field: in put_field_att, all files of all streams.
  Field() = default;

  // weir.h's number of it; WEIR_GLOBAL: none.
  int number() const noexcept { return number_; }
  // Elements of a buffer for it on this rank: of its layout; of a scalar one on rank 0.
  std::int64_t buffer_length() const noexcept { return length_; }

 private:
  friend class Weir;
  Field(int number, std::int64_t length) : number_(number), length_(length) {}

  int number_ = WEIR_GLOBAL;
  std::int64_t length_ = 0;
};

}  // namespace weir::io

#endif
