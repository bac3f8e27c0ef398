// SPDX-License-Identifier: Apache-2.0
// One file that all writers share.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "formats/classic/extents.hpp"
#include "formats/classic/visible.hpp"
#include "formats/output_file.hpp"
#include "plan/file_runs.hpp"
#include "storage/filesystem.hpp"
#include "storage/past_cache.hpp"
#include "storage/storage_calls.hpp"

namespace weir {

namespace {

// For the report.
std::string words_of(SinkReason reason, bool direct_asked, const std::string& where) {
  switch (reason) {
    case SinkReason::asked:
      break;
    case SinkReason::coherent:
      return formatted("pwrite is coherent on {}", where);
    case SinkReason::incoherent:
      return formatted("{}pwrite from several hosts is not coherent on {}",
                       direct_asked ? "direct was asked for, but " : "", where);
    case SinkReason::collective:
      return "collective writes by MPI-IO";
    case SinkReason::lines:
      return formatted("MPI-IO joins the short runs of process rows and columns on {}", where);
  }
  return "asked for";
}

// The smallest whole blocks that go past the page cache; 0: none do. Of itself where no rank waits for them but a
// thread, and a commit waits for the storage anyway: a model that writes in its own calls is back sooner through the
// cache.
std::int64_t past_cache_wanted(const Config& config, SinkKind kind, const FileSystem& system) {
  constexpr std::int64_t worth_it_bytes = 256LL << 10;
  if (kind != SinkKind::direct || config.page_cache == PageCacheKind::through) return 0;
  if (config.page_cache == PageCacheKind::past) return fewest_aligned_bytes;
  const bool in_background = config.overlap == OverlapKind::background && config.durability == Durability::storage;
  return in_background && system.past_cache ? worth_it_bytes : 0;
}

}  // namespace

SinkChoice choose_sink(const Config& config, int hosts, const FileSystem& system) {
  const std::int64_t stripe = stripe_bytes_of(config, system.stripe_bytes);
  const bool local = !system.shared_between_hosts;
  const SinkRule rule = sink_for(config, hosts, local, system.coherent);
  const std::string where = system.name + (hosts == 1 ? ", one host" : formatted(", {} hosts", hosts));
  return {rule.kind, words_of(rule.reason, config.sink == SinkKind::direct, where), stripe, local,
          past_cache_wanted(config, rule.kind, system)};
}

namespace {

constexpr std::int64_t fill_step_bytes = 256 << 20;  // one write of one rank, at the most

// What rank 0 tells of the file: where it is, and by which sink it is written. A rank whose working folder is another
// one could find neither by a relative path.
struct FileInfo {
  FileIdentity identity;
  SinkChoice choice;
  std::string path, written_path;
  Geometry geometry;
};
void fields(auto& archive, Either<FileInfo> auto& info) {
  archive(info.identity, info.path, info.written_path, info.geometry);
  archive(info.choice.kind, info.choice.reason, info.choice.stripe_bytes, info.choice.own_disk,
          info.choice.past_cache_bytes);
}

class SharedFile final : public OutputFile {
 public:
  SharedFile(const OutputOptions& options, const Schema& schema, const Geometry* existing)
      : config_(options.config),
        comm_(options.comm),
        writers_(options.writers),
        schema_(schema),
        path_(options.path),
        written_path_(path_),
        wait_{config_->timeout_seconds, options.watch},
        hints_(io_hints(*config_, options.hints)),
        committed_(options.append) {
    if (existing) geometry_ = *existing;
    if (options.fill == WEIR_FILL && !options.attached) extents_.pad(schema);
    try {
      if (options.attached)
        find_file(options);
      else
        make_file(options);
      open_sink(options);
    } catch (...) {
      discard();  // of a file that no rank has nothing stays
      throw;
    }
  }

