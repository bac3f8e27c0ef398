// SPDX-License-Identifier: Apache-2.0
// One file that all writers share.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "base/quantity.hpp"
#include "mpi/agree.hpp"
#include "write/extents.hpp"
#include "write/filesystem.hpp"
#include "write/output_file.hpp"
#include "write/visible.hpp"

namespace weir {

namespace {

// For the report.
std::string words_of(SinkReason reason, bool direct_asked, const std::string& where) {
  switch (reason) {
    case SinkReason::asked:
      break;
    case SinkReason::coherent:
      return "pwrite is coherent on " + where;
    case SinkReason::incoherent:
      return (direct_asked ? "direct was asked for, but " : "") +
             ("pwrite from several hosts is not coherent on " + where);
    case SinkReason::collective:
      return "collective writes by MPI-IO";
    case SinkReason::lines:
      return "MPI-IO joins the short runs of process rows and columns on " + where;
  }
  return "asked for";
}

}  // namespace

SinkChoice choose_sink(const Config& config, int hosts, const FileSystem& system) {
  const std::int64_t stripe = config.stripe_bytes > 0 ? config.stripe_bytes : system.stripe_bytes;
  const bool local = !system.shared_between_hosts;
  const SinkRule rule = sink_for(config, hosts, local, system.coherent);
  const std::string where = system.name + (hosts == 1 ? ", one host" : ", " + std::to_string(hosts) + " hosts");
  return {rule.kind, words_of(rule.reason, config.sink == SinkKind::direct, where), stripe, local};
}

namespace {

constexpr std::int64_t fill_step_bytes = 256 << 20;  // one write of one rank, at the most

class SharedFile final : public OutputFile {
 public:
  SharedFile(const OutputOptions& options, const Schema& schema, const Geometry* existing)
      : config_(options.config),
        comm_(options.comm),
        writers_(options.writers),
        schema_(schema),
        path_(options.path),
        file_{path_, path_, config_.durability},
        storage_(options.storage),
        hints_(config_.hints),
        committed_(options.append) {
    hints_.insert(options.hints.begin(), options.hints.end());
    // ROMIO would see that runs lie between each other, and join them, only where the writers are ranks in a row.
    if (by_lines(config_)) hints_.try_emplace("romio_cb_write", "enable");
    choice_ = choose_sink(config_, options.hosts, inspect_file_system(path_));
    if (existing) {
      geometry_ = *existing;
    } else {
      define(options);
    }
    open_sink();
  }

  bool collective() const noexcept override { return sink_->collective(); }
  bool one_at_a_time() const noexcept override {
    return choice_.kind == SinkKind::direct && choice_.own_disk && !storage_;
  }
  const Geometry& geometry() const noexcept override { return geometry_; }
  std::string sink_reason() const override {
    if (!storage_) return choice_.reason;
    return choice_.reason + "; sink_bandwidth lets " + show_bytes(config_.sink_bandwidth) + " a second through";
  }
  SinkKind sink_kind() const noexcept override { return choice_.kind; }
  std::int64_t stripe_bytes() const noexcept override { return choice_.stripe_bytes; }
  std::int64_t bytes_written() const noexcept override { return extents_.bytes_written(); }

  Status write(std::span<const ReadyTile> tiles) override {
    for (const ReadyTile& tile : tiles) extents_.add(tile, first_byte(tile.var, tile.record));
    return extents_.write(*sink_);
  }

  Status write(std::span<const Extent> extents) override {
    for (const Extent& extent : extents) extents_.add(extent);
    return extents_.write(*sink_);
  }

  Status fill(std::span<const Unput> unput) override {
    Status status;
    for (const Unput& hole : unput) {
      const int size = type_bytes(schema_.variables()[static_cast<std::size_t>(hole.var)].type);
      const std::int64_t bytes = schema_.elements(hole.var) * size;
      extents_.set_fill(schema_.fill_value(hole.var), size, schema_.elements(hole.var));
      const std::int64_t step = fill_step_bytes * static_cast<std::int64_t>(writers_.size());
      for (std::int64_t done = 0; done < bytes; done += step)
        status.merge(fill_step(first_byte(hole.var, hole.record) + done, std::min(step, bytes - done), size));
    }
    return status;
  }

  Status make_durable() override { return sink_->make_durable(); }

  Status show(std::int64_t records) override {
    if (comm_.rank() == 0 && leaves_a_file())
      if (Status status = weir::show(file_, geometry_, records); !status.ok()) return status;
    geometry_.records = records;
    if (!committed_) sink_->renamed(path_);
    committed_ = true;
    return {};
  }

  void discard() noexcept override {
    sink_.reset();
    if (!committed_ && comm_.rank() == 0) ::unlink(file_.written_path.c_str());
  }

 private:
  bool leaves_a_file() const { return choice_.kind == SinkKind::direct || choice_.kind == SinkKind::pnetcdf; }

  // Rank 0 defines the file; the others learn its name and where everything is, or why there is no file.
  void define(const OutputOptions& options) {
    std::uint32_t token = 0;
    std::vector<std::byte> told(sizeof token);
    Status status;
    if (comm_.rank() == 0) {
      try {
        remove_leftovers(path_);
        token = std::random_device()();
        std::memcpy(told.data(), &token, sizeof token);
        const auto places =
            serialize(define_file(partial_name(path_, token), schema_, options.alignment, options.format));
        told.insert(told.end(), places.begin(), places.end());
      } catch (const Error& error) {
        status = {error.code(), error.what(), -1};
      }
    }
    const Deadline deadline(config_.timeout_seconds);
    broadcast_from_0(comm_, status, told, deadline, "weir_enddef");
    status.raise();
    std::memcpy(&token, told.data(), sizeof token);
    file_.written_path = partial_name(path_, token);
    geometry_ = deserialize_geometry(std::span(told).subspan(sizeof token));
  }

  void open_sink() {
    Status status;
    try {
      sink_ = make_sink(choice_.kind, comm_, {file_.written_path, config_.durability, hints_, storage_, begin_share()});
    } catch (const Error& error) {
      status = {error.code(), error.what(), -1};
    }
    if (comm_.rank() == 0 && !leaves_a_file()) ::unlink(file_.written_path.c_str());
    if (choice_.kind != SinkKind::pnetcdf) return status.raise();  // the others open nothing yet
    const std::string call = "opening of " + path_;
    status = agree(comm_, {3, mix(0, path_), call, nullptr}, status, Deadline(config_.timeout_seconds));
    if (!status.ok() && !committed_ && comm_.rank() == 0) ::unlink(file_.written_path.c_str());
    status.raise();
  }

  // Writers of several hosts begin at different places, so that not all of them write to one server of a striped
  // storage at a time.
  double begin_share() const {
    const auto mine = std::find(writers_.begin(), writers_.end(), comm_.rank());
    if (choice_.own_disk || mine == writers_.end()) return 0;
    return static_cast<double>(mine - writers_.begin()) / static_cast<double>(writers_.size());
  }

  std::int64_t first_byte(int var, std::int64_t record) const {
    return geometry_.begin[static_cast<std::size_t>(var)] + record * geometry_.record_bytes;
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

  const Config& config_;
  const Comm& comm_;
  std::vector<int> writers_;
  const Schema& schema_;
  std::string path_;
  VisibleFile file_;  // what rank 0 shows at a commit
  const StorageClock* storage_;
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
