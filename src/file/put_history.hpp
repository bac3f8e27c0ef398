// SPDX-License-Identifier: Apache-2.0
// The history of a file's puts (PutHistory), which says what a commit must fill, and the list of an instance's files
// for the report (FileHistory). Local.
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

// The files of one instance, as the report lists them: the last 1000 one by one, earlier ones as a sum, so that memory
// does not grow with the number of files. Alike on all ranks, except bytes and seconds.
class FileHistory {
 public:
  // The sum of the earlier files.
  struct Earlier {
    std::int64_t files = 0;
    std::int64_t records = 0;
    std::int64_t bytes_written = 0;  // by this rank
    double compress_seconds = 0;     // of this rank's processor
    std::int64_t packing_bytes = 0;  // of this rank's memory, at most, for one file
  };

  void add(const FileSummary& file);
  // Returns the latest attachment to this path that closed without an error; nullptr if there is none among the last
  // files.
  const FileSummary* attachment(const std::string& path) const;
  void remove(int serial) { last_.erase(serial); }

  const Earlier& earlier() const noexcept { return earlier_; }
  // The last files, by serial number.
  const std::map<int, FileSummary>& last() const noexcept { return last_; }

 private:
  Earlier earlier_;
  std::map<int, FileSummary> last_;
};

// Knows which records are complete, which elements have values, and what a commit must fill. A fixed variable counts as
// a variable with one record, 0. Pure; alike on all ranks, since all ranks make the same puts.
class PutHistory {
 public:
  // `schema` is the file's, and outlives this.
  explicit PutHistory(const Schema& schema) : schema_(schema) {}

  // Sets the records that the file has, and how many of them are complete.
  void start_with(std::int64_t records, std::int64_t committed) noexcept;
  // Starts after the definitions have ended. `written_before`: an earlier run wrote the file; all its variables have
  // values.
  void begin(bool written_before);
  // Adds the variables that the schema has got since.
  // Requires: all records are committed.
  void add_variables();
  // Notes a put. Returns whether it is the first that gives these elements values.
  bool add(int var, std::int64_t record, int layout);
  // From now on a put that leaves holes fills them again, even where an earlier put gave values.
  // Requires: all ranks call it.
  void fill_again() noexcept { fills_again_ = true; }
  // Notes that all puts so far are in the file.
  void reached_library() noexcept;
  // Notes that all records are filled and committed.
  void commit() noexcept;

  // Records that were put, or that the file had.
  std::int64_t records() const noexcept { return records_; }
  // Records that a commit has made visible, or that the file had.
  std::int64_t committed() const noexcept { return first_open_record_; }
  // Whether the record was put since the last commit. The earlier put must then reach the file first, since another
  // rank may be its writer.
  bool put_before(int var, std::int64_t record) const;
  // Whether every record variable has put this record.
  bool complete(std::int64_t record) const;
  // Returns what a put does with elements that no rank holds, given the file's fill mode. `in_chunks`: the variable is
  // written in whole chunks.
  weir_fill_mode cover(int var, std::int64_t record, int layout, weir_fill_mode fill, bool in_chunks) const;
  // Returns the records and fixed variables that no rank has put, which a commit fills.
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
  std::vector<std::vector<bool>> put_;  // by variable: the open records that were put; [0] for a fixed variable
  std::set<std::pair<int, std::int64_t>> rewritten_;  // closed records that were put again
  std::vector<bool> fixed_complete_;                  // by variable: a fixed variable that was put or filled
  std::vector<int> put_by_;  // by variable: the layout of all its puts since the file was made or opened
};

}  // namespace weir