  bool collective() const noexcept override { return sink_->collective(); }
  bool commits_together() const noexcept override { return sink_->collective(); }
  bool one_at_a_time() const noexcept override { return weir::one_at_a_time(choice_.kind, choice_.own_disk); }
  const Geometry& geometry() const noexcept override { return geometry_; }
  std::string sink_reason() const override {
    const std::string remark = sink_->remark();
    return choice_.reason + (remark.empty() ? "" : "; " + remark);
  }
  SinkKind sink_kind() const noexcept override { return choice_.kind; }
  bool past_page_cache() const noexcept override { return choice_.past_cache_bytes > 0; }
  std::int64_t stripe_bytes() const noexcept override { return choice_.stripe_bytes; }
  std::int64_t bytes_written() const noexcept override { return extents_.bytes_written(); }

  Status write(std::span<const ReadyTile> tiles) override {
    for (const ReadyTile& tile : tiles) extents_.add(tile, geometry_.first_byte(tile.var, tile.record));
    return extents_.write(*sink_);
  }

  Status write(std::span<const Extent> extents) override {
    for (const Extent& extent : extents) extents_.add(extent);
    return extents_.write(*sink_);
  }

  Status fill(std::span<const MissingRecord> missing_records) override {
    Status status;
    for (const MissingRecord& hole : missing_records) {
      const int size = type_bytes(schema_.variables()[static_cast<std::size_t>(hole.var)].type);
      const std::int64_t bytes = schema_.elements(hole.var) * size;
      extents_.set_fill(schema_.fill_value(hole.var), size, schema_.elements(hole.var));
      if (comm_.rank() == writers_.back()) extents_.add_padding(hole.var, geometry_.first_byte(hole.var, hole.record));
      const std::int64_t step = fill_step_bytes * static_cast<std::int64_t>(writers_.size());
      for (std::int64_t done = 0; done < bytes; done += step)
        status.merge(fill_step(geometry_.first_byte(hole.var, hole.record) + done, std::min(step, bytes - done), size));
    }
    return status;
  }

  Status make_durable(Durability wanted) override {
    return wanted == Durability::storage ? sink_->make_durable() : Status{};
  }

  bool uses_storage() const noexcept override { return leaves_a_file(); }

  Status check_name() const override {
    if (comm_.rank() != 0 || !leaves_a_file()) return {};
    return check_same(written_path_, identity_);
  }

  const FileIdentity& identity() const noexcept override { return identity_; }

  Status publish(std::int64_t records) override {
    if (file_)
      if (Status status = file_->publish(geometry_, records); !status.ok()) return status;
    published(records);
    return {};
  }

  bool publishes_in_steps() const noexcept override { return true; }
  Status prepare_publish(std::int64_t records, std::vector<PublishStep>& steps) override {
    return file_ ? file_->prepare(geometry_, records, steps) : Status{};
  }
  void published(std::int64_t records) override {
    if (file_) file_->published();
    geometry_.records = records;
    if (!committed_) sink_->renamed(path_);
    written_path_ = path_;
    committed_ = true;
  }

  void discard() noexcept override {
    sink_.reset();
    if (file_) file_->discard();
  }

 private:
  bool leaves_a_file() const { return !keeps_nothing(choice_.kind); }

  // Another library's: no ranks agree.
  void find_file(const OutputOptions& options) {
    const auto look = [path = path_] { return std::pair(inspect_file_system(path), identity_of(path)); };
    const auto [system, identity] = options.calls.get(look, formatted("inspection of {}", path_));
    choice_ = choose_sink(*config_, options.hosts, system);
    identity_ = identity;
    try_past_cache(options);
  }

  // Of the file, which is there: whether it takes what is wanted.
  void try_past_cache(const OutputOptions& options) {
    if (choice_.past_cache_bytes == 0) return;
    const auto look = [path = written_path_] { return PastCache::obstacle(path); };
    const auto obstacle = options.calls.get(look, formatted("inspection of {}", written_path_));
    if (obstacle) choice_.past_cache_bytes = 0;
    choice_.reason +=
        obstacle ? formatted("; through the page cache: {}", *obstacle) : "; large tiles past the page cache";
  }

