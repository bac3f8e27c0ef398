// SPDX-License-Identifier: Apache-2.0
#include "pio/read_files.hpp"

#include <algorithm>
#include <cstring>

#include "pio/original_calls.hpp"

namespace weir::bridge {

namespace {

constexpr int no_frame = -1;

}  // namespace

PioReadFile* called_read_file(int number) noexcept {
  return calls_inside == 0 ? numbered<PioReadFile>().find(number) : nullptr;
}

int PioReadFile::frame(int var) const {
  const auto found = frames_.find(var);
  return found == frames_.end() ? no_frame : found->second;
}

// False: PIO has its own way with such a variable, frame and decomposition.
bool PioReadFile::takes(const Schema& schema, int var, const Decomposition& held) const {
  if (held.system != system_ || var < 0 || var >= std::ssize(schema.variables())) return false;
  const Type type = schema.variable(var).type;
  const bool converts = is_classic_number(type) && is_classic_number(held.type);
  if (type != held.type && !converts) return false;
  return has_shape(schema, var, held.shape) && (schema.is_record(var) || frame(var) < 0);
}

Reason PioReadFile::try_to_read(int var, Decomposition& held, void* array) {
  if (const Reason reason = reading_.open(); reason != Reason::none) return reason;
  Reason reason = Reason::unusual;
  const bool got = reading_.get([&](File& file) {
    if (!takes(file.schema(), var, held)) return;
    const std::int64_t record = std::max(frame(var), 0);  // PIO's record where none was set
    file.gets().get(var, record, held.layout_in(reading_.running()), held.type, array);
    reading_.counts().bytes_taken_over += std::ssize(held.map) * type_bytes(file.schema().variable(var).type);
    reason = Reason::none;
  });
  return got ? reason : Reason::unusual;
}

int PioReadFile::read(int var, int decomposition, void* array, LibraryCall library_call) {
  Decomposition* const held = decomposition_of(decomposition);
  if (held == nullptr) warn_of_freed(*system_, decomposition, reading_.counts().path);
  const Reason reason = held == nullptr ? Reason::unusual : try_to_read(var, *held, array);
  if (reason != Reason::none) {
    reading_.counts().pass(reason);
    return library_call();
  }
  ++reading_.counts().taken_over;
  if (held->clears_holes) held->clear_holes(static_cast<std::byte*>(array));
  return 0;
}

}  // namespace weir::bridge
