// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/requests.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

namespace weir::bridge {

namespace {

// PnetCDF counts its requests from 0, puts even and gets odd, and begins anew where none is waiting. Its Fortran calls
// rely on that: they forget the number of a put with values out of range, and wait for the number of the one before.
constexpr int first_number = 1 << 30;
constexpr int request_numbers = 1 << 28;

// The values are the program's again when the call returns.
void keep(Prepared& put, int bytes) {
  if (put.packed.empty() && put.elements > 0) {
    const auto* values = static_cast<const std::byte*>(put.part.values);
    put.packed.assign(values, values + put.elements * bytes);
  }
  put.part.values = put.packed.data();
}

template <class Wanted>
std::vector<Request> take_if(std::vector<Request>& requests, Wanted wanted) {
  const auto taken_ones = std::stable_partition(requests.begin(), requests.end(), std::not_fn(wanted));
  std::vector<Request> taken(std::make_move_iterator(taken_ones), std::make_move_iterator(requests.end()));
  requests.erase(taken_ones, requests.end());
  return taken;
}

}  // namespace

std::vector<Request> take_gets(std::vector<Request>& requests) {
  return take_if(requests, [](const Request& request) { return request.kind == Request::Kind::get; });
}

int Requests::post(Prepared put, Request::Kind kind) {
  if (waiting_.empty()) next_ = 0;
  const int id = first_number + 2 * next_;
  next_ = (next_ + 1) % request_numbers;
  const bool get = kind == Request::Kind::get, buffered = kind == Request::Kind::buffered_put;
  if (!get && (buffered || !put.packed.empty())) keep(put, type_bytes(put.part.type));
  waiting_.push_back({id + get, std::move(put), kind});
  return waiting_.back().id;
}

bool Requests::holds(int id) const noexcept {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Request& request) { return request.id == id; });
}

std::vector<Request> Requests::take(std::span<const int> ids) {
  std::vector<int> wanted(ids.begin(), ids.end());
  std::sort(wanted.begin(), wanted.end());
  return take_if(waiting_,
                 [&](const Request& request) { return std::binary_search(wanted.begin(), wanted.end(), request.id); });
}

std::vector<Request> Requests::take_puts() {
  return take_if(waiting_, [](const Request& request) { return request.kind != Request::Kind::get; });
}

std::vector<Request> Requests::take_gets() {
  return weir::bridge::take_gets(waiting_);
}

std::vector<Request> Requests::take_all() {
  return std::exchange(waiting_, {});
}

std::int64_t Requests::used_bytes() const noexcept {
  std::int64_t bytes = 0;
  for (const Request& request : waiting_) bytes += request.kind == Request::Kind::buffered_put ? request.put.bytes : 0;
  return bytes;
}

}  // namespace weir::bridge
