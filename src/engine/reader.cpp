// SPDX-License-Identifier: Apache-2.0
#include "engine/reader.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "plan/file_runs.hpp"
#include "storage/storage_calls.hpp"

namespace weir {

namespace {

// An open file and what was read of it last. A read that was left has it to itself.
class FileBytes {
 public:
  FileBytes(const Source& source, StorageCalls* calls)
      : calls_(calls), what_(formatted("reading {}", source.path)), state_(std::make_shared<State>(source)) {}
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
      require(file->bytes() >= offset + bytes, WEIR_EIO, "\"{}\" was truncated while it was read; restore the file",
              source.path);
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
  FileBytes file(source, calls);
  const int size = type_bytes(source.type);
  const auto read = [&](std::int64_t element, std::int64_t count) {
    return file.read(source.first_byte + element * size, count * size);
  };
  return read_layout(read, source.type, layout, values, memory_type);
}

namespace {

Shape ends_of(IndexView start, IndexView count) {
  Shape end(start.begin(), start.end());
  for (std::size_t d = 0; d < end.size(); ++d) end[d] += count[d];
  return end;
}

class BoxReader {
 public:
  BoxReader(const std::shared_ptr<ChunkedSource>& source, const StoredBox& box, void* values, Type memory_type,
            StorageCalls& calls)
      : source_(source),
        box_(box),
        array_(source->array(box.var)),
        values_(values),
        memory_type_(memory_type),
        calls_(calls),
        end_(ends_of(box.start, box.count)),
        steps_(strides(box.count)),
        chunk_steps_(strides(array_.chunk)) {}

  RangeFailure read_chunks() {
    const std::size_t n = end_.size();
    Shape lo(n), hi(n), grid(n);
    for (std::size_t d = 0; d < n; ++d) {
      grid[d] = (array_.lengths[d] + array_.chunk[d] - 1) / array_.chunk[d];
      lo[d] = box_.start[d] / array_.chunk[d];
      hi[d] = (std::min(end_[d], array_.lengths[d]) + array_.chunk[d] - 1) / array_.chunk[d];
      if (lo[d] >= hi[d]) return fill_beyond();
    }
    const std::vector<std::int64_t> grid_steps = strides(grid);
    RangeFailure failure;
    each_index(lo, hi, [&](const Shape& index) { failure.merge(read_chunk(index, offset(index, grid_steps))); });
    failure.merge(fill_beyond());
    return failure;
  }

  RangeFailure read_in_one_piece() {
    const auto buffer = std::make_shared<std::vector<std::byte>>();
    const Layout layout =
        Layout::boxes(array_.lengths.empty() ? Shape{1} : array_.lengths,
                      array_.lengths.empty() ? Shape{0} : Shape(box_.start.begin(), box_.start.end()),
                      array_.lengths.empty() ? Shape{1} : Shape(box_.count.begin(), box_.count.end()), {});
    const auto read = [&](std::int64_t element, std::int64_t count) {
      run([source = source_, var = box_.var, buffer, element, count, size = type_bytes(box_.type)] {
        buffer->resize(std::max(buffer->size(), static_cast<std::size_t>(count * size)));
        source->read_piece(var, element, count, buffer->data());
      });
      return static_cast<const std::byte*>(buffer->data());
    };
    return read_layout(read, box_.type, layout, values_, memory_type_);
  }

 private:
  // By the thread that makes calls to storage; it does not touch the model's buffer, since it may be left behind.
  template <class Work>
  void run(Work work) {
    calls_.run([work] { return work(), Status(); }, "reading").raise();
  }

  RangeFailure read_chunk(const Shape& index, std::int64_t number) {
    const auto found = std::make_shared<std::span<const std::byte>>();
    run([source = source_, var = box_.var, number, found] { *found = source->chunk(var, number); });
    Shape lo(index.size()), hi(index.size());
    std::int64_t first = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      const std::int64_t begin = index[d] * array_.chunk[d];
      lo[d] = std::max(begin, box_.start[d]);
      hi[d] = std::min({begin + array_.chunk[d], end_[d], array_.lengths[d]});
      first += (lo[d] - begin) * chunk_steps_[d];
    }
    if (found->empty()) return take(array_.fill.data(), {lo, hi}, 0, std::vector<std::int64_t>(lo.size(), 0));
    return take(found->data(), {lo, hi}, first, chunk_steps_);
  }

  // A part of the box, from memory in which its elements lie at these steps.
  RangeFailure take(const std::byte* from, Box part, std::int64_t first, const std::vector<std::int64_t>& from_steps) {
    Block block{first, 0, {}};
    for (std::size_t d = 0; d < part.lo.size(); ++d) {
      block.target += (part.lo[d] - box_.start[d]) * steps_[d];
      block.loops.push_back({part.hi[d] - part.lo[d], from_steps[d], steps_[d]});
    }
    CopyProgram program;
    append(program, std::move(block));
    return decode(program, from, box_.type, values_, memory_type_);
  }

  // What is beyond the array in the file along a dimension, and not along those before it.
  RangeFailure fill_beyond() {
    RangeFailure failure;
    Shape lo(box_.start.begin(), box_.start.end()), hi = end_;
    for (std::size_t d = 0; d < lo.size(); ++d) {
      const std::int64_t within = std::min(end_[d], array_.lengths[d]);
      lo[d] = std::max(box_.start[d], array_.lengths[d]);
      if (lo[d] < end_[d])
        failure.merge(take(box_.beyond.data(), {lo, hi}, 0, std::vector<std::int64_t>(lo.size(), 0)));
      lo[d] = box_.start[d];
      hi[d] = within;
      if (lo[d] >= hi[d]) break;
    }
    return failure;
  }

  std::shared_ptr<ChunkedSource> source_;
  const StoredBox& box_;
  const StoredArray& array_;
  void* values_;
  Type memory_type_;
  StorageCalls& calls_;
  Shape end_;
  std::vector<std::int64_t> steps_, chunk_steps_;
};

}  // namespace

RangeFailure read_box(const std::shared_ptr<ChunkedSource>& source, const StoredBox& box, void* values,
                      Type memory_type, StorageCalls& calls) {
  if (std::find(box.count.begin(), box.count.end(), 0) != box.count.end()) return {};
  BoxReader reader(source, box, values, memory_type, calls);
  return source->array(box.var).chunk.empty() ? reader.read_in_one_piece() : reader.read_chunks();
}

}  // namespace weir
