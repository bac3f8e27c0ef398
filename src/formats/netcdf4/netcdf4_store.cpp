// SPDX-License-Identifier: Apache-2.0
#include "formats/netcdf4/netcdf4_store.hpp"

#include <algorithm>
#include <utility>

#include "formats/classic/stored_file.hpp"

namespace weir {

std::int64_t least_file_bytes(const StoredTables& tables) {
  std::int64_t least = 0;
  for (std::size_t var = 0; var < tables.arrays.size(); ++var) {
    const StoredArray& array = tables.arrays[var];
    if (array.address != StoredPiece::nowhere) {
      const int size = type_bytes(tables.schema.variables()[var].type);
      least = std::max(least, saturated_sum(array.address, elements(array.lengths) * size));
    }
    for (const StoredPiece& piece : array.pieces)
      if (piece.address != StoredPiece::nowhere) least = std::max(least, saturated_sum(piece.address, piece.bytes));
  }
  return least;
}

Netcdf4Store::Netcdf4Store(Known known, std::optional<Descriptor> opened)
    : known_(std::move(known)), least_bytes_(least_file_bytes(*known_.tables)), file_(std::move(opened)) {}

std::optional<ChunkPlace> Netcdf4Store::find(int var, std::int64_t number) {
  const StoredPiece& piece = array(var).pieces.at(static_cast<std::size_t>(number));
  if (piece.address == StoredPiece::nowhere) return std::nullopt;
  return ChunkPlace{0, piece.address, piece.bytes, piece.skipped};
}

void Netcdf4Store::check() {
  if (!file_) {
    file_.emplace(open_to_read(known_.path));
    ++count_.opens;
  }
  require_same_file(*file_, known_.path, known_.identity, least_bytes_);
}

void Netcdf4Store::read(std::int64_t, std::int64_t address, std::span<std::byte> to) {
  file_->read(to.data(), std::ssize(to), address);
  count_.bytes += std::ssize(to);
}

void Netcdf4Store::ask_for(const ChunkPlace& place) noexcept {
  ask_system_for(*file_, place.address, place.bytes);
  count_.bytes_ahead += place.bytes;
}

}  // namespace weir
