// SPDX-License-Identifier: Apache-2.0
// A file of its own for every rank that owns tiles (CFIO2's table 1: file per process, file per domain; merged by weir
// merge). A part's header lists what has been put so far; when a new variable comes, the part is laid out anew beside
// the old one, which stays as it was until the next commit.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/descriptor.hpp"
#include "mpi/agree.hpp"
#include "write/extents.hpp"
#include "write/part_schema.hpp"
#include "write/trouble.hpp"
#include "write/visible.hpp"

namespace weir {

namespace {

constexpr std::int64_t chunk_bytes = 1 << 20;

std::string part_name(const std::string& path, int rank) {
  char number[16];
  std::snprintf(number, sizeof number, ".%04d", rank);
  return path + number;
}

class PartFile final : public OutputFile {
 public:
  PartFile(const OutputOptions& options, const Schema& schema)
      : config_(options.config),
        comm_(options.comm),
        whole_(schema),
        alignment_(options.alignment),
        path_(options.path),
        file_{part_name(path_, comm_.rank()), partial_name(part_name(path_, comm_.rank())), config_.durability},
        storage_(options.storage),
        part_(schema, comm_.rank(), comm_.size(), options.format) {
    Status status;
    if (comm_.rank() == 0) status = lay_out();  // so that at least one part tells of the whole
    const std::string call = "creation of " + path_;
    agree(comm_, {4, mix(0, path_), call, nullptr}, status, Deadline(config_.timeout_seconds)).raise();
  }

  bool collective() const noexcept override { return false; }
  const Geometry& geometry() const noexcept override { return no_places_; }
  std::string sink_reason() const override { return "a file a rank"; }
  SinkKind sink_kind() const noexcept override {
    return config_.sink == SinkKind::null ? SinkKind::null : SinkKind::direct;
  }
  std::int64_t stripe_bytes() const noexcept override { return 0; }
  std::int64_t bytes_written() const noexcept override { return extents_.bytes_written(); }

  Status write(std::span<const ReadyTile> tiles) override {
    bool grown = false;
    for (const ReadyTile& tile : tiles) grown = part_.add(tile.var, *tile.plan) || grown;
    if (grown)
      if (Status status = lay_out(); !status.ok()) return status;
    for (const ReadyTile& tile : tiles) {
      written_records_ = std::max(written_records_, tile.record + 1);
      extents_.add(tile, first_byte(part_.part_variable(tile.var), tile.record));
    }
    return extents_.write(*sink_);
  }

  Status fill(std::span<const Unput> unput) override {
    Status status;
    for (const Unput& hole : unput) {
      const int var = part_.part_variable(hole.var);
      if (var < 0) continue;
      const int size = type_bytes(part_.schema().variables()[static_cast<std::size_t>(var)].type);
      const std::int64_t count = part_.schema().elements(var);
      extents_.set_fill(whole_.fill_value(hole.var), size, count);
      extents_.add_fill(first_byte(var, hole.record), count * size);
      status.merge(extents_.write(*sink_));
    }
    return status;
  }

  Status make_durable() override {
    std::int64_t parts = sink_ ? 1 : 0;
    allreduce_sum(comm_, std::span(&parts, 1), Deadline(config_.timeout_seconds), "weir_sync");
    if (!sink_) return {};
    Status status = write_number(part_.parts_variable(), 0, parts, 4);
    status.merge(sink_->make_durable());
    return status;
  }

  Status show(std::int64_t records) override {
    if (!sink_ || sink_kind() != SinkKind::direct) return {};
    if (Status status = weir::show(file_, places_, records); !status.ok()) return status;
    sink_->renamed(file_.path);
    places_.records = records;
    return {};
  }

  void discard() noexcept override {
    sink_.reset();
    if (file_.written_path != file_.path) ::unlink(file_.written_path.c_str());
  }

 private:
  std::int64_t first_byte(int var, std::int64_t record) const {
    const bool is_record = part_.schema().is_record(var);
    return places_.begin[static_cast<std::size_t>(var)] + (is_record ? record * places_.record_bytes : 0);
  }

  // One big-endian integer at an element of a fixed variable.
  Status write_number(int var, std::int64_t element, std::int64_t value, int bytes) {
    std::byte external[8];
    for (int i = 0; i < bytes; ++i) external[i] = static_cast<std::byte>(value >> (8 * (bytes - 1 - i)));
    const Extent extent{first_byte(var, 0) + element * bytes, bytes, external};
    return sink_->write(std::span(&extent, 1));
  }

  // The part's header for what is in part_ now, with what the old part holds, in a file of its own.
  Status lay_out() {
    const Geometry old = places_;
    const std::string old_path = file_.written_path;
    const bool had_file = sink_ != nullptr;
    const std::string fresh = partial_name(file_.path) + (had_file && old_path != file_.path ? ".new" : "");
    if (const auto trouble = target_trouble(file_.path)) return {WEIR_EIO, *trouble, -1};
    try {
      places_ = define_file(fresh, part_.schema(), alignment_, 5);
      sink_ = make_sink(sink_kind(), comm_, {fresh, config_.durability, config_.hints, storage_});
      if (had_file) copy_from(old_path, old);
    } catch (const Error& error) {
      return {error.code(), error.what(), -1};
    }
    places_.records = 0;
    known_ = part_.schema().variables().size();
    if (had_file && old_path != file_.path) ::rename(fresh.c_str(), old_path.c_str());
    file_.written_path = had_file && old_path != file_.path ? old_path : fresh;
    sink_->renamed(file_.written_path);
    return write_tables();
  }

  Status write_tables() {
    Status status;
    for (const PartSchema::Table& table : part_.tables())
      for (std::size_t i = 0; i < table.bounds.size(); ++i)
        status.merge(write_number(table.variable, static_cast<std::int64_t>(i), table.bounds[i], 8));
    return status;
  }

  void copy_from(const std::string& path, const Geometry& old) {
    const Descriptor source = open_to_read(path);
    std::vector<std::byte> chunk(static_cast<std::size_t>(chunk_bytes));
    for (std::size_t v = 0; v < known_; ++v) {
      const int var = static_cast<int>(v);
      const bool record = part_.schema().is_record(var);
      const std::int64_t bytes = part_.schema().elements(var) * type_bytes(part_.schema().variables()[v].type);
      for (std::int64_t r = 0; r < (record ? written_records_ : 1); ++r) {
        const std::int64_t from = old.begin[v] + (record ? r * old.record_bytes : 0), to = first_byte(var, r);
        for (std::int64_t at = 0; at < bytes; at += chunk_bytes) {
          const std::int64_t count = std::min({chunk_bytes, bytes - at, source.bytes() - from - at});
          if (count <= 0) break;  // what was never written is a hole at the end
          source.read(chunk.data(), count, from + at);
          const Extent extent{to + at, count, chunk.data()};
          sink_->write(std::span(&extent, 1)).raise();
        }
      }
    }
  }

  const Config& config_;
  const Comm& comm_;
  const Schema& whole_;
  Alignment alignment_;
  std::string path_;
  VisibleFile file_;
  const StorageClock* storage_;
  PartSchema part_;
  Geometry places_, no_places_;
  std::unique_ptr<Sink> sink_;
  std::size_t known_ = 0;  // variables the file on disk has
  std::int64_t written_records_ = 0;
  Extents extents_;
};

}  // namespace

std::unique_ptr<OutputFile> make_part_file(const OutputOptions& options, const Schema& schema) {
  return std::make_unique<PartFile>(options, schema);
}

}  // namespace weir
