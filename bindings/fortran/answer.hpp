// SPDX-License-Identifier: Apache-2.0
// How a call from Fortran ends: the code goes into `stat` and the sentence into `errmsg`, where the caller gave them.
// No exception leaves these functions.
#pragma once

#include <exception>
#include <limits>
#include <new>
#include <string>

#include "base/counting.hpp"
#include "base/text.hpp"
#include "descriptor.hpp"

namespace weir::fortran {

// How Fortran counts, in sentences.
inline constexpr Counting counting{1, true};

// type(weir_file) of module weir_types. The instance is there to ask about layouts, and for the error of a close.
struct FileHandle {
  weir_file* file;
  weir_t* instance;
};

struct Answer {
  int* stat;
  CFI_cdesc_t* errmsg;

  void give(int code, const char* sentence) const {
    if (stat != nullptr) *stat = code;
    if (code != WEIR_OK) assign_text(errmsg, sentence == nullptr ? "" : sentence);
  }
};

// Runs `call`, which returns a code; `sentence` says where its sentence is if that is not WEIR_OK.
template <class Call, class Sentence>
void answer_call(Answer answer, Call call, Sentence sentence) noexcept {
  try {
    const int code = call();
    answer.give(code, code == WEIR_OK ? "" : sentence());
  } catch (const Refusal& refusal) {
    answer.give(refusal.code(), refusal.what());
  } catch (const std::bad_alloc&) {
    answer.give(WEIR_EMEMORY, "out of memory");
  } catch (const std::exception& defect) {
    answer.give(WEIR_EINTERNAL, defect.what());
  }
}

// A call on an instance or a file, whose handle must be one.
template <class Call>
void call_on(weir_t* instance, Answer answer, Call call) noexcept {
  if (instance == nullptr)
    answer.give(WEIR_ESTATE, "this weir_t is not running; give one that weir_init has started");
  else
    answer_call(answer, call, [&] { return weir_error(instance); });
}

// What made the handle unusable, a failed weir_create for instance, is worth more than the fact that it is.
inline std::string unusable_file(const FileHandle& handle) {
  std::string sentence = "this weir_file is not open; give one that weir_create or weir_open has made";
  const std::string last = handle.instance == nullptr ? "" : weir_error(handle.instance);
  return last.empty() ? sentence : formatted("{} (the last error was: {})", sentence, last);
}

template <class Call>
void call_on(const FileHandle& handle, Answer answer, Call call) noexcept {
  answer_call(
      answer,
      [&] {
        if (handle.file == nullptr) throw Refusal(WEIR_ESTATE, unusable_file(handle));
        return call();
      },
      [&] { return weir_file_error(handle.file); });
}

// Runs `call`, which returns a code. What it refuses on this rank, all ranks must learn of: the file fails by it, and
// has the sentence, which begins with what `place` returns.
template <class Place, class Call>
int run_or_fail(weir_file* file, Place place, Call call) {
  try {
    return call();
  } catch (const Refusal& refusal) {
    return weir_fail(file, refusal.code(), (place() + refusal.what()).c_str());
  }
}

// A number for an integer(int32) of the caller.
inline std::int32_t short_integer(std::int64_t value, const std::string& what) {
  if (value > std::numeric_limits<std::int32_t>::max())
    throw Refusal(WEIR_EARGUMENT,
                  formatted("{} is {}, too large for integer(int32); give an integer(int64)", what, value));
  return static_cast<std::int32_t>(value);
}

}  // namespace weir::fortran
