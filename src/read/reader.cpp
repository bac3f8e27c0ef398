// SPDX-License-Identifier: Apache-2.0
#include "read/reader.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/spelling.hpp"
#include "plan/file_runs.hpp"
#include "write/storage_calls.hpp"

namespace weir {

namespace {

// An open file and what was read of it last. A read that was left has it to itself.
class Reading {
 public:
  Reading(const Source& source, StorageCalls* calls)
      : calls_(calls), what_("reading " + source.path), state_(std::make_shared<State>(source)) {}
  const std::byte* read(std::int64_t offset, std::int64_t bytes) {
    call([state = state_, offset, bytes] { state->read(offset, bytes); });
    return state_->buffer.data();
  }

 private:
  struct State {
    explicit State(const Source& of) : source(of) {}

    Source source;
    std::optional<Descriptor> file;
    std::vector<std::byte> buffer;

    void open() {
      file.emplace(open_to_read(source.path));
      if (const auto problem = other_file_problem(file->number(), source.path, source.identity))
        throw refuse_to_read(*problem);
    }
    // The first one opens the file, in the same call. Of a file that is cut off meanwhile the system may give zeros.
    void read(std::int64_t offset, std::int64_t bytes) {
      if (!file) open();
      buffer.resize(std::max(buffer.size(), static_cast<std::size_t>(bytes)));
      file->read(buffer.data(), bytes, offset);
      require(file->bytes() >= offset + bytes, WEIR_EIO,
              [&] { return in_quotes(source.path) + " was truncated while it was read; restore the file"; });
    }
  };

  template <class Call>
  void call(Call call) {
    if (!calls_) return call();
    calls_->run([call] { return call(), Status(); }, what_).raise();
  }

  StorageCalls* calls_;
  std::string what_;
  std::shared_ptr<State> state_;
};

}  // namespace

RangeFailure read_layout(const ReadStretch& read, Type type, const Layout& layout, void* values, Type memory_type) {
  RangeFailure failure;
  const int size = type_bytes(type);
  const std::vector<FileRun> parts = file_runs(layout.flattened(), sieve_bytes / size);
  for (std::size_t first = 0; first < parts.size();) {
    const std::size_t end = end_of_sieve(parts, first, size);
    const std::int64_t base = parts[first].element;
    const std::byte* found = read(base, parts[end - 1].element + parts[end - 1].count - base);
    CopyProgram program;
    for (; first < end; ++first)
      append(program,
             {parts[first].element - base, parts[first].memory, {{parts[first].count, 1, parts[first].memory_stride}}});
    failure.merge(decode(program, found, type, values, memory_type));
  }
  return failure;
}

RangeFailure read_layout(const Source& source, const Layout& layout, void* values, Type memory_type,
                         StorageCalls* calls) {
  Reading file(source, calls);
  const int size = type_bytes(source.type);
  const auto read = [&](std::int64_t element, std::int64_t count) {
    return file.read(source.first_byte + element * size, count * size);
  };
  return read_layout(read, source.type, layout, values, memory_type);
}

}  // namespace weir
