// SPDX-License-Identifier: Apache-2.0
// Carries the data of one file. The library behind the bridge keeps the file: it creates it, lays it out, and writes
// its header; so definitions, inquiries, modes and errors are its own. A bridge asks it where the data belong, and Weir
// brings them there by the strategy of the configuration. The record count in the header stays the library's: a bridge
// tells it how many records there are, once their bytes have landed.
//
// The file is never cut off: before its header tells of fixed variables, or of records, it is as long as they are.
//
// A file of another format Weir makes by itself (FileName::made), at the first put, sync or close, of the definitions
// that the library has by then. It appears under its name when it is first committed. A record that no call covers is
// kept until it is whole, or the file lands. What is defined later it gets where it is next put into or committed.
//
// In what follows "Collective" is over the group, and errors are the same on all ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/loose_pieces.hpp"
#include "core/named_file.hpp"
#include "core/rank_group.hpp"
#include "core/record_pieces.hpp"
#include "core/shares.hpp"
#include "core/uncovered.hpp"
#include "file/file.hpp"
#include "write/definition.hpp"

namespace weir::bridge {

struct Outcome {
  Reason reason = Reason::none;   // none: carried; else the library behind has to make the call, on all ranks
  std::int64_t out_of_range = 0;  // values of this rank that did not fit; the fill value stands in their place
  Status trouble;                 // the file (or Weir) has failed: nothing of it can be carried any more
};

// How the program calls a file, where it is, and what MPI-IO is told of it.
struct FileName {
  std::string given, path;
  std::map<std::string, std::string> hints;
  weir_fill_mode fill = WEIR_NOFILL;  // of what no rank holds of a record that is put
  // Weir makes the file, in the format that the configuration says, or else `mode`. The library behind has a stand-in
  // at this path, or of this name in memory: its definitions, and no data.
  std::string stand_in = {};
  int mode = 0;           // as weir_create takes it
  bool is_there = false;  // Weir opens it
  bool made() const noexcept { return !stand_in.empty(); }
};

class Carrier {
 public:
  // The library has the file open. `named`: it, on the group's rank 0.
  Carrier(std::shared_ptr<RankGroup> group, RankGroup::Decision decision, FileName name,
          std::unique_ptr<NamedFile> named);
  ~Carrier();
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  // The file as the library has it now, the same on all ranks. Local; before the first put, and whenever the library
  // may have changed it, while it is the library's alone. Of a file that Weir has made: begins with what written() has,
  // and may have other attributes there.
  void learn(DefinedFile defined);
  // What the library had defined of the file when Weir last gave it its definitions; nullptr while it has none of Weir.
  const Schema* written() const noexcept { return file_ != nullptr ? &written_ : nullptr; }

  // A collective call in which every rank puts its parts (none: nothing), or says by `refusal` why it cannot. Where
  // some rank refuses, or ranks hold the same elements in ways that Weir does not write, nobody has put anything.
  // `records`: what the call makes the record count at least. `question` becomes whether it is so on any rank (asked on
  // all ranks or on none; not answered where the reason is Reason::header). Collective.
  Outcome put(std::span<const LocalSlabs> parts, std::int64_t records, Reason refusal = Reason::none,
              bool* question = nullptr);

  // The other way to put, for a library whose calls name a decomposition that was made before: ranks do not meet at a
  // put. open() comes first, while Weir is not attached(); it tells whether the file can be carried at all. Throws
  // Error where ranks do not come. Collective.
  bool open();
  // By a layout of running(), the Weir of this carrier.
  // All ranks put one record by that layout. Reason::overlap: ranks hold the same elements; nobody has put anything. Of
  // a file that Weir makes it is the whole record, and follows make().
  Outcome put_placed(int var, std::int64_t record, int layout, Type type, const void* values);
  // This rank cannot make a put that others make: they are told where all meet next. Local.
  void fail_put(const std::string& sentence);
  Running* running() const noexcept { return running_; }
  const Schema& schema() const noexcept { return defined_.schema; }
  int format() const noexcept { return defined_.geometry.format; }

  // All that was put is in the file, where the library behind (and any reader) sees it; where `durable`, also on
  // storage. Nothing happens where nothing was put. Collective.
  Status land(bool durable);
  // land(), and the file is the library's alone until the next put: before the library changes it, or lays the file out
  // anew. Collective.
  Status detach(bool durable);
  // The file is as long as its header may then say: with so many records. No rank goes on before it is: what another
  // one writes behind the end would be cut off. Collective.
  void lengthen(std::int64_t records);
  // It is as long again as what was put makes it, before the library writes data by itself, on any rank. Collective;
  // where nothing was lengthened, ranks do not meet.
  void shorten();
  // Of a file that Weir makes: it is made (or opened, where it is there), and has the definitions that the library has
  // by now, which its puts and commits see to themselves; all that was put is committed; and that for good. Collective.
  Status make();
  Status commit();
  Status finish();
  // How such a file is read meanwhile, where it can be: a part of a record that has values may then be put, and the
  // rest stays. Reads this box of it, as it was last committed, in the variable's type; throws Error. Local.
  using ReadBack =
      std::function<void(const RecordPieces::Where& where, IndexView start, IndexView count, std::byte* values)>;
  void read_back_by(ReadBack read) { read_back_ = std::move(read); }

