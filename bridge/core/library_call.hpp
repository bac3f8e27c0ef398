// SPDX-License-Identifier: Apache-2.0
// A call of the underlying library, deferred: asks that library for what the program has called. Local.
#pragma once

#include <type_traits>

namespace weir::bridge {

// The same call of the underlying library. Does not own what it refers to.
class LibraryCall {
 public:
  template <class Body>
  requires(!std::is_same_v<std::remove_cvref_t<Body>, LibraryCall>) LibraryCall(Body&& body)
  noexcept
      : body_(const_cast<void*>(static_cast<const void*>(&body))),
        call_([](void* kept) { return (*static_cast<std::remove_reference_t<Body>*>(kept))(); }) {}
  int operator()() const { return call_(body_); }

 private:
  void* body_;
  int (*call_)(void*);
};

}  // namespace weir::bridge
