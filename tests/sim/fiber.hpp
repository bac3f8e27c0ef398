// SPDX-License-Identifier: Apache-2.0
// A stack of its own that a function runs on until it says that another one may. All in one thread of the system, so
// that what happens is decided by who is resumed, and by nothing else.
#pragma once

#include <array>
#include <boost/context/fiber.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace sim {

// Stacks are used again; one that was given up in the middle of a function, too: nothing on it is destroyed.
class Stacks {
 public:
  static constexpr std::size_t bytes = 1024 * 1024;  // HDF5 takes more than a quarter of it

  boost::context::stack_context take();
  void give_back(const boost::context::stack_context& stack) { free_.push_back(stack); }

 private:
  std::vector<boost::context::stack_context> free_;
};

class Fiber {
 public:
  Fiber(Stacks& stacks, std::function<void()> work);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Goes on with it until it says leave(), or has ended. Not from within another one.
  void resume();
  // Called on it.
  void leave();
  bool ended() const noexcept { return ended_; }

 private:
  // What the language keeps for a thread of the system, and each fiber has for itself: the exceptions under way, errno.
  struct OfThread {
    std::array<std::byte, 16> exceptions{};
    int error = 0;
  };
  static void exchange(OfThread& mine);

  Stacks& stacks_;
  boost::context::stack_context stack_;
  std::unique_ptr<boost::context::fiber> inside_;   // to be resumed
  std::unique_ptr<boost::context::fiber> outside_;  // who has resumed it
  OfThread kept_;
  bool ended_ = false;
};

}  // namespace sim
