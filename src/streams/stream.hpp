// SPDX-License-Identifier: Apache-2.0
// One sequence of files of a stream while the model runs: it folds samples into accumulators, and puts what an interval
// gives as a record of its file, as any program puts. streams/streams.hpp hands it the samples.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "accumulate/accumulator.hpp"
#include "calendar/interval.hpp"
#include "file/file_table.hpp"
#include "streams/field.hpp"
#include "streams/sent_parts.hpp"
#include "streams/stream_counts.hpp"
#include "streams/stream_plan.hpp"

namespace weir {

// What all streams of an instance share. All members outlive the streams.
struct StreamContext {
  const Context& context;
  FileTable& files;
  const Comm& model;  // the ranks that send
  const Fields& fields;
  const TimeAxis& axis;
  Instant begun;       // when the first run began
  Instant start;       // when this run began
  bool goes_on;        // from a restart
  std::string folder;  // where relative paths begin
  const SentParts& parts;

  std::string absolute(const std::string& path) const { return path.starts_with('/') ? path : folder + "/" + path; }
};

// A field's values at a time, in the model's memory.
struct Sample {
  Instant time;
  Instant before;  // of the field's sample before this one, or the run's start
  Type type;
  const void* values;  // by the field's layout
  Missing missing;
};

// All methods throw Error. Thread: the thread of the rank's calls.
class Stream {
 public:
  // The interval of an output that samples go into; the same on all ranks.
  struct Open {
    bool is = false;
    Instant begin = 0;
    Instant end = 0;           // of an interval in steps: of its last sample so far
    std::int64_t samples = 0;  // of an interval in steps
    Instant last = 0;          // its last sample
  };
  static constexpr Instant uneven = -1, unknown_begin = std::numeric_limits<Instant>::min();
  // An output at run time.
  struct Output {
    PlannedOutput plan;
    const SentPart* part;                      // of the field, as kept
    std::unique_ptr<Accumulator> accumulator;  // none: instants
    Open open;
    Instant step = 0;   // between the samples of its last interval; 0: none has come; `uneven`: they differ
    Instant since = 0;  // the end of the interval before; the begin of the next one in steps
  };

  // `outputs` are in the order of `plan.outputs`.
  Stream(const StreamContext& shared, PlannedFile plan, std::vector<Output> outputs);

  const PlannedFile& plan() const noexcept { return plan_; }
  std::vector<Output>& outputs() noexcept { return outputs_; }

  // Whether the output has a use for a sample at this time; if so, and a record cannot come of it any more, the error.
  // Changes nothing. Local.
  // Errors: WEIR_EARGUMENT for a sample that passes the end of its interval, or that comes too late for its record.
  bool takes(const Output& output, Instant time) const;
  // Whether the output makes something of a sample at this time: an interval in steps counts all of them. Local.
  bool wants(const Output& output, Instant time) const;
  // Notes that a sample goes into the output's interval, opening it where none is open, and returns the accumulator to
  // fold it into, and its weight; nullptr for instants.
  // Requires: takes(). Local.
  struct Folding {
    Accumulator* accumulator;
    double weight;
  };
  Folding begin(Output& output, const Sample& sample);
  // Puts the interval's record, where the sample was its last. Does nothing otherwise.
  // Collective where it puts. Errors: as Puts::put() and FileTable::create().
  void end(Output& output, const Sample& sample);
  // Once a record of the output is put: whether all ranks kept all values within max_error.
  // Collective where the output has a bound. Errors: WEIR_ERANGE, the same on all ranks.
  void check_error(const Output& output) const;
  // Puts what unfinished intervals have so far, if the stream wants that. Collective. Errors: as end(), check_error().
  void end_unfinished();
  // Whether the run has made as many records as the configuration expects. Local.
  // Errors: WEIR_ESTATE.
  void check_expected() const;
  // Closes the file. Collective.
  void close();
  // The file, or nullptr.
  File* file() const noexcept { return file_; }
  // Adds what this sequence has done. Local.
  void add_to(StreamCounts& counts) const noexcept;
  // Of the stream in the configuration.
  const std::string& name() const noexcept { return plan_.stream.name; }

  // Where the sequence is, for a restart.
  struct Place {
    std::string path;          // of its newest file, as the pattern gives it
    std::int64_t records = 0;  // of that file; 0: it is not open
    Instant last_end = 0;      // of its last record
    Instant label = 0;         // the date in its name
    bool any = false;          // a record was written
  };
  Place place() const;
  // Returns the paths of files of a split that begin after place(), or of all files of the sequence if place() has
  // none: an earlier run, which went beyond the restart file, made them. None before go_on(). Reads folders. Local.
  std::vector<std::string> later_files() const;
  // Goes on where a run before has been: opens the file at its records. Collective.
  void go_on(const Place& place);

 private:
  class CountedPuts;
  Instant stream_begin() const noexcept;
  bool in_range(Instant time) const noexcept;
  std::optional<std::int64_t> known_record(Instant end) const noexcept;
  std::int64_t record_of(Instant end, Instant begin);
  void begin_file(Instant end, Instant begin);
  bool needs_file(Instant end) const;
  bool commits_before(Instant end) const;
  Instant label_of(Instant end, Instant begin) const;
  void put_time(std::int64_t record, Instant end, Instant begin);
  void put_result(Output& output, std::int64_t record);
  void put_instant(Output& output, std::int64_t record, const Sample& sample);
  void reduce(PlannedOutput& output, std::span<double> values) const;
  void put_values(Output& output, std::int64_t record, std::vector<double>& values);
  template <class Whole>
  std::optional<std::vector<Whole>> whole_numbers(const Output& output, std::span<const double> values) const;
  void put_part(const Output& output, std::int64_t record, Type type, const void* values);
  std::optional<Interval> common_step() const;
  void put_fixed();
  void put_kept(int variable, std::int64_t record, const Field& field, const KeptIndices& kept, Type type,
                const void* values);
  int in_file(int variable) const { return in_file_[static_cast<std::size_t>(variable)]; }

  StreamContext shared_;
  PlannedFile plan_;
  std::vector<Output> outputs_;
  std::optional<Boundaries> boundaries_;         // none: an interval in steps
  std::optional<Boundaries> split_boundaries_;   // none: files do not end with time
  std::optional<Boundaries> commit_boundaries_;  // none: commits come after a number of records
  File* file_ = nullptr;
  std::vector<int> in_file_;  // the number in the file of each variable of the plan
  std::string path_;
  Instant label_ = 0;
  std::int64_t first_known_ = 0;  // the number of the first record in ends_
  std::vector<Instant> ends_;     // of the records of the file that this run knows, ascending
  std::vector<Instant> begins_;   // of the same
  Instant last_end_ = 0;
  bool any_ = false;
  bool went_on_ = false;                                  // from a run before
  std::int64_t files_ = 0, records_ = 0, bytes_put_ = 0;  // of StreamCounts
  std::vector<double> values_;                            // of one put
};

}  // namespace weir
