// SPDX-License-Identifier: Apache-2.0
// The memory of a Python object that has the buffer protocol (a NumPy array, bytes), as Weir's calls take it: where it
// lies, without a copy, for as long as this object lives. Only C-contiguous memory is taken. To be made and to end with
// the GIL held.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>
#include <weir/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <weir/elements.hpp>

namespace weir::python {

constexpr std::int64_t type_bytes(weir_type type) {
  constexpr std::int64_t bytes[] = {1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
  if (type < WEIR_BYTE || type > WEIR_UINT64)
    throw io::Error(WEIR_EARGUMENT, std::to_string(type) + " is not a valid weir_type");
  return bytes[type - WEIR_BYTE];
}

// Of a box; 0 where it is empty. A negative count is the library's to refuse.
inline std::int64_t elements(std::span<const std::int64_t> count) {
  std::int64_t all = 1;
  for (const std::int64_t each : count) {
    if (each <= 0) return 0;
    all *= each;
  }
  return all;
}

class Buffer {
 public:
  enum class Access { read, write };

  Buffer(nanobind::handle object, Access access) {
    const int flags = access == Access::write ? PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE : PyBUF_C_CONTIGUOUS;
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) throw nanobind::python_error();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { PyBuffer_Release(&view_); }

  void* data() const noexcept { return view_.buf; }
  std::int64_t bytes() const noexcept { return view_.len; }

  // The last line of defence: weir.output compares shapes before, and says it in words of its own.
  void* holding(std::int64_t needed, weir_type type) const {
    const std::int64_t needed_bytes = needed * type_bytes(type);
    if (bytes() < needed_bytes)
      throw io::Error(WEIR_EARGUMENT, "the buffer has " + std::to_string(bytes()) + " bytes, " +
                                          std::to_string(needed_bytes) + " are needed: give a buffer of that size");
    return data();
  }

 private:
  Py_buffer view_{};
};

}  // namespace weir::python
