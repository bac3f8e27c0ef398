// SPDX-License-Identifier: Apache-2.0
// Compression and decompression of bytes, and what they take of the processor. Local.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "base/clock.hpp"
#include "base/trace.hpp"

namespace weir {

// Measures compression: the thread's processor time for the report, and spans for the trace, which leave out the writes
// in between. Used by the thread that writes; processor_seconds() by any.

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
  // It stands while this is there: what goes on is no compressing.
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

// The compressors of this build, with their reusable workspaces. For one thread at a time. Local.

enum class CompressedFormat { zlib, gzip, zstd };

class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  static bool has(CompressedFormat form) noexcept;
  // The most bytes that so many can come to.
  static std::size_t bound(CompressedFormat form, std::size_t bytes) noexcept;
  // Writes `from` in this form to the beginning of `to`. Returns its bytes; 0 where they have no room, or where this
  // build or the machine's memory cannot.
  std::size_t compress(CompressedFormat form, int level, std::span<const std::byte> from, std::span<std::byte> to);

 private:
  struct Workspaces;
  std::size_t deflate(CompressedFormat form, int level, std::span<const std::byte> from, std::span<std::byte> to);
  std::size_t zstd(int level, std::span<const std::byte> from, std::span<std::byte> to);

  std::unique_ptr<Workspaces> workspaces_;
};

// The decompressors of this build, with their reusable workspaces. For one thread at a time. Local.

class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Bytes written to `to`; 0 where it cannot be.
  std::size_t inflate(CompressedFormat form, std::span<const std::byte> from, std::span<std::byte> to);

 private:
  struct Workspaces;
  std::size_t deflated(CompressedFormat form, std::span<const std::byte> from, std::span<std::byte> to);
  std::size_t zstd(std::span<const std::byte> from, std::span<std::byte> to);

  std::unique_ptr<Workspaces> workspaces_;
};

}  // namespace weir
