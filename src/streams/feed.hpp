// SPDX-License-Identifier: Apache-2.0
// One stream that a program's file feeds. It makes fields of the variables that the program puts, and sends each put to
// the stream as a sample, at the time that the record's coordinate variable has:
//
//     put of time ──> times ─┐
//     put of sst ─ known? ───┴─> Streams::send()
//                  └ not yet: a copy waits
//
// A record may come in any order, and its time last. The stream starts when the first record is complete: all variables
// that it takes have been put, or one of them is put again, or the file is closed. Fields are the variables put by
// then, with the decomposition of that put; fixed variables put by then come along as fixed fields. Where the first
// record's time is the end of an interval, the run begins there, and that record is its initial state; else the run
// begins with the interval that the record lies in. Later files of the same pattern go on where the one before ended.
//
// Memory: a copy of what was put of each variable until its time is known, and of all of the first record.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "calendar/time_axis.hpp"
#include "formats/open_file.hpp"
#include "streams/streams.hpp"

namespace weir {

// Methods throw Error, alike on all ranks. After an error the stream takes nothing more: later puts are not its own,
// and finish() throws the first error once more.
// Thread: the thread of the rank's calls.
class Feed {
 public:
  // What a rank puts of a record. `values` are the caller's.
  struct Put {
    std::int64_t record;
    int layout;
    Type type;
    const std::byte* values;
  };

  Feed(const Context& context, const Comm& model, FileTable& files, StreamConfig config, const std::string& place,
       const std::string& folder);

  const StreamConfig& config() const noexcept { return config_; }
  bool is_of(const std::string& path) const { return names_path(config_.of, path); }
  bool keeps() const noexcept { return config_.keep.value_or(true); }
  // Whether a record has come; whether it takes nothing more after an error. Local.
  bool fed() const noexcept { return started_; }
  bool failed() const noexcept { return !failure_.ok(); }

  // Takes what was put into a variable of a file. Collective.
  // Errors: WEIR_EARGUMENT for a file whose records have no coordinate variable with units, a record without a time, a
  // variable that is put in several parts, or by another decomposition than before; as Streams::start() and send().
  void take(const OpenFile& file, int var, const Put& put);
  // Takes what waits of a file, and commits the stream's own. Collective.
  void end_source(const OpenFile& file);
  // Drops what waits of a file that has failed; another one may go on. Local.
  void forget_source(const OpenFile& file) noexcept;
  // As Streams::finish(). Collective.
  void finish();
  StreamsCounts counts() const { return streams_.counts(); }

 private:
  // A file of the program.
  struct Source {
    int serial;
    int time;  // the coordinate variable of its records
    TimeAxis axis;
    std::vector<int> fields;               // of each variable; `other`, or `to_come` until the start
    std::map<std::int64_t, double> times;  // of records
  };
  static constexpr int other = -1, to_come = -2;
  // A put that waits, with its values.
  struct Kept {
    int layout;
    Type type;
    std::vector<std::byte> values;
    bool in_parts = false;  // put more than once
  };
  // How a variable is decomposed.
  struct Decomposition {
    int of_program;  // the layout of the last put
    int own;         // a layout that the program cannot free; -1: a scalar
  };

  template <class Body>
  void unless_failed(Body body);
  Source& source_of(const OpenFile& file);
  bool takes(const Variable& variable) const;
  void take_variable(const OpenFile& file, Source& source, int var, const Put& put);
  bool first_record_is_complete(const OpenFile& file, const Source& source) const;
  void start(const OpenFile& file, Source& source);
  void start_streams(const Source& source, std::int64_t record);
  int define(const OpenFile& file, int var, const Kept& kept);
  void send_waiting(const OpenFile& file, Source& source);
  void send(const OpenFile& file, Source& source, int var, const Put& put);
  void require_decomposition(const OpenFile& file, int var, const Put& put);
  std::int64_t number_held(const Put& put) const;
  double shared_number(const OpenFile& file, int var, const Put& put) const;
  Kept copy(const Put& put) const;

  Context context_;
  const Comm& model_;
  StreamConfig config_;
  Streams streams_;
  bool started_ = false;
  std::optional<Source> source_;
  std::optional<TimeAxis> axis_;                          // of the stream: the first file's
  std::map<std::string, int> numbers_;                    // of the fields
  std::map<int, Decomposition> decompositions_;           // by field
  std::map<int, Kept> fixed_;                             // by variable, until the start
  std::map<std::pair<std::int64_t, int>, Kept> waiting_;  // by record and variable
  std::map<int, std::int64_t> newest_;                    // by variable, the last record
  Status failure_;
};

}  // namespace weir
