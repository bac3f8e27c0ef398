// SPDX-License-Identifier: Apache-2.0
// Requests that the library handles after all, under numbers of its own. Their values are kept until the library has
// completed them. Local.
#pragma once

#include <vector>

#include "pnetcdf/requests.hpp"

namespace weir::bridge {

class ReturnedRequests {
 public:
  struct Number {
    int id, of_library;
  };
  // Posts them, in the order of their slabs; `code` becomes the first error.
  std::vector<Number> post(int ncid, std::vector<Request> requests, int& code);
  void forget() noexcept { held_.clear(); }

 private:
  std::vector<Request> held_;
};

}  // namespace weir::bridge
