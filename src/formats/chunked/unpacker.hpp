// SPDX-License-Identifier: Apache-2.0
// Unpacks one chunk, from the bytes in the file to elements in external form: through its filters in reverse, and
// byte-swapped if the file is little-endian. Used by the rank that reads it, in its storage thread. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/chunked/codec.hpp"
#include "formats/stored_array.hpp"

namespace weir {

// Why this build cannot unpack what went through these filters; empty where it can.
std::string unknown_filter(std::span<const FilterStep> filters);

// What unpacks: the libraries' workspaces and buffers, kept from chunk to chunk. For one thread at a time.
class Unpacker {
 public:
  // Fills `to`, which is a whole chunk of the array. Returns why it cannot, as the end of a sentence; empty where it
  // has.
  [[nodiscard]] std::string unpack(std::span<const std::byte> packed, const StoredArray& array, std::uint32_t skipped,
                                   int element_bytes, std::span<std::byte> to);
  // The same of a chunk whose length only its bytes tell: as many of `to` as it has, which `to` is then.
  [[nodiscard]] std::string unpack_up_to(std::span<const std::byte> packed, const StoredArray& array, int element_bytes,
                                         std::span<std::byte>& to);

 private:
  struct Form {
    std::span<const std::byte> bytes;
    bool turned;  // its elements still have to be byte-swapped
  };
  std::string undo(Form& form, const StoredArray& array, std::uint32_t skipped, int element_bytes,
                   std::span<std::byte> to);
  std::span<std::byte> room_beside(std::span<const std::byte> form, std::size_t bytes);
  std::size_t inflate(unsigned filter, std::span<const std::byte> from, std::span<std::byte> to);

  std::vector<std::byte> scratch_[2], sorted_;
  Inflater inflater_;
};

}  // namespace weir
