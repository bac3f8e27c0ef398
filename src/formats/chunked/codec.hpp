// SPDX-License-Identifier: Apache-2.0
// Compression and decompression of bytes, and their processor time. chunked/packer.hpp and chunked/unpacker.hpp use
// them. Local.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "base/clock.hpp"
#include "base/trace.hpp"

namespace weir {

// Measures compression: the thread's processor time for the report, and spans for the trace, without the writes in
// between.
// Thread: the one that writes; processor_seconds(): any.
class CompressClock {
 public:
  void trace_by(TraceLane& lane) noexcept { lane_ = &lane; }
  void begin(int var) noexcept {
    var_ = var;
    running_ = true;
    go_on();
  }
  void end() noexcept {
    pause();
    running_ = false;
  }
  // Stops the clock as long as it lives.
  class Pause {
   public:
    explicit Pause(CompressClock& clock) noexcept : clock_(clock) { clock_.pause(); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause() { clock_.go_on(); }

   private:
    CompressClock& clock_;
  };
  double processor_seconds() const noexcept { return seconds_.load(std::memory_order_relaxed); }

 private:
  void pause() noexcept {
    if (!running_) return;
    span_.reset();
    seconds_.store(seconds_.load(std::memory_order_relaxed) + thread_processor_seconds() - began_,
                   std::memory_order_relaxed);
  }
  void go_on() noexcept {
    if (!running_) return;
    if (lane_) span_.emplace(*lane_, Step::compress, Detail{.var = var_});
    began_ = thread_processor_seconds();
  }

  TraceLane* lane_ = nullptr;
  int var_ = -1;
  bool running_ = false;
  std::optional<Span> span_;
  double began_ = 0;
  std::atomic<double> seconds_ = 0;
};

// The formats of the compressors.
enum class CompressedFormat { zlib, gzip, zstd };

// The compressors of this build, with reusable workspaces.
// Thread: one at a time.
class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  static bool has(CompressedFormat form) noexcept;
  // Returns the most bytes that `bytes` bytes can become.
  static std::size_t bound(CompressedFormat form, std::size_t bytes) noexcept;
  // Writes `from` in this form to the beginning of `to`, and returns its bytes; 0 if there is no room, or this build or
  // the machine's memory does not allow it.
  std::size_t compress(CompressedFormat form, int level, std::span<const std::byte> from, std::span<std::byte> to);

 private:
  struct Workspaces;
  std::size_t deflate(CompressedFormat form, int level, std::span<const std::byte> from, std::span<std::byte> to);
  std::size_t zstd(int level, std::span<const std::byte> from, std::span<std::byte> to);

  std::unique_ptr<Workspaces> workspaces_;
};

// The decompressors of this build, with reusable workspaces.
// Thread: one at a time.
class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Returns the bytes written to `to`; 0 if it fails.
  std::size_t inflate(CompressedFormat form, std::span<const std::byte> from, std::span<std::byte> to);

 private:
  struct Workspaces;
  std::size_t deflated(CompressedFormat form, std::span<const std::byte> from, std::span<std::byte> to);
  std::size_t zstd(std::span<const std::byte> from, std::span<std::byte> to);

  std::unique_ptr<Workspaces> workspaces_;
};

}  // namespace weir
