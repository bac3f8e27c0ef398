// SPDX-License-Identifier: Apache-2.0
// The streams of one instance: fields come in, files go out. A stream puts what has been accumulated as any program
// puts a record, so all that is promised of files holds of its files. bindings/ call it.
//
//     send ──> takes? ──> fold into accumulators ──> the interval ends: File::puts() ──> the path of every put
//
// streams/stream_plan.hpp puts configuration and fields together, streams/stream.hpp is one sequence of files at run
// time, streams/restart_file.hpp keeps intervals that are not finished.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "file/file_table.hpp"
#include "streams/field_definitions.hpp"
#include "streams/sent_parts.hpp"
#include "streams/stream.hpp"
#include "streams/stream_config.hpp"
#include "streams/stream_counts.hpp"

namespace weir {

// All methods throw Error, alike on all ranks unless a method says otherwise.
// Thread: the thread of the rank's calls.
class Streams {
 public:
  // `model`: the ranks that send, without servers. `folder`: where relative paths begin. The references outlive this.
  Streams(const Context& context, const Comm& model, FileTable& files, StreamsConfig config, std::string folder);

  // What the model defines before start().
  // Errors: WEIR_ESTATE after start().
  FieldDefinitions& definitions();
  // Ends the definitions, and begins the streams that the configuration asks for.
  // Collective.
  // Errors: WEIR_ESTATE if called twice; WEIR_EARGUMENT, WEIR_ECONFIG for what does not fit together; WEIR_EMISMATCH
  // if ranks differ; WEIR_EMEMORY if accumulators need more memory than the host has. Nothing has been written then.
  void start(std::string_view units, std::string_view calendar, double start);

  // Takes a field's values at a time, which may be used again on return.
  // Requires: `field` and `time` are the same on all ranks, which send in the same order.
  // Collective. Waits for no rank, unless it ends an interval: then as Puts::put(), and as FileTable::create() and
  // close() where a file begins or ends.
  // Errors: WEIR_EARGUMENT as Stream::takes(), and for times that do not ascend; nothing has changed then.
  void send(int field, double time, Type type, const void* values);
  // Whether a stream has a use for the field at this time. Local.
  bool wanted(int field, double time) const;

  // Commits all files of the instance as one, with the restart file of the streams. Collective. Errors: as
  // FileTable::sync_all().
  void sync_all();
  // Commits the files of the streams alone. Collective.
  void sync_own();
  // Ends all streams: keeps or writes unfinished intervals, as the configuration says, and closes their files.
  // Collective. Errors: the first one, also of sends before, after all files were closed.
  void finish();
  // What has been done so far: an entry a stream, also where the streams have not begun. Local.
  StreamsCounts counts() const;

 private:
  // An output of a stream that takes a field.
  struct Target {
    Stream* stream;
    Stream::Output* output;
  };

  void require_started(const char* call) const;
  void agree(AgreementPoint point, std::uint64_t signature, const std::function<std::vector<std::string>()>* history,
             Status mine) const;
  std::vector<double> coordinate_values(int field) const;
  void begin_or_go_on(Instant begin);
  void remove_later_files() const;
  void begin_streams(std::vector<PlannedFile> plans);
  static Missing missing(const Field& field, Type type);
  void require_memory(const std::vector<PlannedFile>& plans) const;
  std::optional<std::string> restart_path(Instant time) const;
  void fold(const std::vector<Target>& targets, const Sample& sample);
  File* keep_unfinished();
  void commit(File* kept);
  void check_expected() const;

  Context context_;
  const Comm& model_;
  FileTable& files_;
  StreamsConfig config_;
  std::string folder_;
  FieldDefinitions definitions_;
  const Fields& fields_;  // of definitions_
  SentParts parts_;
  std::optional<TimeAxis> axis_;
  std::optional<StreamContext> shared_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::vector<Target>> targets_;  // of each field
  std::vector<Instant> last_;                 // each field's last sample, or the run's start
  std::vector<Type> sent_;                    // the type of each field's last sample; 0: none has come
  std::vector<Missing> missing_;              // which samples of each field are missing, in that type
  Instant latest_ = 0;                        // the last sample of any field
  std::int64_t bytes_sent_ = 0;               // of StreamsCounts
  Status failure_;                            // the first of a send
};

}  // namespace weir
