// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/access.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>

#include "mpi/comm.hpp"
#include "pnetcdf/filetype.hpp"
#include "pnetcdf/types.hpp"

namespace weir::bridge {

namespace {

// A larger count the library does not write into their headers; it says so at the put.
constexpr std::int64_t most_records_of_old_formats = INT_MAX;

// Whether the slab lies within the variable; of the record dimension every number from 0 on does.
bool lies_within(const Slab& slab, const Variable& variable, const FileForm& form) {
  for (std::size_t d = 0; d < slab.start.size(); ++d) {
    const std::int64_t step = slab.stride.empty() ? 1 : slab.stride[d];
    if (slab.start[d] < 0 || slab.count[d] < 0 || step < 1) return false;
    const bool record = variable.record && d == 0;
    const std::int64_t end = record ? most_records_of_old_formats : variable.shape[d];
    if (record && form.format == 5) continue;
    if (slab.count[d] == 0 && slab.start[d] <= (form.relaxed ? end : end - 1)) continue;
    if (slab.start[d] >= end || slab.count[d] > end) return false;
    std::int64_t last = 0;
    if (__builtin_mul_overflow(slab.count[d] - 1, step, &last) || last >= end - slab.start[d]) return false;
  }
  return true;
}

Slab box_of(const MPI_Offset* start, const MPI_Offset* count, const MPI_Offset* stride, std::size_t ndims) {
  Slab slab{Shape(start, start + ndims), Shape(ndims, 1), {}};
  if (count != nullptr) slab.count.assign(count, count + ndims);
  if (stride != nullptr) slab.stride.assign(stride, stride + ndims);
  return slab;
}

// The parts that the call names; nullopt where a list of numbers is missing.
std::optional<std::vector<Slab>> slabs_of(const Access& access, const Variable& variable, const FileForm& form) {
  const std::size_t ndims = variable.shape.size();
  std::vector<Slab> slabs;
  if (access.form == Access::Form::datatype) return slabs_of_filetype(access, variable, form);
  if (ndims == 0 && access.form != Access::Form::list) return std::vector<Slab>{{}};
  switch (access.form) {
    case Access::Form::whole:
      slabs.push_back({Shape(ndims, 0), variable.shape, {}});
      if (variable.record) slabs.back().count[0] = form.records;
      return slabs;
    case Access::Form::one:
    case Access::Form::box:
      if (access.start == nullptr || (access.form == Access::Form::box && access.count == nullptr)) return std::nullopt;
      slabs.push_back(box_of(access.start, access.count, access.stride, ndims));
      return slabs;
    case Access::Form::list:
    case Access::Form::datatype:
      break;
  }
  if (access.number < 0 || (access.number > 0 && access.starts == nullptr)) return std::nullopt;
  for (int i = 0; i < access.number; ++i) {
    if (ndims > 0 && access.starts[i] == nullptr) return std::nullopt;
    const MPI_Offset* count = access.counts == nullptr ? nullptr : access.counts[i];
    if (access.counts != nullptr && count == nullptr && ndims > 0) return std::nullopt;
    slabs.push_back(ndims == 0 ? Slab{} : box_of(access.starts[i], count, nullptr, ndims));
  }
  return slabs;
}

// What the record count becomes, as in the original: a box of no elements may count, in a list it does not; and a
// filetype counts by itself.
std::int64_t records_of(const Access& access, const std::vector<Slab>& slabs, const FileForm& form) {
  if (access.form == Access::Form::datatype) return records_of_filetype(access.filetype, form);
  std::int64_t records = 0;
  for (const Slab& slab : slabs) {
    if (slab.elements() == 0 && (access.form == Access::Form::list || !form.counts_empty)) continue;
    const std::int64_t step = slab.stride.empty() ? 1 : slab.stride[0];
    const std::int64_t last =
        slab.stride.empty() ? slab.start[0] + slab.count[0] : slab.start[0] + (slab.count[0] - 1) * step + 1;
    records = std::max(records, last);
  }
  return records;
}

// The elements of a derived datatype, one after another.
bool pack_datatype(const Buffer& buffer, Type type, std::int64_t elements, std::vector<std::byte>& packed) {
  const MPI_Datatype basic = mpi_type(type);
  int bytes = 0, packed_bytes = 0;
  if (buffer.count > INT_MAX || elements > INT_MAX) return false;
  MPI_Pack_size(static_cast<int>(buffer.count), buffer.datatype, MPI_COMM_SELF, &bytes);
  std::vector<std::byte> wire(static_cast<std::size_t>(bytes));
  if (MPI_Pack(buffer.values, static_cast<int>(buffer.count), buffer.datatype, wire.data(), bytes, &packed_bytes,
               MPI_COMM_SELF) != MPI_SUCCESS)
    return false;
  packed.resize(static_cast<std::size_t>(elements * type_bytes(type)));
  int at = 0;
  return MPI_Unpack(wire.data(), packed_bytes, &at, packed.data(), static_cast<int>(elements), basic, MPI_COMM_SELF) ==
         MPI_SUCCESS;
}

// In place of a count with a type of MPI's own: the elements of the call, one after another (PnetCDF's
// NC_COUNT_IGNORE).
constexpr MPI_Offset as_many_as_the_call = -1;

bool has_elements(const Buffer& buffer, Type element, std::int64_t elements) {
  if (buffer.count == as_many_as_the_call) return type_of(buffer.datatype).has_value();
  int bytes = 0;
  return buffer.count >= 0 && MPI_Type_size(buffer.datatype, &bytes) == MPI_SUCCESS &&
         bytes * buffer.count == elements * type_bytes(element);
}

// Finds where the elements lie, or packs them; false where that cannot be told.
bool find_values(const Access& access, const Variable& variable, Prepared& put) {
  const Buffer& buffer = access.buffer;
  put.part.type = buffer.type;
  put.part.values = buffer.values;
  if (buffer.flexible) {
    if (buffer.datatype == MPI_DATATYPE_NULL) {
      put.part.type = variable.type;
    } else {
      const std::optional<Type> element = element_of(buffer.datatype);
      if (!element || !has_elements(buffer, *element, put.elements)) return false;
      put.part.type = *element;
      if (!type_of(buffer.datatype) && put.elements > 0) {
        if (access.imap != nullptr || !pack_datatype(buffer, *element, put.elements, put.packed)) return false;
        put.part.values = put.packed.data();
      }
    }
  }
  if (put.elements > 0 && buffer.values == nullptr) return false;
  const Slab* slab = put.part.slabs.empty() ? nullptr : &put.part.slabs.front();
  if (access.imap == nullptr || put.elements == 0 || is_contiguous(slab->count, access.imap)) return true;
  put.packed.resize(static_cast<std::size_t>(put.elements * type_bytes(put.part.type)));
  pack_mapped(buffer.values, type_bytes(put.part.type), slab->count, access.imap, put.packed);
  put.part.values = put.packed.data();
  return true;
}

}  // namespace

std::optional<Prepared> prepare(const Access& access, const std::vector<Variable>& variables, const FileForm& form) {
  if (access.var < 0 || access.var >= std::ssize(variables)) return std::nullopt;
  const Variable& variable = variables[static_cast<std::size_t>(access.var)];
  auto slabs = slabs_of(access, variable, form);
  if (!slabs) return std::nullopt;
  Prepared put;
  put.part.var = access.var;
  for (const Slab& slab : *slabs) {
    if (!lies_within(slab, variable, form)) return std::nullopt;
    std::int64_t elements = 1;
    for (std::int64_t each : slab.count)
      if (__builtin_mul_overflow(elements, each, &elements)) return std::nullopt;
    put.elements += elements;
  }
  if (put.elements > INT_MAX) return std::nullopt;
  put.bytes = put.elements * type_bytes(variable.type);
  if (put.bytes > INT_MAX) return std::nullopt;
  if (variable.record) put.records = records_of(access, *slabs, form);
  put.part.slabs = std::move(*slabs);
  if (access.form == Access::Form::datatype && put.elements == 0) {  // whatever its values are said to be
    put.part.type = variable.type;
    return put;
  }
  if (!find_values(access, variable, put)) return std::nullopt;
  if ((put.part.type == WEIR_CHAR) != (variable.type == WEIR_CHAR)) return std::nullopt;
  // The old formats' byte is unsigned to who takes it for that: nothing is out of range.
  if (form.format < 5 && variable.type == WEIR_BYTE && put.part.type == WEIR_UBYTE) put.part.type = WEIR_BYTE;
  return put;
}

}  // namespace weir::bridge
