// SPDX-License-Identifier: Apache-2.0
// Errors. One exception type for what is wrong before a step begins; one status for what goes wrong inside a step, so
// that the ranks can agree on it at the end. A message is one sentence: what was wrong, where, and what to do.
#pragma once

#include <weir/types.h>

#include <concepts>
#include <cstdint>
#include <exception>
#include <new>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

using Code = weir_code;

class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message, std::source_location where = std::source_location::current())
      : std::runtime_error(message), code_(code), where_(where) {}

  Code code() const noexcept { return code_; }
  const std::source_location& where() const noexcept { return where_; }

 private:
  Code code_;
  std::source_location where_;
};

// Ranks that did not come cannot be waited for again: after such an error nothing collective is done any more.
inline bool ends_instance(Code code) noexcept {
  return code == WEIR_ETIMEOUT || code == WEIR_EMPI;
}

// What a failure is about: all files, one of them, or a call alone, after which all files go on.
struct Scope {
  enum Kind : std::int32_t { all_files, one_file, this_call };
  Kind kind = all_files;
  std::int32_t serial = -1;  // the file's serial number, of one_file

  static constexpr Scope of(int serial) noexcept { return {one_file, serial}; }
  constexpr bool operator==(const Scope&) const noexcept = default;
};

// What a step ended with on this rank. The first failure is kept: later ones are usually its consequences.
struct [[nodiscard]] Status {
  Code code = WEIR_OK;
  std::string message;
  Scope scope = {};

  bool ok() const noexcept { return code == WEIR_OK; }
  bool of_all_files() const noexcept { return !ok() && scope.kind == Scope::all_files; }
  void merge(Status other) {
    if (ok()) *this = std::move(other);
  }
  void raise(std::source_location where = std::source_location::current()) const {
    if (!ok()) throw Error(code, message, where);
  }
};

// Throws where a precondition does not hold. Local.
inline void require(bool holds, Code code, std::string_view message,
                    std::source_location where = std::source_location::current()) {
  if (!holds) throw Error(code, std::string(message), where);
}

// The same, where a sentence is worth its making only once it is needed: on the path of every put.
template <std::invocable Sentence>
void require(bool holds, Code code, Sentence&& sentence, std::source_location where = std::source_location::current()) {
  if (!holds) throw Error(code, sentence(), where);
}

// The outcome of a call where an exception must not pass: out of a thread, or past an agreement that this rank has to
// reach in any case. Local.

// What is being handled. Of a catch block. Of want of memory in few enough letters that a string needs none for them.
inline Status caught() {
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const std::bad_alloc&) {
    return {WEIR_EMEMORY, "out of memory"};
  } catch (const std::exception& error) {
    return {WEIR_EINTERNAL, error.what()};
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

// Runs all of several steps, even if one of them fails.

// Runs `body`, and keeps its error. After the loss of a rank there is no further agreement.
template <class Body>
void attempt(Status& status, Body body) {
  try {
    body();
  } catch (const Error& error) {
    status.merge({error.code(), error.what()});
    if (ends_instance(error.code())) throw;
  }
}

}  // namespace weir
