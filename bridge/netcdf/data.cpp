// SPDX-License-Identifier: Apache-2.0
// Implements netCDF's data calls on a file of the bridge by PnetCDF's calls, collective or independent as the file's
// access is.
#include <pnetcdf.h>

#include <vector>

#include "netcdf/intercepted_calls.hpp"
#include "netcdf/libraries.hpp"
#include "netcdf/pnetcdf_types.hpp"

namespace weir::bridge::intercepted {

namespace {

// A call's region in PnetCDF's type; stride and map are empty where all elements follow each other.
struct CallRegion {
  int var = 0;
  std::vector<std::size_t> starts, counts;
  std::vector<MPI_Offset> start, count, stride, map;
  nc_type memory = own_type;
};

int shape_of(NetcdfFile& file, int var, std::vector<std::size_t>& shape) {
  std::vector<int> dims(shape.size());
  int code = nc_inq_vardimid(file, var, dims.data());
  for (std::size_t i = 0; i < shape.size() && code == NC_NOERR; ++i) code = nc_inq_dimlen(file, dims[i], &shape[i]);
  return code;
}

template <class From>
std::vector<MPI_Offset> offsets(const From* numbers, std::size_t count) {
  return numbers == nullptr ? std::vector<MPI_Offset>() : std::vector<MPI_Offset>(numbers, numbers + count);
}

// What NULL means, and what the forms leave out, as netCDF has it.
int find_place(NetcdfFile& file, int var, Form form, const Region& region, nc_type memory, CallRegion& place) {
  int ndims = 0;
  if (const int code = nc_inq_varndims(file, var, &ndims); code != NC_NOERR) return code;
  const auto rank = static_cast<std::size_t>(ndims);
  if (form != Form::var && region.start == nullptr && rank > 0) return NC_EINVALCOORDS;
  place.var = var;
  place.memory = memory;
  if (memory == own_type)
    if (const int code = nc_inq_vartype(file, var, &place.memory); code != NC_NOERR) return code;
  place.starts.assign(rank, 0);
  if (form != Form::var && rank > 0) place.starts.assign(region.start, region.start + rank);
  place.counts.assign(rank, 1);
  if (form == Form::var || (form != Form::var1 && region.count == nullptr)) {
    if (const int code = shape_of(file, var, place.counts); code != NC_NOERR) return code;
  } else if (form != Form::var1) {
    place.counts.assign(region.count, region.count + rank);
  }
  // PnetCDF looks at one number even of a scalar.
  place.starts.reserve(1), place.counts.reserve(1);
  place.start.assign(place.starts.begin(), place.starts.end());
  place.count.assign(place.counts.begin(), place.counts.end());
  place.stride = offsets(region.stride, rank);
  place.map = offsets(region.map, rank);
  if (!place.map.empty() && place.stride.empty()) place.stride.assign(rank, 1);
  return NC_NOERR;
}

// Of values that no classic variable holds (strings).
int no_such_type(NetcdfFile& file, int var) {
  nc_type type = own_type;
  nc_inq_vartype(file, var, &type);
  return type == NC_CHAR && file.origin == Origin::plain ? NC_ECHAR : NC_EBADTYPE;
}

// CALL is put or get.
#define WEIR_PASS(CALL, word, pointer)                                                                                \
  do {                                                                                                                \
    const MPI_Offset *const start = place.start.data(), *const count = place.count.data();                            \
    const MPI_Offset *const stride = place.stride.data(), *const map = place.map.data();                              \
    const int id = file.pnetcdf, var = place.var;                                                                     \
    if (!place.map.empty())                                                                                           \
      return file.collective                                                                                          \
                 ? WEIR_PNETCDF(ncmpi_##CALL##_varm_##word##_all)(id, var, start, count, stride, map, pointer)        \
                 : WEIR_PNETCDF(ncmpi_##CALL##_varm_##word)(id, var, start, count, stride, map, pointer);             \
    if (!place.stride.empty())                                                                                        \
      return file.collective ? WEIR_PNETCDF(ncmpi_##CALL##_vars_##word##_all)(id, var, start, count, stride, pointer) \
                             : WEIR_PNETCDF(ncmpi_##CALL##_vars_##word)(id, var, start, count, stride, pointer);      \
    return file.collective ? WEIR_PNETCDF(ncmpi_##CALL##_vara_##word##_all)(id, var, start, count, pointer)           \
                           : WEIR_PNETCDF(ncmpi_##CALL##_vara_##word)(id, var, start, count, pointer);                \
  } while (false)

int put_at(NetcdfFile& file, const CallRegion& place, const void* values) {
  switch (place.memory) {
#define X(NUMBER, word, c_type) \
  case NUMBER:                  \
    WEIR_PASS(put, word, static_cast<const c_type*>(values));
    WEIR_PNETCDF_TYPES(X)
#undef X
    default:
      return no_such_type(file, place.var);
  }
}

int get_at(NetcdfFile& file, const CallRegion& place, void* values) {
  switch (place.memory) {
#define X(NUMBER, word, c_type) \
  case NUMBER:                  \
    WEIR_PASS(get, word, static_cast<c_type*>(values));
    WEIR_PNETCDF_TYPES(X)
#undef X
    default:
      return no_such_type(file, place.var);
  }
}

// Before a record that is not there: netCDF's classic layer says that the count, PnetCDF that the start is wrong.
bool starts_beyond_records(NetcdfFile& file, const CallRegion& place) {
  std::vector<std::size_t> shape(place.starts.size());
  std::vector<int> dims(place.starts.size());
  int unlimited = -1;
  nc_inq_unlimdim(file, &unlimited);
  if (dims.empty() || nc_inq_vardimid(file, place.var, dims.data()) != NC_NOERR || dims[0] != unlimited) return false;
  if (shape_of(file, place.var, shape) != NC_NOERR || place.starts[0] < shape[0]) return false;
  for (std::size_t i = 1; i < shape.size(); ++i)
    if (place.starts[i] >= shape[i]) return false;
  return true;
}

}  // namespace

int put(NetcdfFile& file, int var, Form form, const Region& region, const void* values, nc_type memory) {
  CallRegion place;
  if (const int code = find_place(file, var, form, region, memory, place); code != NC_NOERR) return code;
  if (file.filling && !file.defining) {
    nc_type type = own_type;
    nc_inq_vartype(file, var, &type);
    const bool convertible = (type == NC_CHAR) == (place.memory == NC_CHAR);
    const int code =
        file.filling->before_put(file, var, place.starts.data(), place.counts.data(),
                                 form == Form::vars || form == Form::varm ? region.stride : nullptr, convertible);
    if (code != NC_NOERR) return code;
  }
  return put_at(file, place, values);
}

int put_box(NetcdfFile& file, int var, const std::size_t* start, const std::size_t* count, const void* values) {
  CallRegion place;
  const int code = find_place(file, var, Form::vara, {start, count, nullptr, nullptr}, own_type, place);
  return code == NC_NOERR ? put_at(file, place, values) : code;
}

int get(NetcdfFile& file, int var, Form form, const Region& region, void* values, nc_type memory) {
  CallRegion place;
  if (const int code = find_place(file, var, form, region, memory, place); code != NC_NOERR) return code;
  if (file.filling && !file.defining)
    if (const int code = file.filling->finish_fills(file); code != NC_NOERR) return code;
  const int code = get_at(file, place, values);
  if (code == NC_EINVALCOORDS && file.origin == Origin::plain && starts_beyond_records(file, place)) return NC_EEDGE;
  return code;
}

}  // namespace weir::bridge::intercepted
