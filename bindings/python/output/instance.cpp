// SPDX-License-Identifier: Apache-2.0
#include "instance.hpp"

#include "buffer.hpp"

namespace weir::python {

namespace {

using Access = Buffer::Access;

template <class T>
const T* pointer(const std::optional<std::vector<T>>& values) {
  return values ? values->data() : nullptr;
}

}  // namespace

// Without a box this rank holds nothing.
int Instance::def_layout(const Indices& shape, const std::optional<Indices>& start, const std::optional<Indices>& count,
                         const std::optional<std::vector<int>>& order) const {
  int layout = -1;
  const int ndims = static_cast<int>(shape.size());
  check(outside([&, weir = handle()] {
    return weir_def_layout(weir, ndims, shape.data(), start ? 1 : 0, pointer(start), pointer(count), pointer(order),
                           &layout);
  }));
  return layout;
}

int Instance::def_layout_subarray(const Indices& shape, const std::pair<Indices, Indices>& box,
                                  const std::optional<std::vector<int>>& order,
                                  const std::pair<Indices, Indices>& memory) const {
  int layout = -1;
  const int ndims = static_cast<int>(shape.size());
  check(outside([&, weir = handle()] {
    return weir_def_layout_subarray(weir, ndims, shape.data(), box.first.data(), box.second.data(), pointer(order),
                                    memory.first.data(), memory.second.data(), &layout);
  }));
  return layout;
}

int Instance::def_layout_map(const Indices& shape, nanobind::handle offsets) const {
  int layout = -1;
  const int ndims = static_cast<int>(shape.size());
  const Buffer buffer(offsets, Access::read);
  check(outside([&, weir = handle()] {
    const auto length = buffer.bytes() / static_cast<std::int64_t>(sizeof(std::int64_t));
    return weir_def_layout_map(weir, ndims, shape.data(), length, static_cast<const std::int64_t*>(buffer.data()),
                               &layout);
  }));
  return layout;
}

}  // namespace weir::python
