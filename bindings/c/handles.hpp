// SPDX-License-Identifier: Apache-2.0
// What is behind the handles of weir.h, and the guard every C function runs in: no exception leaves the library, the
// sentence stays on the handle, and the time is the model's waiting time.
#pragma once

#include <weir/weir.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/trace.hpp"
#include "instance/instance.hpp"
#include "schema/text_list.hpp"

struct weir_dataset {
  weir_instance* owner = nullptr;
  weir::File* file = nullptr;  // nullptr once it is closed
  std::string path;
  mutable std::string error;
};

struct weir_instance {
  weir::Instance::Owner instance;
  std::vector<std::unique_ptr<weir_dataset>> files;  // open ones
  // A handle outlives its close for a while, so that a later call gets an error and not a crash. The oldest first.
  std::deque<std::unique_ptr<weir_dataset>> closed;
  weir::Status broken;  // after a timeout: what every later call answers
  mutable std::string error;
  std::string text;  // the last JSON handed out
  // Of each field the number of its layout, or -1 of a scalar: for bindings whose buffers know their size.
  std::vector<int> field_layouts;
};

namespace weir {

constexpr std::size_t most_closed_handles = 1000;

// What is left of a file's handle knows no file any more.
inline File& end_handle(weir_dataset& handle) {
  weir_instance& weir = *handle.owner;
  const auto mine =
      std::find_if(weir.files.begin(), weir.files.end(), [&](const auto& file) { return file.get() == &handle; });
  weir.closed.push_back(std::move(*mine));
  weir.files.erase(mine);
  if (weir.closed.size() > most_closed_handles) weir.closed.pop_front();
  return *std::exchange(handle.file, nullptr);
}

inline void require_pointer(const void* pointer, const char* name) {
  require(pointer != nullptr, WEIR_EARGUMENT, "{} is NULL", name);
}

// An attribute's values as weir.h gives them. The core takes those of WEIR_STRING joined.
class AttributeValues {
 public:
  AttributeValues(weir_type type, std::int64_t count, const void* values) : given_(values) {
    if (type != WEIR_STRING) return;
    const auto* const texts = static_cast<const char* const*>(values);
    joined_ = join_texts(std::span(texts, texts && count > 0 ? static_cast<std::size_t>(count) : 0));
    given_ = joined_.data();
  }
  AttributeValues(const AttributeValues&) = delete;
  AttributeValues& operator=(const AttributeValues&) = delete;

  const void* data() const noexcept { return given_; }

 private:
  std::vector<std::byte> joined_;
  const void* given_;
};

// The length of a text attribute's values: that of no text is that of a NULL, which the core refuses.
inline std::int64_t text_length(const char* text) {
  return text ? static_cast<std::int64_t>(std::strlen(text)) : 1;
}

inline void require_open(const weir_dataset& handle) {
  require(handle.file != nullptr, WEIR_ESTATE, "{}: a call after weir_close; weir_open opens the file again",
          handle.path);
}

// Runs `body` for an instance. Returns its code; the sentence goes to both handles.
template <class Body>
int guard(weir_instance* weir, weir_dataset* file, Body body) noexcept {
  if (!weir) return WEIR_ESTATE;
  Status status = weir->broken;
  try {
    if (status.ok()) {
      const Instance::Visit inside(*weir->instance);
      body();
    }
  } catch (const std::exception&) {
    status = caught();
    // Ranks that did not come cannot be waited for again: the instance is over, and says so from now on.
    if (ends_instance(status.code)) {
      weir->broken = status;
      weir->instance->abandon();
    }
  }
  weir->error = status.message;
  if (file) file->error = status.message;
  return status.code;
}

// For a file's handle; a NULL one is an error without a place for its sentence.
template <class Body>
int guard(weir_dataset* file, Body body) noexcept {
  if (!file) return WEIR_ESTATE;
  return guard(file->owner, file, [&] {
    require_open(*file);
    body(*file->file);
  });
}

// For questions, which change nothing.
template <class Body>
int ask(const weir_dataset* file, Body body) noexcept {
  if (!file) return WEIR_ESTATE;
  try {
    require_open(*file);
    body(static_cast<const File&>(*file->file));
    return WEIR_OK;
  } catch (const std::exception&) {
    Status status = caught();
    file->error = std::move(status.message);
    return status.code;
  }
}

}  // namespace weir