  // The user wants closed files on storage, which the library does not see to.
  bool stores() const noexcept { return decision_.config.durability == Durability::storage; }

  // Records put so far, or told by learn_records. Alike on all ranks.
  std::int64_t records() const noexcept { return records_; }
  void learn_records(std::int64_t records) noexcept { records_ = std::max(records_, records); }
  bool attached() const noexcept { return file_ != nullptr; }
  // Puts wait in Weir, or are on their way.
  bool afloat() const noexcept { return afloat_; }

  const RankGroup& group() const noexcept { return *group_; }
  // One line on standard error, of the group's rank 0 alone; of this rank.
  void complain(const std::string& sentence);
  void complain_here(const std::string& sentence) { group_->process().say(sentence); }
  // The report has these once the carrier is gone.
  Counts& counts() noexcept { return counts_; }

 private:
  // What all ranks know of a call after one reduction.
  struct Agreement {
    Reason refusal = Reason::none;
    bool nothing = false;   // nobody puts anything
    bool outdated = false;  // some rank has new definitions for the file, and could not say what it puts
    bool alike = false;     // all that put something put the same keys, with layouts that all know by the same numbers
    bool loose = false;     // some of it was never put before, and it is little
    int var = -1;           // where these are records [first, last) of one variable, with one layout
    std::int64_t first = 0, last = 0;
    int layout = -1;
    std::int64_t records = 0;
    std::int64_t end = 0;
  };
  // What a rank says of its part of a call, of which all learn the largest.
  struct Votes {
    std::int64_t refusal;
    std::int64_t empty;      // it puts nothing
    std::int64_t unknown;    // it has no layout of something it puts
    std::int64_t scattered;  // it puts something else than records of one variable, with one layout
    std::int64_t signature, minus_signature;
    std::int64_t var, first, last, layout;  // where it is not scattered
    std::int64_t records, question;
    std::int64_t unseen, loose_words;  // of pieces put for the first time
    std::int64_t astray;               // it could not begin on this file
    std::int64_t outdated;             // it has new definitions for it
    std::int64_t end;                  // of its parts in the file
  };

  Outcome put_agreed(std::span<Share> shares, const Agreement& agreement);
  bool begin();
  void attach();
  void give_up(const Status& here);
  Status store();
  Agreement agree(std::span<const Share> shares, std::int64_t records, Reason refusal, bool* question);
  Votes largest_of(const Votes& mine) const;
  void leave_out_absent(std::vector<std::int64_t>& layouts, const std::vector<bool>& puts) const;
  Outcome put_alike(std::span<const Share> shares, const Agreement& agreement);
  Outcome put_loose(std::span<const Share> shares);
  Outcome put_each(std::span<Share> shares);
  std::vector<Key> keys_of_all(std::span<const Share> shares);
  std::vector<std::int64_t> layouts_of_all(std::span<const Key> keys, std::span<Share> shares);
  void land_now(bool durable);
  void create();
  void open_there();
  void redefine();
  void commit_now();
  Outcome carry_made(const Key& key, int layout, const Share* share);
  Outcome keep(const RecordPieces::Where& where, const Share* share);
  bool add_piece(const RecordPieces::Where& where, const Share* share, std::span<const std::byte> values);
  void put_pieces(const RecordPieces::Where& where);
  std::vector<Slab> slabs_of_others(const RecordPieces::Where& where, std::span<const Slab> mine) const;
  bool has_values(const RecordPieces::Where& where) const;
  void merge(std::span<const RecordPieces::Where> records);
  void add_rest(const RecordPieces::Where& where);
  std::vector<std::byte> read_rest(const RecordPieces::Where& where, const Rows& rows,
                                   std::span<const Slab> boxes) const;
  void count_records();
  // What all ranks hold in a layout: elements, those of equal parts once; and whether this rank's part counts.
  struct Holding {
    std::int64_t elements, once;
    bool mine;
  };
  const Holding& holding(int layout, const Share* share);
  Outcome carry(const Key& key, int layout, const Share* share);
  bool try_carry(const Key& key, int layout, const Share* share, Outcome& outcome);
  Status guarded(const std::function<void()>& body);

  std::shared_ptr<RankGroup> group_;
  RankGroup::Decision decision_;
  FileName name_;
  std::unique_ptr<NamedFile> named_;  // on rank 0
  DefinedFile defined_;
  Schema written_;         // of a file that Weir makes
  bool outdated_ = false;  // the library has other definitions now
  Status redefined_;       // why it could not have them; alike on all ranks
  Running* running_ = nullptr;
  File* file_ = nullptr;  // the instance's; nullptr while the file is the library's alone
  bool given_up_ = false;
  std::int64_t records_ = 0;
  std::int64_t whole_records_ = -1;  // the file is as long as so many make it; -1: as the library leaves it
  std::int64_t end_ = 0;             // of all that was put
  bool afloat_ = false;
  bool unstored_ = false;           // it was let go of with data that no land() has brought to storage
  LoosePieces loose_;               // that have not landed
  RecordPieces pieces_;             // of a file that Weir makes
  std::int64_t kept_elements_ = 0;  // of the record that was put last in part, by all ranks
  ReadBack read_back_;
  std::int64_t former_records_ = 0;  // and variables, of a file that was there
  int former_variables_ = 0;
  std::map<int, Holding> holdings_;
  Counts counts_;
  std::vector<std::byte> room_;
};

}  // namespace weir::bridge
