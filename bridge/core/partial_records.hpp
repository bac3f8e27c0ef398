// SPDX-License-Identifier: Apache-2.0
// Partly put records of a file that Weir makes or opens. Chunks are written whole: pieces are kept until they make a
// record, or until the rest of the record is filled or read. If the record has values already, the elements that no
// rank puts are read back first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/record_pieces.hpp"
#include "core/uncovered.hpp"
#include "core/writer_state.hpp"

namespace weir::bridge {

class PartialRecords {
 public:
  explicit PartialRecords(WriterState& writer_state) : writer_state_(writer_state) {}

  // How the file is read meanwhile, where it can be: a part of a record that has values may then be put, and the rest
  // stays. Reads this box of it, as it was last committed, in the variable's type; throws Error. Local.
  using ReadBack =
      std::function<void(const RecordPieces::Where& where, IndexView start, IndexView count, std::byte* values)>;
  void read_back_by(ReadBack read) { read_back_ = std::move(read); }
  // A file that was there has values of these.
  void begin_with(std::int64_t records, int variables) noexcept {
    former_records_ = records;
    former_variables_ = variables;
  }

  // Puts what all ranks hold of a record by this layout, or keeps it where that is not all of the record. Where ranks
  // hold the same elements, each part is taken once. Collective.
  Outcome carry(const Key& key, int layout, const Share* share);
  // This one was put whole, by another way.
  void mark_whole(const RecordPieces::Where& where);
  // Puts all that is kept. Collective.
  void put_all();

 private:
  // What all ranks hold in a layout: elements, those of equal parts once; and whether this rank's part counts.
  struct Holding {
    std::int64_t elements, once;
    bool mine;
  };
  const Holding& holding(int layout, const Share* share);
  Outcome keep(const RecordPieces::Where& where, const Share* share);
  bool add_piece(const RecordPieces::Where& where, const Share* share, std::span<const std::byte> values);
  void put_pieces(const RecordPieces::Where& where);
  std::vector<Slab> slabs_of_others(const RecordPieces::Where& where, std::span<const Slab> mine) const;
  bool has_values(const RecordPieces::Where& where) const;
  void merge(std::span<const RecordPieces::Where> records);
  void add_rest(const RecordPieces::Where& where);
  std::vector<std::byte> read_rest(const RecordPieces::Where& where, const Rows& rows,
                                   std::span<const Slab> boxes) const;

  WriterState& writer_state_;
  ReadBack read_back_;
  RecordPieces pieces_;
  std::int64_t kept_elements_ = 0;   // of the record that was put last in part, by all ranks
  std::int64_t former_records_ = 0;  // and variables, of a file that was there
  int former_variables_ = 0;
  std::map<int, Holding> holdings_;
};

}  // namespace weir::bridge
