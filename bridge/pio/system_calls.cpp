// SPDX-License-Identifier: Apache-2.0
// Calls that create and free I/O systems and decompositions.
//
// Init_Intracomm (and _from_F90), finalize, free_iosystem, error handling: PIO's, and known to the bridge
// InitDecomp (and _ReadOnly), InitDecomp_bc, init_decomp, freedecomp: PIO's, and made once more as a layout of Weir
#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "pio/border.hpp"
#include "pio/original_calls.hpp"
#include "pio/systems.hpp"

namespace weir::bridge {

namespace {

// The numbers of netCDF's types are Weir's, but for strings.
bool is_known(int type) {
  return type >= WEIR_BYTE && type <= WEIR_UINT64;
}

// PIO then sorts by the map.
bool descends(const std::vector<std::int64_t>& map) {
  for (std::size_t i = 1; i < map.size(); ++i)
    if (map[i] != WEIR_ABSENT && map[i] < map[i - 1]) return true;
  return false;
}

// As PIO's calls name one.
struct Named {
  int system, type, ndims;
  const int* lengths;
};

// Once PIO has made it, with this code. `map`: counted from `first`; `number`: PIO's. Returns the code.
int keep_decomposition(int code, const Named& named, std::span<const MPI_Offset> map, MPI_Offset first,
                       const int* number) {
  if (code != 0 || calls_inside != 0) return code;
  Decomposition made;
  made.system = shared_system(named.system);
  if (made.system == nullptr || !is_known(named.type)) return code;
  made.type = static_cast<Type>(named.type);
  made.shape.assign(named.lengths, named.lengths + named.ndims);
  made.map.reserve(map.size());
  for (const MPI_Offset place : map) made.map.push_back(place < first ? std::int64_t{WEIR_ABSENT} : place - first);
  made.clears_holes = descends(made.map);
  add_decomposition(*number, std::move(made));
  return code;
}

std::span<const MPI_Offset> elements_of(const MPI_Offset* map, int elements) {
  return {map, static_cast<std::size_t>(std::max(elements, 0))};
}

// The box of start and count, element by element.
std::vector<MPI_Offset> map_of_box(int ndims, const int* lengths, const long* start, const long* count) {
  const auto rank = static_cast<std::size_t>(ndims);
  const std::int64_t elements = std::accumulate(count, count + ndims, std::int64_t{1}, std::multiplies<>());
  std::vector<long> at(rank, 0);
  std::vector<MPI_Offset> map;
  map.reserve(static_cast<std::size_t>(elements));
  for (std::int64_t left = elements; left > 0; --left) {
    MPI_Offset offset = 0;
    for (std::size_t d = 0; d < rank; ++d) offset = offset * lengths[d] + start[d] + at[d];
    map.push_back(offset);
    for (std::size_t d = rank; d-- > 0 && ++at[d] == count[d];) at[d] = 0;
  }
  return map;
}

void set_error_method(int system, int method) {
  if (System* const known = system_of(system)) known->error_method = method;
}

}  // namespace

WEIR_BRIDGED PIOc_Init_Intracomm(MPI_Comm comm, int io_tasks, int stride, int base, int rearranger, int* system) {
  const int code = WEIR_PIO(PIOc_Init_Intracomm)(comm, io_tasks, stride, base, rearranger, system);
  if (code == 0 && calls_inside == 0) add_system(*system, comm);
  return code;
}

WEIR_BRIDGED PIOc_Init_Intracomm_from_F90(int comm, int io_tasks, int stride, int base, int rearranger, void* options,
                                          int* system) {
  const int code = WEIR_PIO(PIOc_Init_Intracomm_from_F90)(comm, io_tasks, stride, base, rearranger, options, system);
  if (code == 0 && calls_inside == 0) add_system(*system, MPI_Comm_f2c(comm));
  return code;
}

WEIR_BRIDGED PIOc_finalize(int system) {
  if (calls_inside == 0) remove_system(system);
  return WEIR_PIO(PIOc_finalize)(system);
}

WEIR_BRIDGED PIOc_free_iosystem(int system) {
  if (calls_inside == 0) remove_system(system);
  return WEIR_PIO(PIOc_free_iosystem)(system);
}

WEIR_BRIDGED PIOc_Set_IOSystem_Error_Handling(int system, int method) {
  set_error_method(system, method);
  return WEIR_PIO(PIOc_Set_IOSystem_Error_Handling)(system, method);
}

WEIR_BRIDGED PIOc_set_iosystem_error_handling(int system, int method, int* former) {
  set_error_method(system, method);
  return WEIR_PIO(PIOc_set_iosystem_error_handling)(system, method, former);
}

WEIR_BRIDGED PIOc_InitDecomp(int system, int type, int ndims, const int* lengths, int elements, const MPI_Offset* map,
                             int* decomposition, const int* rearranger, const MPI_Offset* io_start,
                             const MPI_Offset* io_count) {
  return at_system(system, [&] {
    const int code = WEIR_PIO(PIOc_InitDecomp)(system, type, ndims, lengths, elements, map, decomposition, rearranger,
                                               io_start, io_count);
    return keep_decomposition(code, {system, type, ndims, lengths}, elements_of(map, elements), 1, decomposition);
  });
}

WEIR_BRIDGED PIOc_InitDecomp_ReadOnly(int system, int type, int ndims, const int* lengths, int elements,
                                      const MPI_Offset* map, int* decomposition, const int* rearranger,
                                      const MPI_Offset* io_start, const MPI_Offset* io_count) {
  return at_system(system, [&] {
    const int code = WEIR_PIO(PIOc_InitDecomp_ReadOnly)(system, type, ndims, lengths, elements, map, decomposition,
                                                        rearranger, io_start, io_count);
    return keep_decomposition(code, {system, type, ndims, lengths}, elements_of(map, elements), 1, decomposition);
  });
}

WEIR_BRIDGED PIOc_init_decomp(int system, int type, int ndims, const int* lengths, int elements, const MPI_Offset* map,
                              int* decomposition, int rearranger, const MPI_Offset* io_start,
                              const MPI_Offset* io_count) {
  return at_system(system, [&] {
    const int code = WEIR_PIO(PIOc_init_decomp)(system, type, ndims, lengths, elements, map, decomposition, rearranger,
                                                io_start, io_count);
    return keep_decomposition(code, {system, type, ndims, lengths}, elements_of(map, elements), 0, decomposition);
  });
}

WEIR_BRIDGED PIOc_InitDecomp_bc(int system, int type, int ndims, const int* lengths, const long* start,
                                const long* count, int* decomposition) {
  return at_system(system, [&] {
    const int code = WEIR_PIO(PIOc_InitDecomp_bc)(system, type, ndims, lengths, start, count, decomposition);
    if (code != 0 || calls_inside != 0) return code;
    return keep_decomposition(code, {system, type, ndims, lengths}, map_of_box(ndims, lengths, start, count), 0,
                              decomposition);
  });
}

WEIR_BRIDGED PIOc_freedecomp(int system, int decomposition) {
  return at_system(system, [&] {
    if (calls_inside == 0) remove_decomposition(decomposition);
    return WEIR_PIO(PIOc_freedecomp)(system, decomposition);
  });
}

}  // namespace weir::bridge
