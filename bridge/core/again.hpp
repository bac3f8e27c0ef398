// SPDX-License-Identifier: Apache-2.0
// How the library behind is asked the same. Local.
#pragma once

#include <type_traits>

namespace weir::bridge {

// The same call of the library behind. Does not own what it refers to.
class Again {
 public:
  template <class Body>
  requires(!std::is_same_v<std::remove_cvref_t<Body>, Again>) Again(Body&& body)
  noexcept
      : body_(const_cast<void*>(static_cast<const void*>(&body))),
        call_([](void* kept) { return (*static_cast<std::remove_reference_t<Body>*>(kept))(); }) {}
  int operator()() const { return call_(body_); }

 private:
  void* body_;
  int (*call_)(void*);
};

}  // namespace weir::bridge
