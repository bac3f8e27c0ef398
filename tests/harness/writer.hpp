// SPDX-License-Identifier: Apache-2.0
// A library that the model writes by. Calls are collective, give 0 or the library's code, and throw nothing.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "plan.hpp"

namespace harness {

class Writer {
 public:
  explicit Writer(const Plan& plan) : plan_(plan) {}
  virtual ~Writer() = default;

  virtual int init() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    return 0;
  }
  // False on a rank that the library took for itself: it has done its part.
  virtual bool has_model() const { return true; }
  virtual int create(int file, int generation) = 0;
  virtual int open(int file, int generation) = 0;
  // Opens the file and goes back to so many records, which no library but Weir does.
  virtual int open_at([[maybe_unused]] int file, [[maybe_unused]] std::int64_t records) { return -1; }
  virtual int put(const RecordKey& place) = 0;
  virtual int sync(int file) = 0;
  virtual int close(int file) = 0;
  virtual bool is_open(int file) const = 0;
  virtual int finalize() { return 0; }
  // Of the last call that failed.
  virtual std::string sentence(int code) const = 0;

 protected:
  template <class Value>
  std::vector<Value> values(const RecordKey& place, const std::vector<std::int64_t>& elements) const {
    std::vector<Value> found;
    for (const std::int64_t e : elements) found.push_back(static_cast<Value>(plan_.expected(place, e)));
    return found;
  }

  const Plan& plan_;
  int rank_ = 0, ranks_ = 1;  // of the model
};

std::unique_ptr<Writer> make_weir_writer(const Plan& plan);
std::unique_ptr<Writer> make_pnetcdf_writer(const Plan& plan);
std::unique_ptr<Writer> make_netcdf4_writer(const Plan& plan);

}  // namespace harness
