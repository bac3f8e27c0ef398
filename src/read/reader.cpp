// SPDX-License-Identifier: Apache-2.0
#include "read/reader.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "write/storage_calls.hpp"

namespace weir {

namespace {

constexpr std::int64_t sieve_bytes = 4 << 20;  // memory of one read
constexpr std::int64_t gap_bytes = 64 << 10;   // a smaller gap is read over rather than jumped

// Elements contiguous in the file, and where they go in memory.
struct ReadRun {
  std::int64_t element;
  std::int64_t count;
  std::int64_t memory;
  std::int64_t memory_stride;
};

std::vector<ReadRun> parts_of(const Layout& flat, std::int64_t most_elements) {
  std::vector<ReadRun> parts;
  for (std::size_t p = 0; p < flat.pieces().size(); ++p) {
    const Box run = flat.pieces()[p];
    const std::int64_t stride = flat.memory_strides(p)[0];
    for (std::int64_t at = run.lo[0]; at < run.hi[0]; at += most_elements)
      parts.push_back({at, std::min(most_elements, run.hi[0] - at), flat.base(p) + (at - run.lo[0]) * stride, stride});
  }
  std::sort(parts.begin(), parts.end(), [](const ReadRun& a, const ReadRun& b) { return a.element < b.element; });
  return parts;
}

// One past the last part that is read together with parts[first].
std::size_t end_of_read(const std::vector<ReadRun>& parts, std::size_t first, int size) {
  std::size_t end = first + 1;
  while (end < parts.size()) {
    const ReadRun& last = parts[end - 1];
    const ReadRun& next = parts[end];
    if ((next.element - last.element - last.count) * size > gap_bytes) break;
    if ((next.element + next.count - parts[first].element) * size > sieve_bytes) break;
    ++end;
  }
  return end;
}

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
      if (const auto trouble = other_file_trouble(file->number(), source.path, source.identity))
        throw refuse_to_read(*trouble);
    }
    // The first one opens the file, in the same call.
    void read(std::int64_t offset, std::int64_t bytes) {
      if (!file) open();
      buffer.resize(std::max(buffer.size(), static_cast<std::size_t>(bytes)));
      file->read(buffer.data(), bytes, offset);
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
  const std::vector<ReadRun> parts = parts_of(layout.flattened(), sieve_bytes / size);
  for (std::size_t first = 0; first < parts.size();) {
    const std::size_t end = end_of_read(parts, first, size);
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
