// SPDX-License-Identifier: Apache-2.0
// One netCDF file, from its definitions to its close. Checks what the model says, keeps count of what was put, and
// hands puts to the pipeline. Methods follow weir.h, which states their contracts; they throw Error. Collective ones
// give all ranks the same error.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "base/trace.hpp"
#include "mpi/lead.hpp"
#include "pipeline/pipeline.hpp"
#include "plan/layouts.hpp"
#include "read/chunked_source.hpp"
#include "read/tile_source.hpp"
#include "write/definition.hpp"
#include "write/open_file.hpp"

namespace weir {

// What all files of one Weir share.
struct Context {
  const Config& config;
  const Comm& comm;
  Pipeline& pipeline;
  Layouts& layouts;
  Trace& trace;
  Lead& lead;
  const StorageClock* storage;  // nullptr: sinks are as fast as they can
};

// A file of another library.
struct Attached {
  std::string path;
  DefinedFile defined;
  std::map<std::string, std::string> hints;
  weir_fill_mode fill = WEIR_NOFILL;  // of elements of a put that no rank holds
};

// A mode of weir_create or weir_open in a sentence.
std::string mode_in_words(int mode);

class File {
 public:
  enum class State { defining, writing, reading, closed };
  // What is left to do of a file that is closed: its commit, or nothing, since its group has just committed it.
  enum class Ending { commits, is_committed };

  static std::unique_ptr<File> create(const Context& context, int serial, const std::string& path, int mode);
  static std::unique_ptr<File> open(const Context& context, int serial, const std::string& path, int mode);
  // A file that another library has laid out, as `defined`, and keeps: its header and record count stay as that library
  // leaves them, what is not put is not filled, and data go to the places of `defined`, the same on all ranks. Only
  // carry(), add(), land(), leave() and close() are for it. `former_bytes`: what was written while it was attached
  // before. No ranks meet, unless the sink or the advice wants it.
  static std::unique_ptr<File> attach(const Context& context, int serial, const Attached& attached,
                                      std::int64_t former_bytes);
  ~File();

  // Definitions. What is refused of them is kept and is all ranks' error at enddef; WEIR_ESTATE after enddef, and the
  // file then fails on all ranks where they meet next. Local.
  template <class Define>
  void define(Define define);
  void set_fill(weir_fill_mode mode);
  void set_alignment(const Alignment& alignment);
  void enddef();
  // A server takes over what rank 0 has defined.
  void adopt(const Told& definition);

  // This rank cannot make a put that others make. Returns what all ranks get where they meet next: `sentence`, with
  // this rank's number and, where it does not hold it, the file's path. Local.
  std::string fail(Code code, const std::string& sentence);
  void put(int var, std::int64_t record, int layout, Type type, const void* values);
  void put_box(int var, IndexView start, IndexView count, Type type, const void* values);
  void put_whole(int var, std::int64_t record, Type type, const void* values);
  // put() into an attached file: tells at once how many values of this rank did not fit. A plan that cannot be
  // (WEIR_EOVERLAP) is all ranks' error, and the file goes on without this put.
  RangeFailure carry(int var, std::int64_t record, int layout, Type type, const void* values);
  // Each put of a record that carry() gets holds all that earlier ones gave: what it leaves out is filled anew. Local,
  // alike on all ranks.
  void fill_again() noexcept { fills_again_ = true; }
  // Something of this record was put, and may not have reached the file yet. Local, alike on all ranks.
  bool put_before(int var, std::int64_t record) const;
  // Bytes in the form of the file, ascending and disjoint, go to their places in an attached file after what was
  // carried; land() follows, and tells where that failed. Collective: other ranks may have none.
  void add(std::span<const Extent> extents);
  // What was carried has reached the file, and, where `durable`, storage, whatever the configuration says. Collective.
  void land(bool durable);
  // Ends the attachment; what has not landed is given up. Local, called by all ranks.
  void leave();
  std::string plan_json(int var, int layout);
  void sync();
  // The end of the file: it may go afterwards, unless the error ends the instance (base/error.hpp): then a thread may
  // still be writing it.
  void close(Ending ending = Ending::commits);

