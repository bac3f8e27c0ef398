// SPDX-License-Identifier: Apache-2.0
// Errors of workloads and benchmarks, and the checks around every library call. Local.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace weir::bench {

// Ends the program: the ranks may no longer agree on what comes next.
class BenchError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Every rank throws it at the same place: it ends one mode while the others go on, or the program without a clamour.
class AgreedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Each throws BenchError with the library's own words where `status` is not success; `what` names call and object.
void check_mpi(int status, std::string_view what);
void check_pnetcdf(int status, std::string_view what);
void check_netcdf(int status, std::string_view what);
// For system calls: throws with errno's words where `result` is negative.
void check_system(long long result, std::string_view what);

}  // namespace weir::bench
