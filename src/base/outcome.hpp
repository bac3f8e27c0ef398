// SPDX-License-Identifier: Apache-2.0
// The outcome of a call where an exception must not pass: out of a thread, or past an agreement that this rank has to
// reach in any case. Local.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "base/error.hpp"

namespace weir {

// What is being handled. Of a catch block. Of want of memory in few enough letters that a string needs none for them.
inline Status caught() {
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), error.what(), -1};
  } catch (const std::bad_alloc&) {
    return {WEIR_EMEMORY, "out of memory", -1};
  } catch (const std::exception& error) {
    return {WEIR_EINTERNAL, error.what(), -1};
  }
}

// The call's own status, or what it threw.
template <class Call>
Status outcome_of(Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception&) {
    return caught();
  }
}

// The same, but for what ends the instance, which is thrown on: after the loss of a rank there is no further agreement.
template <class Call>
Status outcome_to_agree_on(Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception&) {
    Status status = caught();
    if (ends_instance(status.code)) throw;
    return status;
  }
}

}  // namespace weir
