// SPDX-License-Identifier: Apache-2.0
// direct: pwrite of disjoint extents, each rank its own. For file systems where that is coherent. Whole blocks of large
// extents bypass the page cache (direct I/O) if configured and supported by the file system; their edges, which may
// share a block with a neighbour's, and all else go through the page cache.
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <optional>

#include "base/descriptor.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "storage/filesystem.hpp"
#include "storage/past_cache.hpp"
#include "storage/sink.hpp"

namespace weir {

namespace {

constexpr std::size_t most_vectors = 1024;  // IOV_MAX on Linux

class DirectSink final : public Sink {
 public:
  explicit DirectSink(const SinkOptions& options) : options_(options) { vectors_.reserve(most_vectors); }
  ~DirectSink() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  SinkKind kind() const noexcept override { return SinkKind::direct; }

  Status write(std::span<const Extent> extents) override {
    if (extents.empty()) return {};
    if (Status status = open(); !status.ok()) return status;
    const auto first = static_cast<std::size_t>(options_.begin * static_cast<double>(extents.size()));
    cached_bytes_ = 0;
    Status status = write_in_order(extents.subspan(first));
    if (status.ok()) status = write_in_order(extents.first(first));
    if (status.ok() && cached_bytes_ > 0) start_storing();
    return status;
  }

  void renamed(const std::string& path) override { options_.path = path; }

  std::string remark() const override {
    return refused_ ? "the file system has refused direct I/O: the rest goes through the page cache" : "";
  }

  Status make_durable() override {
    if (descriptor_ < 0) return {};
    return uninterrupted([&] { return ::fdatasync(descriptor_); }) == 0 ? Status{} : failure("fdatasync", 0);
  }

 private:
  Status open() {
    if (descriptor_ >= 0) return {};
    const int opened = uninterrupted([&] { return ::open(options_.path.c_str(), O_WRONLY | O_CLOEXEC); });
    if (opened < 0) return failure("open", 0);
    if (const auto problem = other_file_problem(opened, options_.path, options_.identity)) {
      ::close(opened);
      return refuse_to_write(*problem);
    }
    descriptor_ = opened;
    if (options_.past_cache_bytes > 0) past_ = PastCache::open(options_.path);
    if (past_ && other_file_problem(past_->descriptor(), options_.path, options_.identity)) past_.reset();
    return {};
  }

  std::optional<Blocks> past_cache_part(const Extent& extent) const {
    return past_ ? past_->blocks_of(extent, options_.past_cache_bytes) : std::nullopt;
  }

  Status write_in_order(std::span<const Extent> extents) {
    for (std::size_t i = 0; i < extents.size();) {
      if (const auto blocks = past_cache_part(extents[i])) {
        if (Status status = write_around(extents[i++], *blocks); !status.ok()) return status;
        continue;
      }
      const std::size_t end = gather(extents, i);
      for (const iovec& vector : vectors_) cached_bytes_ += static_cast<std::int64_t>(vector.iov_len);
      if (Status status = write_vectors(extents[i].offset); !status.ok()) return status;
      i = end;
    }
    return {};
  }

  // An extent whose blocks go past the cache: the edges through it, and what is left of the blocks where the file
  // system refuses some.
  Status write_around(const Extent& extent, const Blocks& blocks) {
    std::int64_t done = blocks.begin;
    Status status = write_cached(extent, extent.offset, blocks.begin);
    if (status.ok()) status = write_past(extent, blocks, done);
    cached_bytes_ += blocks.end - done;
    if (status.ok()) status = write_cached(extent, done, extent.offset + extent.bytes);
    return status;
  }

  // Until `done` is the end of the blocks, or the file system takes no more of them.
  Status write_past(const Extent& extent, const Blocks& blocks, std::int64_t& done) {
    while (done < blocks.end && done % block_bytes == 0) {
      const std::byte* data = extent.data + (done - extent.offset);
      const auto bytes = static_cast<std::size_t>(blocks.end - done);
      const ssize_t written = uninterrupted([&] { return ::pwrite(past_->descriptor(), data, bytes, done); });
      if (written < 0 && errno == EINVAL) {
        past_.reset();
        refused_ = true;
        return {};
      }
      if (written == 0) errno = EIO;  // it would be so for ever
      if (written <= 0) return failure("pwrite", done);
      done += written;
    }
    return {};
  }

  // The bytes of an extent that belong at [begin, end).
  Status write_cached(const Extent& extent, std::int64_t begin, std::int64_t end) {
    if (begin == end) return {};
    const std::byte* data = extent.data + (begin - extent.offset);
    vectors_.assign({{const_cast<std::byte*>(data), static_cast<std::size_t>(end - begin)}});
    return write_vectors(begin);
  }

  // Extents from i on that continue each other in the file, as one vector write, up to one that goes past the cache;
  // returns the first one left out.
  std::size_t gather(std::span<const Extent> extents, std::size_t i) {
    vectors_.clear();
    for (std::int64_t at = extents[i].offset;
         i < extents.size() && extents[i].offset == at && vectors_.size() < most_vectors; ++i) {
      if (past_cache_part(extents[i])) break;
      vectors_.push_back({const_cast<std::byte*>(extents[i].data), static_cast<std::size_t>(extents[i].bytes)});
      at += extents[i].bytes;
    }
    return i;
  }

  Status write_vectors(std::int64_t offset) {
    std::size_t next = 0;
    while (next < vectors_.size()) {
      const auto count = static_cast<int>(vectors_.size() - next);
      ssize_t done = uninterrupted([&] { return ::pwritev(descriptor_, vectors_.data() + next, count, offset); });
      if (done == 0) errno = EIO;  // it would be so for ever
      if (done <= 0) return failure("pwritev", offset);
      offset += done;
      for (; next < vectors_.size() && done >= static_cast<ssize_t>(vectors_[next].iov_len); ++next)
        done -= static_cast<ssize_t>(vectors_[next].iov_len);
      if (next == vectors_.size()) break;
      vectors_[next].iov_base = static_cast<char*>(vectors_[next].iov_base) + done;
      vectors_[next].iov_len -= static_cast<std::size_t>(done);
    }
    return {};
  }

  // Lets the system begin now what the commit waits for. Only a hint: an error of the storage shows at the commit.
  void start_storing() const {
    if (options_.durability == Durability::storage) ::sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE);
  }

  Status failure(const char* call, std::int64_t offset) const {
    const std::string why = storage_reason(errno);
    return {WEIR_EIO, formatted("{} of {} at byte {}: {}", call, options_.path, offset, why)};
  }

  SinkOptions options_;
  std::vector<iovec> vectors_;
  int descriptor_ = -1;
  std::unique_ptr<PastCache> past_;
  std::int64_t cached_bytes_ = 0;  // of this write, the edges of what went past the cache left out
  std::atomic<bool> refused_ = false;
};

}  // namespace

std::unique_ptr<Sink> make_direct_sink(const SinkOptions& options) {
  return std::make_unique<DirectSink>(options);
}

}  // namespace weir
