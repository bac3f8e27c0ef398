// SPDX-License-Identifier: Apache-2.0
#include "copy.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "schema/types.hpp"

namespace weir::convert {

namespace {

std::int64_t volume(std::span<const std::int64_t> count) {
  return std::accumulate(count.begin(), count.end(), std::int64_t{1}, std::multiplies<>());
}

// The dimension to part among the ranks: the slowest that has an element for each, else the longest.
std::size_t has_diverged(const std::vector<std::int64_t>& count, std::size_t first, int ranks) {
  const auto begin = count.begin() + static_cast<std::ptrdiff_t>(first);
  auto found = std::find_if(begin, count.end(), [&](std::int64_t length) { return length >= ranks; });
  if (found == count.end()) found = std::max_element(begin, count.end());
  return static_cast<std::size_t>(found - count.begin());
}

void check(int code, const weir_file* file) {
  if (code != WEIR_OK) throw io::Error(code, weir_file_error(file));
}

}  // namespace

void Copier::copy(int var) {
  const io::File::Variable variable = in_.inq_var(var);
  const int record_dim = in_.inq().record_dim;
  const bool is_record = !variable.dims.empty() && variable.dims[0] == record_dim;
  Box whole;
  for (const int dim : variable.dims) {
    whole.start.push_back(0);
    whole.count.push_back(dim == record_dim ? in_.inq_nrecords() : in_.inq_dim(dim).length);
  }
  if (volume(whole.count) > 0) copy_records(var, variable.type, whole, is_record);
}

// Small records go together: each call asks all ranks.
void Copier::copy_records(int var, weir_type type, const Box& whole, bool is_record) {
  if (!is_record) return copy_pieces(var, type, whole, 0);
  const std::int64_t record_bytes = volume(std::span(whole.count).subspan(1)) * type_bytes(type);
  const std::int64_t together = std::max<std::int64_t>(1, most_bytes_ / record_bytes);
  Box box = whole;
  for (std::int64_t record = 0; record < whole.count[0]; record += together) {
    box.start[0] = record;
    box.count[0] = std::min(together, whole.count[0] - record);
    copy_pieces(var, type, box, 1);
  }
}

// In pieces along the slowest dimension from `first` on, where a rank's share is too much; that dimension is not halved
// below one, but the next one is.
void Copier::copy_pieces(int var, weir_type type, const Box& box, std::size_t first) {
  const bool fits = volume(box.count) * type_bytes(type) / ranks_.size <= most_bytes_;
  const auto longer = [](std::int64_t length) { return length > 1; };
  const auto found = std::find_if(box.count.begin() + static_cast<std::ptrdiff_t>(first), box.count.end(), longer);
  if (fits || !cut_ || found == box.count.end()) return copy_box(var, type, box, first);
  const auto dim = static_cast<std::size_t>(found - box.count.begin());
  Box half = box;
  half.count[dim] = box.count[dim] / 2;
  copy_pieces(var, type, half, first);
  half.start[dim] += half.count[dim];
  half.count[dim] = box.count[dim] - half.count[dim];
  copy_pieces(var, type, half, first);
}

// A box without a dimension to part is rank 0's: all ranks that read must read the same records.
void Copier::copy_box(int var, weir_type type, Box box, std::size_t first) {
  if (first < box.count.size()) {
    const std::size_t dim = has_diverged(box.count, first, ranks_.size);
    const std::int64_t length = box.count[dim];
    const std::int64_t begin = length * ranks_.rank / ranks_.size, end = length * (ranks_.rank + 1) / ranks_.size;
    box.start[dim] += begin;
    box.count[dim] = end - begin;
  } else if (!box.count.empty() && ranks_.rank != 0) {
    std::fill(box.count.begin(), box.count.end(), 0);
  }
  const bool scalar = box.count.empty();
  values_.resize(static_cast<std::size_t>(volume(box.count) * type_bytes(type)));
  check(weir_get_vara_all(in_.handle(), var, box.start.data(), box.count.data(), type, values_.data()), in_.handle());
  check(scalar ? weir_put_var(out_.handle(), var, 0, type, values_.data())
               : weir_put_vara(out_.handle(), var, box.start.data(), box.count.data(), type, values_.data()),
        out_.handle());
}

}  // namespace weir::convert
