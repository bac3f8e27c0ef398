// SPDX-License-Identifier: Apache-2.0
// The procedures of module weir_layouts.
#include <algorithm>

#include "base/text.hpp"
#include "procedures.hpp"

namespace weir::fortran {
namespace {

struct BoxesOfRank {
  const CFI_cdesc_t *shape, *starts, *counts, *order;
};

struct Subarray {
  const CFI_cdesc_t *shape, *start, *count, *memory_shape, *memory_start, *order;
};

void require_length(const char* argument, std::size_t length, std::size_t wanted) {
  if (length != wanted)
    throw Refusal(WEIR_EARGUMENT,
                  formatted("{} has {} elements, but shape has {}; give one for every axis", argument, length, wanted));
}

const int* order_or_null(const std::vector<int>& order, const CFI_cdesc_t* given, std::size_t axes) {
  if (given == nullptr) return nullptr;
  require_length("order", order.size(), axes);
  return order.data();
}

// Turns each box's axes from fastest first to slowest first; `from` is 1 for positions and 0 for lengths.
std::vector<std::int64_t> box_rows(const CFI_cdesc_t& array, std::size_t axes, std::int64_t from) {
  auto rows = integers(array);
  for (std::size_t row = 0; axes > 0 && row + axes <= rows.size(); row += axes) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row);
    std::reverse(begin, begin + static_cast<std::ptrdiff_t>(axes));
  }
  for (auto& value : rows) value -= from;
  return rows;
}

// starts and counts are (ndims) for one box or (ndims, nboxes).
int box_number(const CFI_cdesc_t& array, std::size_t axes, const char* argument) {
  if (array.rank < 1 || array.rank > 2 || array.dim[0].extent != static_cast<CFI_index_t>(axes))
    throw Refusal(WEIR_EARGUMENT,
                  formatted("{} must be an array of {} elements, or of ({}, number of boxes)", argument, axes, axes));
  return array.rank == 1 ? 1 : static_cast<int>(array.dim[1].extent);
}

// All ranks agree where a layout is defined: a rank whose arguments are refused here comes too, with a layout that
// cannot be, so that the others get an error and do not wait for it.
template <class Define>
void define_layout(weir_t* instance, int* layout, Answer answer, Define define) {
  *layout = 0;
  call_on(instance, answer, [&] {
    int id = -1;
    try {
      const int code = define(&id);
      *layout = id + 1;
      return code;
    } catch (const Refusal&) {
      weir_def_layout_map(instance, 0, nullptr, 1, nullptr, &id);
      throw;
    }
  });
}

void define_boxes(weir_t* instance, const BoxesOfRank& boxes, int* layout, Answer answer) {
  define_layout(instance, layout, answer, [&](int* id) {
    const auto shape = axis_lengths(*boxes.shape);
    const int number = box_number(*boxes.starts, shape.size(), "starts");
    if (box_number(*boxes.counts, shape.size(), "counts") != number)
      throw Refusal(WEIR_EARGUMENT, "starts and counts are for different numbers of boxes; give one of each a box");
    const auto starts = box_rows(*boxes.starts, shape.size(), 1);
    const auto counts = box_rows(*boxes.counts, shape.size(), 0);
    const auto order = axis_order(boxes.order);
    return weir_def_layout(instance, static_cast<int>(shape.size()), shape.data(), number, starts.data(), counts.data(),
                           order_or_null(order, boxes.order, shape.size()), id);
  });
}

void define_subarray(weir_t* instance, const Subarray& part, int* layout, Answer answer) {
  define_layout(instance, layout, answer, [&](int* id) {
    const auto shape = axis_lengths(*part.shape);
    const auto start = axis_starts(*part.start);
    const auto count = axis_lengths(*part.count);
    const auto memory_shape = axis_lengths(*part.memory_shape);
    const auto memory_start = axis_starts(*part.memory_start);
    const auto order = axis_order(part.order);
    require_length("start", start.size(), shape.size());
    require_length("count", count.size(), shape.size());
    require_length("memory_shape", memory_shape.size(), shape.size());
    require_length("memory_start", memory_start.size(), shape.size());
    return weir_def_layout_subarray(instance, static_cast<int>(shape.size()), shape.data(), start.data(), count.data(),
                                    order_or_null(order, part.order, shape.size()), memory_shape.data(),
                                    memory_start.data(), id);
  });
}

// A negative offset stays as it is, so that the sentence about it shows the caller's number.
std::int64_t offset_from_0(std::int64_t offset) {
  if (offset == 0) return WEIR_ABSENT;
  return offset > 0 ? offset - 1 : offset;
}

void define_map(weir_t* instance, const CFI_cdesc_t* shape_array, const CFI_cdesc_t* offset_array, int* layout,
                Answer answer) {
  define_layout(instance, layout, answer, [&](int* id) {
    const auto shape = axis_lengths(*shape_array);
    auto offsets = integers(*offset_array);
    std::transform(offsets.begin(), offsets.end(), offsets.begin(), offset_from_0);
    return weir_def_layout_map(instance, static_cast<int>(shape.size()), shape.data(),
                               static_cast<std::int64_t>(offsets.size()), offsets.data(), id);
  });
}

}  // namespace
}  // namespace weir::fortran

using namespace weir::fortran;

extern "C" {

// A descriptor says of which kind the indices are, so these serve int64 too (plain_calls.cpp).
void weir_f_def_layout_int32(weir_t* const* instance, const CFI_cdesc_t* shape, const CFI_cdesc_t* starts,
                             const CFI_cdesc_t* counts, int* layout, const CFI_cdesc_t* order, int* stat,
                             CFI_cdesc_t* errmsg) {
  define_boxes(*instance, {shape, starts, counts, order}, layout, {stat, errmsg});
}

void weir_f_def_layout_subarray_int32(weir_t* const* instance, const CFI_cdesc_t* shape, const CFI_cdesc_t* start,
                                      const CFI_cdesc_t* count, const CFI_cdesc_t* memory_shape,
                                      const CFI_cdesc_t* memory_start, int* layout, const CFI_cdesc_t* order, int* stat,
                                      CFI_cdesc_t* errmsg) {
  define_subarray(*instance, {shape, start, count, memory_shape, memory_start, order}, layout, {stat, errmsg});
}

void weir_f_def_layout_map_int32(weir_t* const* instance, const CFI_cdesc_t* shape, const CFI_cdesc_t* offsets,
                                 int* layout, int* stat, CFI_cdesc_t* errmsg) {
  define_map(*instance, shape, offsets, layout, {stat, errmsg});
}

void weir_f_inq_layout_int32(weir_t* const* instance, const int* layout, std::int32_t* buffer_length, int* stat,
                             CFI_cdesc_t* errmsg) {
  *buffer_length = 0;
  call_on(*instance, {stat, errmsg}, [&] {
    std::int64_t length = 0;
    const int code = weir_inq_layout(*instance, *layout - 1, &length);
    *buffer_length = short_integer(length, "the buffer's length");
    return code;
  });
}

}  // extern "C"
