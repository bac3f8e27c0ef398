// SPDX-License-Identifier: Apache-2.0
// A file of its own for every rank that owns tiles (CFIO2's table 1: file per process, file per domain; merged by weir
// merge). A part's header lists what has been put so far; when a new variable comes, the part is laid out anew next to
// the old one, which stays as it was until the next commit.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/descriptor.hpp"
#include "base/text.hpp"
#include "formats/classic/extents.hpp"
#include "formats/classic/visible.hpp"
#include "formats/parts/part_schema.hpp"
#include "mpi/agree.hpp"
#include "storage/storage_calls.hpp"

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
        fill_(options.fill),
        path_(options.path),
        part_path_(part_name(path_, comm_.rank())),
        wait_{config_->timeout_seconds, options.watch},
        calls_(options.calls),
        part_(schema, options) {}

  // Collective; throws the same Error on all ranks.
  void begin() {
    Status status;
    if (comm_.rank() == 0) status = lay_out();  // so that at least one part tells of the whole
    const std::string call = formatted("creation of {}", path_);
    agree(comm_, {AgreementPoint::part_begun, mix(0, path_), call, nullptr}, status, wait_.begin()).raise();
  }

  Status write(std::span<const Extent>) override {
    return {WEIR_ESTATE,
            formatted("{}: part files cannot hold bytes at offsets of the whole file; choose another strategy", path_)};
  }
  bool one_at_a_time() const noexcept override { return false; }
  bool collective() const noexcept override { return false; }
  bool commits_together() const noexcept override { return true; }  // to count the parts
  const Geometry& geometry() const noexcept override { return no_places_; }
  std::string sink_reason() const override { return "a file a rank"; }
  SinkKind sink_kind() const noexcept override { return sink_of_parts(*config_); }
  std::int64_t stripe_bytes() const noexcept override { return 0; }
  std::int64_t bytes_written() const noexcept override { return extents_.bytes_written(); }

  // A part's header is made then.
  bool must_prepare(std::span<const ReadyTile> tiles) const override {
    return std::any_of(tiles.begin(), tiles.end(),
                       [this](const ReadyTile& tile) { return part_.part_variable(tile.var) < 0; });
  }

  void prepare(std::span<const ReadyTile> tiles) override {
    bool grown = false;
    for (const ReadyTile& tile : tiles) grown = part_.add(tile.var, *tile.plan) || grown;
    if (grown) laid_out_ = lay_out();
  }

  Status write(std::span<const ReadyTile> tiles) override {
    if (!laid_out_.ok()) return laid_out_;
    for (const ReadyTile& tile : tiles)
      if (!part_.owns_the_same(tile.var, *tile.plan)) return another_part(tile.var);
    for (const ReadyTile& tile : tiles) {
      written_records_ = std::max(written_records_, tile.record + 1);
      extents_.add(tile, places_.first_byte(part_.part_variable(tile.var), tile.record));
    }
    return extents_.write(*sink_);
  }

  Status fill(std::span<const MissingRecord> missing_records) override {
    Status status;
    for (const MissingRecord& hole : missing_records) {
      const int var = part_.part_variable(hole.var);
      if (var >= 0) status.merge(fill_record(var, hole.record));
    }
    return status;
  }

  void prepare_commit() override {
    parts_ = sink_ ? 1 : 0;
    allreduce_sum(comm_, std::span(&parts_, 1), wait_.begin(), "weir_sync");
  }

  Status make_durable(Durability wanted) override {
    if (!sink_) return {};
    Status status = write_number(part_.parts_variable(), 0, parts_, 4);
    if (wanted == Durability::storage) status.merge(sink_->make_durable());
    return status;
  }

  bool uses_storage() const noexcept override { return !keeps_nothing(sink_kind()); }
  const FileIdentity& identity() const noexcept override { return no_identity_; }

  Status publish(std::int64_t records) override {
    published_records_ = records;
    if (!file_) return {};
    if (Status status = file_->publish(places_, records); !status.ok()) return status;
    sink_->renamed(part_path_);
    places_.records = records;
    return {};
  }

  void discard() noexcept override {
    sink_.reset();
    if (file_) file_->discard();
  }

 private:
  // One big-endian integer at an element of a fixed variable.
  Status write_number(int var, std::int64_t element, std::int64_t value, int bytes) {
    std::byte external[8];
    for (int i = 0; i < bytes; ++i) external[i] = static_cast<std::byte>(value >> (8 * (bytes - 1 - i)));
    const Extent extent{places_.first_byte(var, 0) + element * bytes, bytes, external};
    return sink_->write(std::span(&extent, 1));
  }

  Status fill_record(int var, std::int64_t record) {
    if (part_.schema().is_record(var)) written_records_ = std::max(written_records_, record + 1);
    const int size = type_bytes(part_.schema().variables()[static_cast<std::size_t>(var)].type);
    const std::int64_t count = part_.schema().elements(var);
    extents_.set_fill(part_.schema().fill_value(var), size, count);
    extents_.add_fill(places_.first_byte(var, record), count * size);
    return extents_.write(*sink_);
  }

  Status another_part(int var) const {
    return {WEIR_EARGUMENT,
            formatted("put of \"{}\" into {}: rank {} owns a different part of it than with the layout before; put "
                      "each variable of part files with one layout, or choose a strategy that writes one file",
                      whole_.variable(var).name, path_, comm_.number())};
  }

  // The part's header for what is in part_ now, with what the old part holds, in a file of its own.
  Status lay_out() {
    try {
      const DefinedHeader header = define_header(part_path_, part_.schema(), alignment_, 5);
      return calls_.run([this, header] { return lay_out(header); }, formatted("laying out {}", part_path_));
    } catch (const Error& error) {
      return {error.code(), error.what()};
    }
  }

  Status lay_out(const DefinedHeader& header) {
    move(header);
    Status status = write_tables();
    // Their records that are committed were not here to be filled.
    for (; known_ < part_.schema().variables().size(); ++known_) {
      const int var = static_cast<int>(known_);
      for (std::int64_t r = 0; r < published_records_ && part_.schema().is_record(var) && fill_ != WEIR_NOFILL; ++r)
        status.merge(fill_record(var, r));
    }
    return status;
  }

  // A part that is not visible yet loses its name when the next one is made: it is read all the same.
  void move(const DefinedHeader& header) {
    if (file_) file_->check_same().raise();
    VisibleFile fresh(part_path_, header, config_->durability);
    if (file_) fresh.take_place_of(*file_);
    const Geometry old = std::exchange(places_, header.geometry);
    sink_ =
        make_sink(sink_kind(), comm_, {fresh.written_path(), config_->durability, config_->hints, fresh.identity()});
    if (!uses_storage()) return fresh.discard();
    try {
      if (file_) copy_from(file_->contents(), old);
    } catch (const Error&) {
      fresh.discard();
      throw;
    }
    file_ = std::move(fresh);
  }

  Status write_tables() {
    Status status;
    for (const PartSchema::Table& table : part_.tables())
      for (std::size_t i = 0; i < table.bounds.size(); ++i)
        status.merge(write_number(table.variable, static_cast<std::int64_t>(i), table.bounds[i], 8));
    return status;
  }

  void copy_from(const Descriptor& source, const Geometry& old) {
    std::vector<std::byte> chunk(static_cast<std::size_t>(chunk_bytes));
    for (std::size_t v = 0; v < known_; ++v) {
      const int var = static_cast<int>(v);
      const bool record = part_.schema().is_record(var);
      const std::int64_t bytes = variable_bytes(part_.schema(), var);
      for (std::int64_t r = 0; r < (record ? written_records_ : 1); ++r) {
        const std::int64_t from = old.first_byte(var, r), to = places_.first_byte(var, r);
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

  std::shared_ptr<const Config> config_;
  const Comm& comm_;
  const Schema& whole_;
  Alignment alignment_;
  weir_fill_mode fill_;
  std::string path_;
  std::string part_path_;
  WaitLimit wait_;
  std::optional<VisibleFile> file_;  // the part, where this rank has one
  std::int64_t parts_ = 0;           // of all ranks, as of the last commit
  FileIdentity no_identity_;
  StorageCalls& calls_;
  PartSchema part_;
  Geometry places_, no_places_;
  std::unique_ptr<Sink> sink_;
  Status laid_out_;
  std::size_t known_ = 0;  // variables the file on disk has
  std::int64_t written_records_ = 0;
  std::int64_t published_records_ = 0;  // as of the last commit
  Extents extents_;
};

}  // namespace

std::unique_ptr<OutputFile> make_part_file(const OutputOptions& options, const Schema& schema) {
  auto file = std::make_unique<PartFile>(options, schema);
  try {
    file->begin();
  } catch (const Error& error) {
    if (ends_instance(error.code())) static_cast<void>(file.release());  // a thread may still be in it
    throw;
  }
  return file;
}

}  // namespace weir