  // Rank 0 makes the file, or takes hold of it; the others learn its names, which file it is, how it is written and
  // where everything is, or why there is none.
  void make_file(const OutputOptions& options) {
    const auto make = [&] {
      take_hold(options);
      return FileInfo{identity_, choice_, path_, written_path_, geometry_};
    };
    const FileInfo info = made_by_0(comm_, make, wait_, committed_ ? "weir_open" : "weir_enddef");
    identity_ = info.identity.among(options.hosts);
    choice_ = info.choice;
    path_ = info.path;
    written_path_ = info.written_path;
    geometry_ = info.geometry;
  }

  void take_hold(const OutputOptions& options) {
    const auto inspect = [path = path_] { return inspect_file_system(path); };
    choice_ = choose_sink(*config_, options.hosts,
                          options.calls.get(inspect, formatted("querying the file system of {}", path_)));
    if (options.append) {
      const std::int64_t records = options.records.value_or(geometry_.records);
      const auto open = [path = path_, geometry = geometry_, records, durability = config_->durability] {
        return VisibleFile(path, geometry, records, durability);
      };
      file_ = options.calls.get(open, formatted("opening {}", path_));
      geometry_.records = records;
    } else {
      const DefinedHeader header = define_header(path_, schema_, options.alignment, options.format);
      geometry_ = header.geometry;
      if (!leaves_a_file()) return;
      const auto make = [path = path_, header, durability = config_->durability] {
        return VisibleFile(path, header, durability);
      };
      file_ = options.calls.get(make, formatted("making {}", path_));
    }
    identity_ = file_->identity();
    written_path_ = file_->written_path();
    try_past_cache(options);
  }

  void open_sink(const OutputOptions& options) {
    SinkOptions how{written_path_, config_->durability, hints_, identity_, begin_share()};
    how.wait = wait_;
    how.calls = &options.calls;
    how.stripe_bytes = choice_.stripe_bytes;
    how.past_cache_bytes = choice_.past_cache_bytes;
    if (options.machine)
      how.aggregators =
          choose_writers(*options.machine, joining_ranks(hints_, options.machine->hosts(), comm_.size()), 1);
    sink_ = make_sink(choice_.kind, comm_, how);
  }

  // Writers of several hosts begin at different places, so that not all of them write to one server of a striped
  // storage at a time.
  double begin_share() const {
    const auto mine = std::find(writers_.begin(), writers_.end(), comm_.rank());
    if (choice_.own_disk || mine == writers_.end()) return 0;
    return static_cast<double>(mine - writers_.begin()) / static_cast<double>(writers_.size());
  }

  // This rank's share of `bytes` bytes of fill value from `begin` on.
  Status fill_step(std::int64_t begin, std::int64_t bytes, int element_bytes) {
    const auto mine = std::find(writers_.begin(), writers_.end(), comm_.rank());
    if (mine != writers_.end()) {
      const std::int64_t w = mine - writers_.begin(), count = static_cast<std::int64_t>(writers_.size());
      const std::int64_t all = bytes / element_bytes;
      const std::int64_t first = all * w / count * element_bytes, last = all * (w + 1) / count * element_bytes;
      extents_.add_fill(begin + first, last - first);
    }
    return extents_.write(*sink_);
  }

  std::shared_ptr<const Config> config_;
  const Comm& comm_;
  std::vector<int> writers_;
  const Schema& schema_;
  std::string path_, written_path_;  // written_path_: its name now; path_ once it is visible
  WaitLimit wait_;
  std::optional<VisibleFile> file_;  // what rank 0 publishes at a commit
  FileIdentity identity_;
  std::map<std::string, std::string> hints_;
  bool committed_;
  SinkChoice choice_;
  Geometry geometry_;
  std::unique_ptr<Sink> sink_;
  Extents extents_;
};

}  // namespace

std::unique_ptr<OutputFile> make_shared_file(const OutputOptions& options, const Schema& schema,
                                             const Geometry* existing) {
  return std::make_unique<SharedFile>(options, schema, existing);
}

}  // namespace weir
