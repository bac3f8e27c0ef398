// SPDX-License-Identifier: Apache-2.0
#include "fiber.hpp"

#include <cxxabi.h>

#include <boost/context/fixedsize_stack.hpp>
#include <boost/context/preallocated.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace sim {

namespace {

// What Boost takes for the owner of a stack; the stacks are ours.
struct NoOwner {
  using traits_type = boost::context::stack_traits;
  boost::context::stack_context allocate() { throw std::bad_alloc(); }
  void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

boost::context::stack_context Stacks::take() {
  if (!free_.empty()) {
    const boost::context::stack_context stack = free_.back();
    free_.pop_back();
    return stack;
  }
  void* memory = std::aligned_alloc(4096, bytes);
  if (!memory) throw std::bad_alloc();
  boost::context::stack_context stack;
  stack.size = bytes;
  stack.sp = static_cast<std::byte*>(memory) + bytes;
  return stack;
}

Fiber::Fiber(Stacks& stacks, std::function<void()> work) : stacks_(stacks), stack_(stacks.take()) {
  const boost::context::preallocated place(stack_.sp, stack_.size, stack_);
  inside_ = std::make_unique<boost::context::fiber>(
      std::allocator_arg, place, NoOwner{}, [this, work = std::move(work)](boost::context::fiber&& caller) {
        outside_ = std::make_unique<boost::context::fiber>(std::move(caller));
        work();
        ended_ = true;
        return std::move(*outside_);
      });
}

Fiber::~Fiber() {
  // Destroyed, an unfinished one would run all destructors on its stack, which a killed process does not.
  if (!ended_) static_cast<void>(new boost::context::fiber(std::move(*inside_)));
  stacks_.give_back(stack_);
}

void Fiber::exchange(OfThread& mine) {
  static void* const exceptions = abi::__cxa_get_globals();  // of the one thread
  OfThread now;
  std::memcpy(now.exceptions.data(), exceptions, now.exceptions.size());
  now.error = errno;
  std::memcpy(exceptions, mine.exceptions.data(), mine.exceptions.size());
  errno = mine.error;
  mine = now;
}

void Fiber::resume() {
  exchange(kept_);
  *inside_ = std::move(*inside_).resume();
  exchange(kept_);
}

void Fiber::leave() {
  *outside_ = std::move(*outside_).resume();
}

}  // namespace sim