  // Whether a commit of several files has something of it to publish: it is being written, and by Weir alone.
  bool takes_part() const noexcept { return state_ == State::writing && !file_.attached; }
  // A commit's two halves, around what makes it visible. The first fills what nobody put and brings what this rank
  // wrote to stable storage; collective where the file commits together. The second says that it is done. Alike on all
  // ranks.
  Status bring_to_storage();
  void end_commit();
  // That something did not fit its type, told once.
  Status take_range() { return std::exchange(range_, {}); }
  bool has_range() const noexcept { return !range_.ok(); }
  // All ranks fail the file. Local, called by all of them, while nothing of it is written.
  void fail_with(const Status& status) { file_.failure.merge({status.code, status.message, file_.serial}); }

  void get_box(int var, IndexView start, IndexView count, Type type, void* values) const;
  void get(int var, std::int64_t record, int layout, Type type, void* values);
  void get_box_all(int var, IndexView start, IndexView count, Type type, void* values);
  // get_box_all() of a rank that wants nothing.
  void get_nothing(int var, Type type);
  // Storage is asked for what get() of these variables would read. Collective.
  void prefetch(const std::vector<int>& vars, std::int64_t record, int layout);

  const Schema& schema() const noexcept { return file_.schema; }
  // Why there is no variable of this name, where the file has one that Weir does not take; else empty.
  std::string why_left_out(std::string_view variable) const;
  State state() const noexcept { return state_; }
  const OpenFile& open_file() const noexcept { return file_; }
  std::int64_t records() const noexcept { return records_; }
  // Of them, those that a commit has made visible, or the file had before.
  std::int64_t committed_records() const noexcept { return first_open_record_; }
  // Throws Error(WEIR_EARGUMENT) where there is none of this number.
  const Variable& variable(int var) const { return file_.schema.variables()[static_cast<std::size_t>(check_var(var))]; }
  int format() const noexcept { return geometry().format; }
  const std::string& path() const noexcept { return file_.path; }
  // nullopt of a file that was only read.
  std::optional<FileSummary> summary() const;

 private:
  File(const Context& context, int serial, const std::string& path);
  const Geometry& geometry() const noexcept;
  const FileIdentity& identity() const noexcept;
  Status commit_step(StorageCalls::Call step, const char* what, bool alone = false);
  OutputOptions output_options(bool append) const;
  Status resolve();
  DefinedFile read_definition_of(int mode);
  DefinedFile read_tables(const FileIdentity& identity);
  DefinedFile take_tables(StoredTables tables, int format, const FileIdentity& identity);
  void read_existing(int mode);
  void begin_writing(const Geometry* existing);
  void tell_definitions();
  void make_output(const OutputOptions& options, const Geometry* existing);
  void require_unpacked() const;
  Status take_format(int mode);
  void pack_by_rule();
  void require_defining();
  using Settings = std::array<std::int64_t, 4>;
  Settings settings() const noexcept;
  Status difference_from_rank_0(std::vector<std::byte>& definitions, std::string_view call);
  void require_writing(const char* call);
  void check_failure() const;
  void end_reading();
  void end_writing(Ending ending);
  void end_output(bool discards);
  int check_var(int var) const;
  void check_put(int var, std::int64_t record, const Layout& layout, Type type, const void* values) const;
  void check_types(int var, Type memory) const;
  std::string record_in_words(std::int64_t record) const;
  std::string put_of(int var) const;
  std::string put_box_of(int var) const;
  enum class Use { write, read };
  Granule read_granule(int var) const;
  bool has_values(int var, std::int64_t record) const;
  weir_fill_mode cover(int var, std::int64_t record, int layout) const;
  PlanKey key(int var, std::int64_t record, int layout, Use use = Use::write) const;
  void put_checked(int var, std::int64_t record, int layout, Type type, const void* values);
  RangeFailure put_counted(int var, std::int64_t record, int layout, Type type, const void* values);
  void remember(int var, std::int64_t record, int layout);
  void count(int var);
  bool complete(std::int64_t record) const;
  void note_range(int var, std::int64_t record, Type type, const RangeFailure& failure);
  struct BoxRecords {
    std::int64_t first, last;  // of a put, one past the last one
    int layout;
  };
  void check_box(int var, IndexView start, IndexView count, Type type, const void* values) const;
  void check_inside(int var, const Layouts::OwnBox& box) const;
  Layouts::OwnBox own_box(int var, IndexView start, IndexView count) const;
  BoxRecords agree_on_records(int var, const BoxRecords& mine);
  int add_own_box(const Layouts::OwnBox& box);
  std::vector<Unput> unput() const;
  void commit(std::string_view verb);
  void report_range(std::string_view call);
  void require_readable() const;
  void require_known_form(int var) const;
  void require_records(int var, std::int64_t first, std::int64_t last) const;
  std::string get_of(std::string_view call, int var) const;
  // As the record of a fixed variable has it.
  std::int64_t own_record(int var, std::int64_t record) const;
  void require_gettable(int var, std::int64_t record, int layout) const;
  template <class Check>
  Status checked(const std::string& call, Check check) const;
  BoxRecords compare_records(int var, const BoxRecords& mine, const std::string& call);
  struct WantedBox {
    Layouts::OwnBox box;
    BoxRecords records;
  };
  struct Target {
    Type type;
    void* values;
  };
  void get_boxes(int var, WantedBox wanted, const Status& status, const Target& target);
  void get_records(int var, const BoxRecords& wanted, const Target& target);
  std::shared_ptr<TileSource> source();
  std::shared_ptr<ChunkedSource> chunked_source(std::optional<Descriptor> opened) const;
  void end_source();
  void require_all_fit(int var, Type type, const RangeFailure& failure) const;
  RangeFailure read_stored_box(int var, IndexView start, IndexView count, Type type, void* values) const;
  void read(int var, std::int64_t record, const Layout& layout, Type type, void* values) const;
  [[noreturn]] void fail_here(const Error& error);

