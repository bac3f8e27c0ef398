// SPDX-License-Identifier: Apache-2.0
#include "netcdf/filling.hpp"

#include <pnetcdf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "base/text.hpp"
#include "core/boxes.hpp"
#include "netcdf/intercepted_calls.hpp"
#include "netcdf/libraries.hpp"

namespace weir::bridge {

namespace {

// Of a variable, as far as filling goes.
struct Extent {
  std::vector<std::size_t> shape;  // the record dimension included
  bool is_record = false;
  std::int64_t records = 0;  // in the file
  // Elements of a record, or of the whole of a fixed one.
  std::int64_t elements() const {
    return std::accumulate(
        shape.begin() + is_record, shape.end(), std::int64_t{1},
        [](std::int64_t product, std::size_t length) { return product * static_cast<std::int64_t>(length); });
  }
};

int find_extent(NetcdfFile& file, int var, Extent& extent) {
  int ndims = 0, unlimited = -1;
  int code = intercepted::nc_inq_varndims(file, var, &ndims);
  if (code == NC_NOERR) code = intercepted::nc_inq_unlimdim(file, &unlimited);
  std::vector<int> dims(static_cast<std::size_t>(std::max(ndims, 0)));
  if (code == NC_NOERR) code = intercepted::nc_inq_vardimid(file, var, dims.data());
  extent.shape.assign(dims.size(), 0);
  for (std::size_t i = 0; i < dims.size() && code == NC_NOERR; ++i)
    code = intercepted::nc_inq_dimlen(file, dims[i], &extent.shape[i]);
  if (code != NC_NOERR) return code;
  extent.is_record = !dims.empty() && dims[0] == unlimited;
  extent.records = extent.is_record ? static_cast<std::int64_t>(extent.shape[0]) : 1;
  return NC_NOERR;
}

// PnetCDF refuses a call of more than 2 GiB, and a variable may be larger than memory.
constexpr std::size_t most_bytes_at_once = std::size_t{64} << 20;

// A variable, or one record of it, in boxes of which every rank has as many as another, one more or less: one, of whole
// rows of the slowest dimension where there are rows for all, unless that is too much for a call.
Boxes boxes_of(const Extent& extent, std::int64_t record, int ranks, std::size_t most_elements) {
  IndexBox whole{std::vector<std::size_t>(extent.shape.size(), 0), extent.shape};
  if (extent.is_record) whole.start[0] = static_cast<std::size_t>(record), whole.count[0] = 1;
  const auto all = static_cast<std::size_t>(extent.elements()), parts = static_cast<std::size_t>(ranks);
  const std::size_t slowest = extent.is_record, rows = slowest < extent.shape.size() ? extent.shape[slowest] : 1;
  const std::size_t unit = rows >= parts ? all / rows : 1, units = all / unit;
  return {std::move(whole), std::clamp((units + parts - 1) / parts * unit, std::size_t{1}, most_elements)};
}

int fill(NetcdfFile& file, int var, const Extent& extent, std::int64_t record) {
  int type = NC_NAT;
  std::size_t bytes = 0;
  std::array<std::byte, 8> value{};
  int code = intercepted::nc_inq_vartype(file, var, &type);
  if (code == NC_NOERR) code = intercepted::nc_inq_type(file, type, nullptr, &bytes);
  if (code == NC_NOERR) code = WEIR_PNETCDF(ncmpi_inq_var_fill)(file.pnetcdf, var, nullptr, value.data());
  if (code != NC_NOERR) return code;
  const int rank = file.group->comm().rank(), ranks = file.group->comm().size();
  const Boxes boxes = boxes_of(extent, record, ranks, most_bytes_at_once / bytes);
  std::vector<std::byte> values(boxes.most_elements() * bytes);
  for (std::size_t i = 0; i < values.size(); i += bytes) std::memcpy(&values[i], value.data(), bytes);
  for (std::size_t first = 0; first < boxes.number(); first += static_cast<std::size_t>(ranks)) {
    const IndexBox mine = boxes.at(first + static_cast<std::size_t>(rank));
    const int one = intercepted::put_box(file, var, mine.start.data(), mine.count.data(), values.data());
    if (code == NC_NOERR) code = one;  // others go on: all make as many calls
  }
  return code;
}

std::int64_t signature(const Extent& extent, const std::size_t* start, const std::size_t* count,
                       const std::ptrdiff_t* stride) {
  std::size_t sum = 7;
  for (std::size_t i = extent.is_record; i < extent.shape.size(); ++i)
    for (const std::size_t word : {start[i], count[i], stride ? static_cast<std::size_t>(stride[i]) : 1})
      sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
  return static_cast<std::int64_t>(sum >> 2);
}

// What PnetCDF is going to refuse on this rank puts nothing.
bool is_within(const Extent& extent, const std::size_t* start, const std::size_t* count, const std::ptrdiff_t* stride) {
  for (std::size_t i = 0; i < extent.shape.size(); ++i) {
    const std::size_t length = i == 0 && extent.is_record ? std::size_t{1} << 32 : extent.shape[i];
    const std::size_t step = stride ? static_cast<std::size_t>(stride[i]) : 1;
    if (step == 0 || step > length || start[i] > length || count[i] > length) return false;
    if (count[i] > 0 && start[i] + (count[i] - 1) * step >= length) return false;
  }
  return true;
}

}  // namespace

void Filling::set_file(bool fills, int nvars) {
  fills_ = fills;
  no_fill_.assign(static_cast<std::size_t>(nvars), !fills);
}

bool Filling::fills(int var) const noexcept {
  const auto place = static_cast<std::size_t>(var);
  return place < no_fill_.size() ? !no_fill_[place] : fills_;
}

void Filling::set_var(int var, bool fills) {
  const auto place = static_cast<std::size_t>(var);
  if (place >= no_fill_.size()) no_fill_.resize(place + 1, !fills_);
  no_fill_[place] = !fills;
  settled_records_ = 0;
}

void Filling::keep(NetcdfFile& file) {
  int nvars = 0;
  intercepted::nc_inq_nvars(file, &nvars);
  for (int var = 0; var < nvars; ++var) {
    Extent extent;
    if (find_extent(file, var, extent) != NC_NOERR) return;
    begun(var).assign(static_cast<std::size_t>(extent.records), true);
    if (extent.is_record) settled_records_ = extent.records;
  }
}

std::vector<bool>& Filling::begun(int var) {
  const auto place = static_cast<std::size_t>(var);
  if (place >= begun_.size()) begun_.resize(place + 1);
  return begun_[place];
}

bool Filling::is_begun(int var, std::int64_t record) {
  const std::vector<bool>& records = begun(var);
  return record < static_cast<std::int64_t>(records.size()) && records[static_cast<std::size_t>(record)];
}

int Filling::begin(NetcdfFile& file, int var, std::int64_t record, bool covered) {
  if (is_begun(var, record)) return NC_NOERR;
  std::vector<bool>& records = begun(var);
  if (record >= static_cast<std::int64_t>(records.size())) records.resize(static_cast<std::size_t>(record) + 1);
  records[static_cast<std::size_t>(record)] = true;
  if (covered) return NC_NOERR;
  Extent extent;
  const int code = find_extent(file, var, extent);
  return code == NC_NOERR ? fill(file, var, extent, record) : code;
}

int Filling::before_put(NetcdfFile& file, int var, const std::size_t* start, const std::size_t* count,
                        const std::ptrdiff_t* stride, bool convertible) {
  if (left_ || !fills(var)) return NC_NOERR;
  Extent extent;
  if (const int code = find_extent(file, var, extent); code != NC_NOERR) return code;
  if (!extent.is_record && is_begun(var, 0)) return NC_NOERR;
  std::int64_t mine = is_within(extent, start, count, stride);
  for (std::size_t i = 0; i < extent.shape.size(); ++i) mine *= static_cast<std::int64_t>(count[i]);
  const std::int64_t step = extent.is_record && stride ? stride[0] : 1;
  const std::int64_t first = extent.is_record ? static_cast<std::int64_t>(start[0]) : 0;
  const std::int64_t records = extent.is_record ? static_cast<std::int64_t>(count[0]) : 1;
  const std::int64_t sum = signature(extent, start, count, stride), none = -INT64_MAX;

  // Where everybody who puts something puts the same, the elements count once.
  std::array<std::int64_t, 4> most{none, none, none, none};
  if (!convertible) mine = 0;
  if (mine > 0) most = {-first, first + (records - 1) * step + 1, sum, -sum};
  const std::string what = formatted("put into {}", file.path);
  const Comm& comm = file.group->comm();
  allreduce_max(comm, most, file.group->deadline(), what);
  if (most[1] == none) return NC_NOERR;
  const bool alike = most[2] == -most[3];
  std::int64_t put = mine;
  (alike ? allreduce_max : allreduce_sum)(comm, std::span(&put, 1), file.group->deadline(), what);
  const std::int64_t from = -most[0], to = most[1];
  const bool covered = put == extent.elements() * (to - from);
  for (std::int64_t record = from; record < to; ++record)
    if (const int code = begin(file, var, record, covered); code != NC_NOERR) return code;
  return NC_NOERR;
}

int Filling::finish_fills(NetcdfFile& file) {
  if (left_) return NC_NOERR;
  int nvars = 0;
  if (const int code = intercepted::nc_inq_nvars(file, &nvars); code != NC_NOERR) return code;
  std::int64_t records = settled_records_;
  for (int var = 0; var < nvars; ++var) {
    Extent extent;
    if (const int code = find_extent(file, var, extent); code != NC_NOERR) return code;
    records = extent.is_record ? extent.records : records;
    if (!fills(var)) continue;
    for (std::int64_t record = extent.is_record ? settled_records_ : 0; record < extent.records; ++record)
      if (const int code = begin(file, var, record, false); code != NC_NOERR) return code;
  }
  settled_records_ = records;
  return NC_NOERR;
}

}  // namespace weir::bridge
