// SPDX-License-Identifier: Apache-2.0
// Writes the data of one file. The underlying library keeps the file: it creates it, lays it out, and writes its
// header, so definitions, inquiries, modes and errors are its own. A bridge asks it for the offsets of the data, and
// Weir writes them by the configured strategy. The record count in the header stays the library's: a bridge tells it
// how many records there are once their bytes are in the file.
//
// A file of another format is made by Weir alone. library_file.hpp and made_file.hpp hold what differs between the two
// kinds.
//
// Below, "Collective" means over the group, and errors are the same on all ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/library_file.hpp"
#include "core/made_file.hpp"
#include "core/put_agreement.hpp"
#include "core/writer_state.hpp"

namespace weir::bridge {

class FileWriter {
 public:
  // The library has the file open. `named`: it, on the group's rank 0.
  FileWriter(std::shared_ptr<RankGroup> group, RankGroup::Decision decision, FileName name,
             std::unique_ptr<NamedFile> named);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // What can be asked of a file that the library keeps, and of one that Weir makes.
  LibraryFile& library_file() noexcept { return library_file_; }
  MadeFile& made_file() noexcept { return made_file_; }

  // The file as the library has it now, the same on all ranks. Local; before the first put, and whenever the library
  // may have changed it, while it is the library's alone. Of a file that Weir has made: begins with what
  // made_file().written() has, and may have other attributes there.
  void learn(DefinedFile defined);

  // A collective call in which every rank puts its parts (none: nothing), or says by `refusal` why it cannot. Where
  // some rank refuses, or ranks hold the same elements in ways that Weir does not write, no rank has put anything.
  // `records`: what the call makes the record count at least. `question` becomes whether it is so on any rank (asked on
  // all ranks or on none; not answered where the reason is Reason::header). Collective.
  Outcome put(std::span<const LocalSlabs> parts, std::int64_t records, Reason refusal = Reason::none,
              bool* question = nullptr);

  // The other way to put, for a library whose calls name a decomposition that was made before: ranks do not meet at a
  // put. library_file().open() or made_file().make() comes first.
  // All ranks put one record by a layout of running(), the instance of this carrier. Reason::overlap: ranks hold the
  // same elements; no rank has put anything. Of a file that Weir makes it is the whole record.
  Outcome put_placed(int var, std::int64_t record, int layout, Type type, const void* values);
  // Whether Weir makes the file in the library's place: made_file() is then the kind that counts, else library_file().
  bool made() const noexcept { return writer_state_.name.made(); }
  // Of the last Reason::overlap: which ranks put which boxes, where it is known.
  std::string overlap_in_words() const { return writer_state_.overlap_in_words(); }
  Running* running() const noexcept { return writer_state_.running; }
  const Schema& schema() const noexcept { return writer_state_.defined.schema; }
  int format() const noexcept { return writer_state_.defined.geometry.format; }

  // The user wants closed files on storage, which the library does not see to.
  bool wants_storage() const noexcept { return writer_state_.decision.config.durability == Durability::storage; }

  // Records put so far, or told by learn_records. Alike on all ranks.
  std::int64_t records() const noexcept { return writer_state_.records; }
  void learn_records(std::int64_t records) noexcept { writer_state_.learn_records(records); }
  // Puts wait in Weir, or are on their way.
  bool has_unflushed_puts() const noexcept { return writer_state_.has_unflushed_puts; }

  const RankGroup& group() const noexcept { return *writer_state_.group; }
  // One line on standard error, of the group's rank 0 alone.
  void complain(const std::string& sentence) { writer_state_.complain(sentence); }
  // The report has these once the carrier is gone.
  Counts& counts() noexcept { return writer_state_.counts; }

 private:
  Outcome put_agreed(std::span<Share> shares, const PutAgreement& agreement);
  Outcome put_alike(std::span<const Share> shares, const PutAgreement& agreement);
  Outcome put_each(std::span<Share> shares);
  Outcome carry(const Key& key, int layout, const Share* share);

  WriterState writer_state_;
  LibraryFile library_file_;
  MadeFile made_file_;
};

}  // namespace weir::bridge
