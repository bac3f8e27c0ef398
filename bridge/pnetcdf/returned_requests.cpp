// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/returned_requests.hpp"

#include <utility>

#include "mpi/comm.hpp"
#include "pnetcdf/original_calls.hpp"

namespace weir::bridge {

std::vector<ReturnedRequests::Number> ReturnedRequests::post(int ncid, std::vector<Request> requests, int& code) {
  std::vector<Number> numbers;
  for (Request& request : requests) {
    const LocalSlabs& part = request.put.part;
    const auto* values = static_cast<const std::byte*>(part.values);
    for (const Slab& slab : part.slabs) {
      const std::vector<MPI_Offset> start(slab.start.begin(), slab.start.end());
      const std::vector<MPI_Offset> count(slab.count.begin(), slab.count.end());
      const std::vector<MPI_Offset> stride(slab.stride.begin(), slab.stride.end());
      int number = NC_REQ_NULL;
      const MPI_Offset* const steps = stride.empty() ? nullptr : stride.data();
      const int result = request.kind == Request::Kind::get
                             ? WEIR_ORIGINAL(ncmpi_iget_vars)(ncid, part.var, start.data(), count.data(), steps,
                                                              const_cast<std::byte*>(values), slab.elements(),
                                                              mpi_type(part.type), &number)
                             : WEIR_ORIGINAL(ncmpi_iput_vars)(ncid, part.var, start.data(), count.data(), steps, values,
                                                              slab.elements(), mpi_type(part.type), &number);
      if (code == NC_NOERR && result != NC_ERANGE) code = result;
      numbers.push_back({request.id, number});
      values += slab.elements() * type_bytes(part.type);
    }
    held_.push_back(std::move(request));
  }
  return numbers;
}

}  // namespace weir::bridge
