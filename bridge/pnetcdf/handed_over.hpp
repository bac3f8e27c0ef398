// SPDX-License-Identifier: Apache-2.0
// Requests that are the library's after all, which has then numbers of its own for them. Their values are kept until it
// is done with them. Local.
#pragma once

#include <vector>

#include "pnetcdf/requests.hpp"

namespace weir::bridge {

class HandedOver {
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
