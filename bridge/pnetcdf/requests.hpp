// SPDX-License-Identifier: Apache-2.0
// Nonblocking puts that are pending until their wait_all, and the buffer of buffered ones. A put's values are the
// program's until then (iput), or copied when it is posted (bput, and where they had to be packed). Also nonblocking
// gets of records that the library does not know of yet and would refuse as beyond the end. Local.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pnetcdf/access.hpp"

namespace weir::bridge {

struct Request {
  enum class Kind { put, buffered_put, get };
  int id;
  Prepared put;  // of a get: what it gets, and where to
  Kind kind;
};

// Takes the gets out of these, in their order.
std::vector<Request> take_gets(std::vector<Request>& requests);

class Requests {
 public:
  // Posts a put, or get, and returns its number, which is none of PnetCDF's.
  int post(Prepared put, Request::Kind kind);
  bool holds(int id) const noexcept;
  bool empty() const noexcept { return waiting_.empty(); }
  std::size_t size() const noexcept { return waiting_.size(); }
  // Takes those of these numbers, all puts, all gets, or all, in the order of their posting.
  std::vector<Request> take(std::span<const int> ids);
  std::vector<Request> take_puts();
  std::vector<Request> take_gets();
  std::vector<Request> take_all();

  // The attached buffer: 0 bytes where there is none.
  void attach(std::int64_t bytes) noexcept { buffer_bytes_ = bytes; }
  std::int64_t buffer_bytes() const noexcept { return buffer_bytes_; }
  std::int64_t used_bytes() const noexcept;

 private:
  std::vector<Request> waiting_;
  int next_ = 0;
  std::int64_t buffer_bytes_ = 0;
};

}  // namespace weir::bridge
