// SPDX-License-Identifier: Apache-2.0
// Errors. `Error` is thrown for what is wrong before a step; `Status` is kept for what fails inside one, so that the
// ranks can agree on it. A message is one sentence: what was wrong, where, and what to do. docs/errors.md has the
// codes.
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
#include <type_traits>
#include <utility>

#include "base/text.hpp"

namespace weir {

using Code = weir_code;

// What formatted() takes, and the place in the code that says it.
template <class... T>
struct Sentence {
  template <std::size_t bytes>
  consteval Sentence(const char (&text)[bytes], std::source_location here = std::source_location::current())
      : literal(text), where(here) {}

  Literal<T...> literal;
  std::source_location where;
};

class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message, std::source_location where = std::source_location::current())
      : std::runtime_error(message), code_(code), where_(where) {}

  // The message is a sentence and its arguments, as formatted() takes them.
  template <class... T>
  requires(sizeof...(T) > 0) Error(Code code, Sentence<std::type_identity_t<T>...> sentence, T&&... arguments)
      : Error(code, format_text(sentence.literal.text, fmt::make_format_args(arguments...)), sentence.where) {}

  Code code() const noexcept { return code_; }
  const std::source_location& where() const noexcept { return where_; }

 private:
  Code code_;
  std::source_location where_;
};

// Whether this error ends the instance: missing ranks cannot be waited for again, so no collective call follows.
inline bool ends_instance(Code code) noexcept {
  return code == WEIR_ETIMEOUT || code == WEIR_EMPI;
}

// What a failure concerns: all files, one file, or one call, after which all files go on.
struct Scope {
  enum Kind : std::int32_t { all_files, one_file, this_call };
  Kind kind = all_files;
  std::int32_t serial = -1;  // serial number of the file, for one_file

  static constexpr Scope of(int serial) noexcept { return {one_file, serial}; }
  constexpr bool operator==(const Scope&) const noexcept = default;
};

// How a step has ended on this rank. The first failure is kept: later ones are usually its consequences.
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

[[noreturn]] void throw_error(Code code, fmt::string_view literal, fmt::format_args arguments,
                              std::source_location where);

// Throws an Error if a precondition does not hold. Local.
inline void require(bool holds, Code code, std::string_view message,
                    std::source_location where = std::source_location::current()) {
  if (!holds) throw Error(code, std::string(message), where);
}

// As above, with a sentence and its arguments, as formatted() takes them. The sentence is made only if it is needed.
template <class... T>
requires(sizeof...(T) > 0) void require(bool holds, Code code, Sentence<std::type_identity_t<T>...> sentence,
                                        T&&... arguments) {
  if (!holds) throw_error(code, sentence.literal.text, fmt::make_format_args(arguments...), sentence.where);
}

// As above; the sentence is made only if it is needed, since puts come here.
template <std::invocable Sentence>
void require(bool holds, Code code, Sentence&& sentence, std::source_location where = std::source_location::current()) {
  if (!holds) throw Error(code, sentence(), where);
}

// The following functions turn exceptions into a status, where an exception must not pass: out of a thread, or past an
// agreement that this rank has to reach. caught() returns the exception of the current catch block. Its text for a lack
// of memory is so short that a string allocates nothing for it. Local.
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

// Returns the call's status, or what it has thrown.
template <class Call>
Status outcome_of(Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception&) {
    return caught();
  }
}

// As outcome_of(), but an error that ends the instance is thrown: after the loss of a rank there is no further
// agreement.
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

// Runs `body` and keeps its error, so that the steps after it run too. Throws an error that ends the instance.
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
