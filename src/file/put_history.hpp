// SPDX-License-Identifier: Apache-2.0
// What was put into a file, and the files of one instance as the report tells of them. Local.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/open_file.hpp"
#include "formats/output_file.hpp"
#include "schema/schema.hpp"

namespace weir {

// The files of one instance, as the report lists them: the last ones one by one, those before summed up, so that a run
// that writes very many files needs no more memory for them. Alike on all ranks but for bytes. Local.

class FileHistory {
 public:
  // Files that are not told one by one any more.
  struct Earlier {
    std::int64_t files = 0;
    std::int64_t records = 0;
    std::int64_t bytes_written = 0;  // by this rank
    double compress_seconds = 0;     // of its processor
    std::int64_t packing_bytes = 0;  // of its memory, at most, for one file
  };

  void add(const FileSummary& file);
  // The latest attachment to this file that was closed without an error; nullptr where there is none, or long ago.
  const FileSummary* attachment(const std::string& path) const;
  void remove(int serial) { last_.erase(serial); }

  const Earlier& earlier() const noexcept { return earlier_; }
  // By their numbers.
  const std::map<int, FileSummary>& last() const noexcept { return last_; }

 private:
  Earlier earlier_;
  std::map<int, FileSummary> last_;
};

// The history of a file's puts: which records are complete, which elements have values, and what a commit must fill.
// Pure, and alike on all ranks, since all of them put the same. A fixed variable is a variable of one record, 0. Local.

class PutHistory {
 public:
  // Of the variables of `schema`, which is the file's and outlives this.
  explicit PutHistory(const Schema& schema) : schema_(schema) {}

  // The file has so many records already; of them, those that no rank need fill any more.
  void start_with(std::int64_t records, std::int64_t committed) noexcept;
  // Definitions have ended. written_before: by a run of whose layouts no rank knows, which left no variable unput.
  void begin(bool written_before);
  // The schema has more variables, which no rank has put; all records are committed.
  void add_variables();
  // A put of all that the ranks hold. Whether it is the first that gives these elements values.
  bool add(int var, std::int64_t record, int layout);
  // Each put of a record holds all that earlier ones gave: what it leaves out is filled anew. Alike on all ranks.
  void fill_again() noexcept { fills_again_ = true; }
  // What was put has reached the file.
  void reached_library() noexcept;
  // So has all, and what no rank put was filled.
  void commit() noexcept;

  // Put or in the file.
  std::int64_t records() const noexcept { return records_; }
  // Of them, those that a commit has made visible, or the file had before.
  std::int64_t committed() const noexcept { return first_open_record_; }
  // Since the last commit. Then the earlier one must have reached the file first, perhaps by way of another writer.
  bool put_before(int var, std::int64_t record) const;
  // Whether every variable that has records has put this one.
  bool complete(std::int64_t record) const;
  // What holes of a put mean, in a file of this fill mode. in_chunks: the variable is written by whole chunks.
  weir_fill_mode cover(int var, std::int64_t record, int layout, weir_fill_mode fill, bool in_chunks) const;
  // What no rank put.
  std::vector<MissingRecord> missing_records() const;

 private:
  bool has_values(int var, std::int64_t record) const;
  // Of an open record of a variable that has records.
  bool is_put(std::size_t v, std::int64_t record) const {
    const auto at = static_cast<std::size_t>(record - first_open_record_);
    return at < put_[v].size() && put_[v][at];
  }

  static constexpr int not_put = -1, several_layouts = -2;
  const Schema& schema_;
  bool fills_again_ = false;
  std::int64_t records_ = 0;
  std::int64_t first_open_record_ = 0;  // records below are complete
  std::vector<std::vector<bool>> put_;  // of each variable: open records that were put; [0] for a fixed one
  std::set<std::pair<int, std::int64_t>> rewritten_;  // closed records that were put again
  std::vector<bool> fixed_complete_;                  // of each variable: a fixed one that was put or filled
  std::vector<int> put_by_;  // of each variable: the layout of all its puts since the file was made or opened
};

}  // namespace weir
