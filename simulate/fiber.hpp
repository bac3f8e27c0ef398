// SPDX-License-Identifier: Apache-2.0
// Fibers: stacks of their own, on which simulated ranks run the library's text. A rank leaves its stack where it waits,
// and goes on there when what it waits for has happened. All in one thread: what happens next is decided by who is
// resumed, and by nothing else. Stacks are used again. Pure, Local.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace weir::simulate {

// Something that is to happen. It must live until then.
class Action {
 public:
  virtual void happen() = 0;
  // It is to happen soon, and has mostly left the processor's caches by now: fetches what it will touch, a step at a
  // time, each at what the one before it has fetched, some events later. The action itself is fetched before the first.
  virtual void fetch(int /*step*/) const noexcept {}
  static constexpr int fetch_steps = 4;

 protected:
  ~Action() = default;
};

// Fetches what a rank will touch besides its stack; steps as an action's.
class RankFetcher {
 public:
  virtual void fetch(int rank, int step) const noexcept = 0;

 protected:
  ~RankFetcher() = default;
};

class Fibers;

// What happens to a fiber is that it goes on. It lies at the upper end of its stack.
class alignas(64) Fiber final : public Action {
 public:
  void happen() override;
  void fetch(int step) const noexcept override;
  void fetch_stack(int step) const noexcept;
  // Until it is resumed. Called on it.
  void leave();

  Fiber* next = nullptr;  // that waits for the same (Signal)

 private:
  friend class Fibers;
  Fiber(Fibers& all, std::byte* stack) : all_(all), stack_(stack) {}
  void begin(int rank, std::function<void()> work);

  Fibers& all_;
  boost::context::fiber inside_;   // to be resumed
  boost::context::fiber outside_;  // who has resumed it
  const char* depth_ = nullptr;    // of its stack, where it has left
  int rank_ = -1;                  // whose life it is
  std::byte* stack_;               // its lower end
  std::function<void()> work_;
  // Of who has resumed it, for AddressSanitizer.
  const void* outside_stack_ = nullptr;
  std::size_t outside_bytes_ = 0;
};

class Fibers {
 public:
  Fibers() = default;
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;
  ~Fibers() { end_all(); }

  // Begins the work, and comes back when it waits for the first time, or is done. rank: whose life it is; -1: no
  // rank's.
  void start(int rank, std::function<void()> work);
  // The one that is running. Throws Error(WEIR_EINTERNAL) where none is.
  Fiber& running() const;
  // Ends those that wait, as if an exception had come to each; what they refer to must be there.
  void end_all() noexcept;
  // The first exception that work has ended with.
  const std::exception_ptr& error() const noexcept { return error_; }

  const RankFetcher* fetcher = nullptr;  // nullptr: nothing is known of ranks

 private:
  friend class Fiber;
  void add_stacks();
  void take_back(Fiber& fiber) noexcept;

  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* block) const noexcept;
  };
  std::vector<std::unique_ptr<std::byte[], Unmap>> blocks_;
  std::vector<Fiber*> all_, free_;
  std::size_t made_ = 0;  // at a time, last
  Fiber* running_ = nullptr;
  std::exception_ptr error_;
};

}  // namespace weir::simulate