  Context context_;
  OpenFile file_;
  State state_ = State::defining;
  weir_fill_mode fill_ = WEIR_FILL;
  bool fills_again_ = false;
  Alignment alignment_;
  int format_asked_ = 0;
  struct Packing {
    CompressionKind kind = CompressionKind::none;
    int level = 1;
  };
  Packing packing_;                           // of a packed file's variables of which the program says nothing
  std::map<std::string, std::string> hints_;  // of an attached file, beside the configuration's
  bool commits_ = false;                      // the file exists under its name, so it can be read
  Geometry read_geometry_;                    // of a file that was opened
  FileIdentity read_identity_;
  std::int64_t read_stripe_bytes_ = 0;
  std::optional<Descriptor> opened_;                     // on rank 0, of a file to read: by it the header was read
  std::shared_ptr<TileSource> source_;                   // once all ranks read of it
  std::shared_ptr<const StoredTables> tables_;           // of a netCDF-4 or Zarr file that was opened
  mutable std::shared_ptr<ChunkedSource> source_alone_;  // of it, once this rank reads for itself
  std::int64_t records_ = 0;                             // put or in the file
  std::int64_t first_open_record_ = 0;                   // records below are complete
  std::vector<std::vector<bool>> put_;  // of each variable: open records that were put; [0] for a fixed one
  std::set<std::pair<int, std::int64_t>> rewritten_;  // closed records that were put again
  std::vector<bool> fixed_complete_;                  // of each variable: a fixed one that was put or filled
  static constexpr int not_put = -1, several_layouts = -2;
  std::vector<int> put_by_;  // of each variable: the layout of all its puts since the file was made or opened
  Status refused_;           // the first call that nobody else need have made
  Status range_;
  std::optional<FileSummary> last_summary_;  // of a closed file
  std::int64_t former_bytes_ = 0;            // written while it was attached before
};

template <class Define>
void File::define(Define define) {
  require_defining();
  try {
    define(file_.schema);
  } catch (const Error& error) {
    refused_.merge({error.code(), file_.path + ": " + error.what(), file_.serial});
    throw Error(error.code(), file_.path + ": " + error.what(), error.where());
  }
}

}  // namespace weir
