// SPDX-License-Identifier: Apache-2.0
#include "simulate/fiber.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <boost/context/preallocated.hpp>
#include <boost/context/stack_context.hpp>
#include <new>
#include <utility>

#include "base/error.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace weir::simulate {

namespace {

// A rank's text takes a page where it waits, and less than 6 KiB where an exception ends it.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
constexpr std::size_t stack_bytes = 16U << 10;
#else
constexpr std::size_t stack_bytes = 256U << 10;
#endif
constexpr std::size_t guard_bytes = 4096, guarded_stacks = 1024;
constexpr std::size_t first_stacks = 8, most_stacks = 256;  // made at a time
constexpr std::size_t line_bytes = 64;                      // of a processor's cache

// AddressSanitizer hears of each switch: before it, of the stack that comes (kept: nullptr where this one has ended),
// and after it, of the one that went.
void before_switch([[maybe_unused]] void** kept, [[maybe_unused]] const void* stack,
                   [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(kept, stack, bytes);
#endif
}
void after_switch([[maybe_unused]] void* kept, [[maybe_unused]] const void** stack,
                  [[maybe_unused]] std::size_t* bytes) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(kept, stack, bytes);
#endif
}

// Fibers own the stacks.
struct NoOwner {
  struct traits_type {};
  void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

void Fiber::happen() {
  Fiber* const before = std::exchange(all_.running_, this);
  void* kept = nullptr;
  before_switch(&kept, stack_, stack_bytes);
  inside_ = std::move(inside_).resume();
  after_switch(kept, nullptr, nullptr);
  all_.running_ = before;
  if (!inside_) all_.take_back(*this);
}

void Fiber::leave() {
  depth_ = static_cast<const char*>(__builtin_frame_address(0));
  struct Back {  // by being resumed, or by the exception that ends it
    Fiber& fiber;
    void* kept = nullptr;
    ~Back() { after_switch(kept, &fiber.outside_stack_, &fiber.outside_bytes_); }
  } back{*this};
  before_switch(&back.kept, outside_stack_, outside_bytes_);
  outside_ = std::move(outside_).resume();
}

void Fiber::fetch(int step) const noexcept {
  fetch_stack(step);
  if (rank_ >= 0 && all_.fetcher) all_.fetcher->fetch(rank_, step);
}

// What it will go on with: what was saved last, and the frames above.
void Fiber::fetch_stack(int step) const noexcept {
  constexpr int lines = 6;
  if (step > 1 || !depth_) return;
  const char* const first = depth_ - 2 * line_bytes + static_cast<std::size_t>(step * lines) * line_bytes;
  for (int line = 0; line < lines; ++line) __builtin_prefetch(first + static_cast<std::size_t>(line) * line_bytes);
}

void Fiber::begin(int rank, std::function<void()> work) {
  rank_ = rank;
  work_ = std::move(work);
  depth_ = nullptr;
  auto* const top = reinterpret_cast<std::byte*>(this);
  boost::context::stack_context place;
  place.sp = top;
  place.size = static_cast<std::size_t>(top - stack_);
  inside_ = boost::context::fiber(std::allocator_arg, boost::context::preallocated(top, place.size, place), NoOwner{},
                                  [this](boost::context::fiber&& caller) {
                                    outside_ = std::move(caller);
                                    after_switch(nullptr, &outside_stack_, &outside_bytes_);
                                    struct End {
                                      const Fiber& fiber;
                                      ~End() { before_switch(nullptr, fiber.outside_stack_, fiber.outside_bytes_); }
                                    } end{*this};
                                    try {
                                      work_();
                                    } catch (const std::exception&) {
                                      if (!all_.error_) all_.error_ = std::current_exception();
                                    }
                                    return std::move(outside_);
                                  });
}

void Fibers::start(int rank, std::function<void()> work) {
  if (free_.empty()) add_stacks();
  Fiber& fiber = *free_.back();
  free_.pop_back();
  fiber.begin(rank, std::move(work));
  fiber.happen();
}

Fiber& Fibers::running() const {
  require(running_ != nullptr, WEIR_EINTERNAL, "only a rank's own work may wait for simulated time");
  return *running_;
}

void Fibers::end_all() noexcept {
  for (Fiber* fiber : all_) {
    if (!fiber->inside_) continue;
    void* kept = nullptr;
    before_switch(&kept, fiber->stack_, stack_bytes);
    fiber->inside_ = {};
    after_switch(kept, nullptr, nullptr);
    take_back(*fiber);
  }
}

void Fibers::take_back(Fiber& fiber) noexcept {
  fiber.work_ = nullptr;
  free_.push_back(&fiber);
}

void Fibers::Unmap::operator()(std::byte* block) const noexcept {
  ::munmap(block, bytes);
}

// Twice as many as the last time. Their upper ends fall into different lines of a processor's cache, and what a rank
// takes there into one page. The first stacks end in a page that must not be touched; for tens of thousands the system
// has no room in its tables.
void Fibers::add_stacks() {
  made_ = std::clamp(2 * made_, first_stacks, most_stacks);
  const std::size_t bytes = made_ * stack_bytes;
  void* const block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  blocks_.emplace_back(static_cast<std::byte*>(block), Unmap{bytes});
  free_.reserve(all_.size() + made_);  // none is to be had when one ends
  for (std::size_t i = made_; i-- > 0;) {
    std::byte* const stack = blocks_.back().get() + i * stack_bytes;
    const std::size_t lower = all_.size() % 8 * 3 * line_bytes;
    if (all_.size() < guarded_stacks) ::mprotect(stack, guard_bytes, PROT_NONE);
    all_.push_back(new (stack + stack_bytes - lower - sizeof(Fiber)) Fiber(*this, stack));
    free_.push_back(all_.back());
  }
}

}  // namespace weir::simulate
