// SPDX-License-Identifier: Apache-2.0
// direct: pwrite of disjoint extents, each rank its own. For file systems where that is coherent.
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/descriptor.hpp"
#include "write/sink.hpp"

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
    Status status = write_in_order(extents.subspan(first));
    if (status.ok()) status = write_in_order(extents.first(first));
    if (status.ok()) start_storing();
    return status;
  }

  void renamed(const std::string& path) override { options_.path = path; }

  Status make_durable() override {
    if (descriptor_ < 0) return {};
    return uninterrupted([&] { return ::fdatasync(descriptor_); }) == 0 ? Status{} : failure("fdatasync", 0);
  }

 private:
  Status open() {
    if (descriptor_ >= 0) return {};
    const int opened = uninterrupted([&] { return ::open(options_.path.c_str(), O_WRONLY | O_CLOEXEC); });
    if (opened < 0) return failure("open", 0);
    if (const auto trouble = other_file_trouble(opened, options_.path, options_.identity)) {
      ::close(opened);
      return {WEIR_EIO, *trouble + "; nothing is written into it", -1};
    }
    descriptor_ = opened;
    return {};
  }

  Status write_in_order(std::span<const Extent> extents) {
    for (std::size_t i = 0; i < extents.size();) {
      const std::size_t end = gather(extents, i);
      if (Status status = write_vectors(extents[i].offset); !status.ok()) return status;
      i = end;
    }
    return {};
  }

  // Extents from i on that continue each other in the file, as one vector write; returns the first one left out.
  std::size_t gather(std::span<const Extent> extents, std::size_t i) {
    vectors_.clear();
    for (std::int64_t at = extents[i].offset;
         i < extents.size() && extents[i].offset == at && vectors_.size() < most_vectors; ++i) {
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
    const int error = errno;
    const std::string advice = error == ENOSPC || error == EDQUOT ? ": make room, or write elsewhere" : "";
    return {WEIR_EIO,
            std::string(call) + " of " + options_.path + " at byte " + std::to_string(offset) + ": " +
                std::strerror(error) + advice,
            -1};
  }

  SinkOptions options_;
  std::vector<iovec> vectors_;
  int descriptor_ = -1;
};

}  // namespace

std::unique_ptr<Sink> make_direct_sink(const SinkOptions& options) {
  return std::make_unique<DirectSink>(options);
}

}  // namespace weir
