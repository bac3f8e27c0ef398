// SPDX-License-Identifier: Apache-2.0
#include "netcdf/packed_access.hpp"

#include <pnetcdf.h>

#include <algorithm>
#include <cstdint>

namespace weir::bridge {

namespace {

constexpr intercepted::nc_type first_number = NC_BYTE, last_number = NC_UINT64;

int check_type(intercepted::nc_type memory, Type external) {
  const bool text = memory == NC_CHAR;
  if (memory < first_number || memory > last_number) return NC_EBADTYPE;
  return text == (external == WEIR_CHAR) ? NC_NOERR : NC_ECHAR;
}

// What NULL means, and what the forms leave out.
int find_slab(const PackedAccess& access, const PackedVariable& variable, std::int64_t records, Slab& slab) {
  const std::size_t ndims = variable.shape.size();
  const intercepted::Region& region = access.region;
  const bool whole = access.form == intercepted::Form::var;
  if (!whole && region.start == nullptr && ndims > 0) return NC_EINVALCOORDS;
  slab = {Shape(ndims, 0), Shape(ndims, 1), {}};
  if (!whole && ndims > 0) slab.start.assign(region.start, region.start + ndims);
  if (whole || (access.form != intercepted::Form::var1 && region.count == nullptr)) {
    slab.count = variable.shape;
    if (variable.record) slab.count[0] = records;
  } else if (access.form != intercepted::Form::var1) {
    slab.count.assign(region.count, region.count + ndims);
  }
  if (region.stride != nullptr) slab.stride.assign(region.stride, region.stride + ndims);
  return NC_NOERR;
}

// netCDF lets a call put nothing just behind a dimension's end.
int check_bounds(const Slab& slab, const PackedVariable& variable) {
  const bool nothing = std::find(slab.count.begin(), slab.count.end(), 0) != slab.count.end();
  for (const std::int64_t step : slab.stride)
    if (step <= 0) return NC_ESTRIDE;
  for (std::size_t d = 0; d < slab.start.size(); ++d) {
    const std::int64_t length = variable.record && d == 0 ? INT64_MAX : variable.shape[d], count = slab.count[d];
    if (slab.start[d] < 0 || slab.start[d] > length || (slab.start[d] == length && count > 0)) return NC_EINVALCOORDS;
    std::int64_t last = 0;
    if (count < 0 || __builtin_mul_overflow(count - 1, slab.stride.empty() ? 1 : slab.stride[d], &last))
      return NC_EEDGE;
    if (!nothing && last >= length - slab.start[d]) return NC_EEDGE;
  }
  return NC_NOERR;
}

}  // namespace

int prepare(const PackedAccess& access, const PackedVariable& variable, std::int64_t records, const void* values,
            Prepared& put) {
  put.part.var = access.var;
  put.part.type = access.memory == intercepted::own_type ? variable.type : static_cast<Type>(access.memory);
  put.part.values = values;
  if (const int code = check_type(put.part.type, variable.type); code != NC_NOERR) return code;
  Slab slab;
  if (const int code = find_slab(access, variable, records, slab); code != NC_NOERR) return code;
  if (const int code = check_bounds(slab, variable); code != NC_NOERR) return code;
  put.elements = 1;
  for (const std::int64_t count : slab.count)
    if (__builtin_mul_overflow(put.elements, count, &put.elements)) return NC_ENOMEM;
  if (values == nullptr && put.elements > 0) return NC_EINVAL;
  put.bytes = put.elements * type_bytes(variable.type);
  if (variable.record && put.elements > 0)
    put.records = slab.start[0] + (slab.count[0] - 1) * (slab.stride.empty() ? 1 : slab.stride[0]) + 1;
  if (access.region.map != nullptr && put.elements > 0) {
    const std::vector<MPI_Offset> map(access.region.map, access.region.map + slab.count.size());
    if (!is_contiguous(slab.count, map.data())) {
      put.packed.resize(static_cast<std::size_t>(put.elements * type_bytes(put.part.type)));
      pack_mapped(values, type_bytes(put.part.type), slab.count, map.data(), put.packed);
      put.part.values = put.packed.data();
    }
  }
  put.part.slabs.push_back(std::move(slab));
  return NC_NOERR;
}

}  // namespace weir::bridge
