// SPDX-License-Identifier: Apache-2.0
// Unpacks a chunk, from the bytes in the file to elements in external form: undoes its filters, and swaps bytes if the
// file is little-endian. The rank that reads uses it, in its storage thread. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/chunked/codec.hpp"
#include "formats/stored_array.hpp"

namespace weir {

// Returns why this build cannot unpack these filters; "" if it can.
std::string unknown_filter(std::span<const FilterStep> filters);

// Keeps workspaces and buffers from chunk to chunk. Thread: one at a time.
class Unpacker {
 public:
  // Fills `to`, a whole chunk of the array. Returns "", or why it cannot, as the end of a sentence.
  [[nodiscard]] std::string unpack(std::span<const std::byte> packed, const StoredArray& array, std::uint32_t skipped,
                                   int element_bytes, std::span<std::byte> to);
  // As unpack(), for a chunk whose length is known only from its bytes; `to` becomes as long as the chunk.
  [[nodiscard]] std::string unpack_up_to(std::span<const std::byte> packed, const StoredArray& array, int element_bytes,
                                         std::span<std::byte>& to);

 private:
  struct Form {
    std::span<const std::byte> bytes;
    bool turned;  // its elements must still be byte-swapped
  };
  std::string undo(Form& form, const StoredArray& array, std::uint32_t skipped, int element_bytes,
                   std::span<std::byte> to);
  std::span<std::byte> room_beside(std::span<const std::byte> form, std::size_t bytes);
  std::size_t inflate(unsigned filter, std::span<const std::byte> from, std::span<std::byte> to);

  std::vector<std::byte> scratch_[2], sorted_;
  Inflater inflater_;
};

}  // namespace weir
