// SPDX-License-Identifier: Apache-2.0
#include "netcdf/handover.hpp"

#include <cstddef>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "mpi/agree.hpp"
#include "netcdf/front.hpp"

namespace weir::bridge {

namespace {

// While one lives, netCDF gives the next file this number, which is free: always the lowest free one, and files in
// memory have those below.
class NextNumber {
 public:
  explicit NextNumber(int number) {
    int taken = -1;
    while (taken < number && make_shadow(formatted("taken_{}", taken), false, &taken) == NC_NOERR)
      taken_.push_back(taken);
    if (taken == number) release();
  }
  ~NextNumber() {
    while (!taken_.empty()) release();
  }
  NextNumber(const NextNumber&) = delete;
  NextNumber& operator=(const NextNumber&) = delete;

 private:
  void release() {
    static_cast<void>(WEIR_NETCDF(nc_abort)(taken_.back()));
    taken_.pop_back();
  }

  std::vector<int> taken_;
};

// netCDF tells it only when it is given a new one.
int fill_mode_of(int ncid) {
  int mode = NC_FILL;
  if (WEIR_NETCDF(nc_set_fill)(ncid, NC_FILL, &mode) == NC_NOERR) WEIR_NETCDF(nc_set_fill)(ncid, mode, nullptr);
  return mode;
}

// One that netCDF converts into the variable's.
Type type_in_memory(int ncid, int var) {
  nc_type type = NC_BYTE;
  static_cast<void>(WEIR_NETCDF(nc_inq_vartype)(ncid, var, &type));
  return static_cast<Type>(type);
}

int begin(const Handover& handover, int number, int* ncid) {
  const NextNumber next(number);
  const Passing netcdf;
  const int mode = handover.mode | NC_MPIIO;
  if (!handover.is_there)
    return WEIR_NETCDF(nc_create_par)(handover.path.c_str(), mode, handover.comm, handover.info, ncid);
  const int opened = NC_WRITE | (mode & (NC_MPIIO | NC_NODIMSCALE_ATTACH));
  return WEIR_NETCDF(nc_open_par)(handover.path.c_str(), opened, handover.comm, handover.info, ncid);
}

// In the classic model netCDF leaves define mode at nc_enddef only, and enters it at nc_redef only.
int put_in_data_mode(int ncid, bool returns, const std::function<int()>& put) {
  int code = WEIR_NETCDF(nc_enddef)(ncid);
  if (code == NC_NOERR) code = put();
  return code == NC_NOERR && returns ? WEIR_NETCDF(nc_redef)(ncid) : code;
}

struct Place {
  std::vector<std::size_t> start, count;
  std::vector<std::ptrdiff_t> stride;
};

// The slab, or an empty one.
Place place_of(const Slab* slab, std::size_t dims) {
  Place place{std::vector<std::size_t>(dims, 0), std::vector<std::size_t>(dims, 0),
              std::vector<std::ptrdiff_t>(dims, 1)};
  if (slab == nullptr) return place;
  place.start.assign(slab->start.begin(), slab->start.end());
  place.count.assign(slab->count.begin(), slab->count.end());
  if (!slab->stride.empty()) place.stride.assign(slab->stride.begin(), slab->stride.end());
  return place;
}

int put_values(int ncid, int var, const Place& place, Type type, const void* values) {
  const auto put = [&]<class Value>(auto function, const Value*) {
    return function(ncid, var, place.start.data(), place.count.data(), place.stride.data(),
                    static_cast<const Value*>(values));
  };
  switch (type) {
#define WEIR_PUT(NUMBER, word, c_type) \
  case NUMBER:                         \
    return put(WEIR_NETCDF(nc_put_vars_##word), static_cast<const c_type*>(nullptr));
    WEIR_PUT(WEIR_BYTE, schar, signed char)
    WEIR_PUT(WEIR_CHAR, text, char)
    WEIR_PUT(WEIR_SHORT, short, short)
    WEIR_PUT(WEIR_INT, int, int)
    WEIR_PUT(WEIR_FLOAT, float, float)
    WEIR_PUT(WEIR_DOUBLE, double, double)
    WEIR_PUT(WEIR_UBYTE, uchar, unsigned char)
    WEIR_PUT(WEIR_USHORT, ushort, unsigned short)
    WEIR_PUT(WEIR_UINT, uint, unsigned int)
    WEIR_PUT(WEIR_INT64, longlong, long long)
    WEIR_PUT(WEIR_UINT64, ulonglong, unsigned long long)
#undef WEIR_PUT
    default:
      return NC_EBADTYPE;
  }
}

// One slab of what a rank puts.
struct SlabPut {
  const Slab* slab;
  Type type;
  const void* values;
};

// Each slab's values lie behind those of the slab before.
void add_slabs(const LocalSlabs& part, std::vector<SlabPut>& puts) {
  const auto* values = static_cast<const std::byte*>(part.values);
  for (const Slab& slab : part.slabs) {
    puts.push_back({&slab, part.type, values});
    values += slab.elements() * type_bytes(part.type);
  }
}

// All ranks make as many calls as the rank with the most of them; one rank alone may put a scalar.
int put_variable(int ncid, int var, std::span<const SlabPut> mine, std::int64_t calls) {
  int dims = 0, code = NC_NOERR;
  if (const int unknown = WEIR_NETCDF(nc_inq_varndims)(ncid, var, &dims); unknown != NC_NOERR) return unknown;
  if (dims > 0) static_cast<void>(WEIR_NETCDF(nc_var_par_access)(ncid, var, NC_COLLECTIVE));
  if (dims == 0) calls = std::ssize(mine);
  constexpr double no_values = 0;
  const SlabPut nothing{nullptr, type_in_memory(ncid, var), &no_values};
  for (std::int64_t call = 0; call < calls; ++call) {
    const SlabPut& put = call < std::ssize(mine) ? mine[static_cast<std::size_t>(call)] : nothing;
    const int one = put_values(ncid, var, place_of(put.slab, static_cast<std::size_t>(dims)), put.type, put.values);
    if (one != NC_NOERR && one != NC_ERANGE) code = one;  // the program has heard of values that do not fit
  }
  if (dims > 0) static_cast<void>(WEIR_NETCDF(nc_var_par_access)(ncid, var, NC_INDEPENDENT));
  return code;
}

}  // namespace

int put_by_netcdf(int ncid, std::span<const LocalSlabs> parts, const RankGroup& group) {
  int variables = 0, code = NC_NOERR;
  if (const int unknown = WEIR_NETCDF(nc_inq_nvars)(ncid, &variables); unknown != NC_NOERR) return unknown;
  std::vector<std::vector<SlabPut>> mine(static_cast<std::size_t>(variables));
  for (const LocalSlabs& part : parts) add_slabs(part, mine[static_cast<std::size_t>(part.var)]);
  std::vector<std::int64_t> calls;
  for (const auto& each : mine) calls.push_back(std::ssize(each));
  allreduce_max(group.comm(), calls, group.deadline(), "puts that wait");
  for (std::size_t var = 0; var < mine.size(); ++var) {
    const int one = calls[var] > 0 ? put_variable(ncid, static_cast<int>(var), mine[var], calls[var]) : NC_NOERR;
    if (one != NC_NOERR) code = one;
  }
  return code;
}

// By a name that no file can have.
bool has_parallel_netcdf4() {
  static const bool has = [] {
    const Passing netcdf;
    int id = -1;
    const int code =
        WEIR_NETCDF(nc_create_par)("/dev/null/none", NC_NETCDF4 | NC_MPIIO, MPI_COMM_SELF, MPI_INFO_NULL, &id);
    return code != NC_ENOPAR && code != NC_ENOTBUILT;
  }();
  return has;
}

int hand_over(DefinitionShadow& shadow, const Handover& handover, const std::function<int()>& put_kept) {
  const bool defining = shadow.is_defining();
  const int number = shadow.number(), fill = fill_mode_of(number), ended = shadow.ended_variables();
  if (const int code = shadow.end_definitions(); code != NC_NOERR) return code;
  const CopiedShadow copied = copy_shadow(handover.path + ".handed_over", number);  // HDF5 has no two files of a name
  shadow.release(true);
  int made = -1;
  int code = begin(handover, number, &made);
  if (code == NC_NOERR) {
    require(made == number, WEIR_EINTERNAL, "{}: netCDF numbers files otherwise", handover.path);
    if (handover.is_there && defining && shadow.classic_model()) code = WEIR_NETCDF(nc_redef)(number);
    if (put_kept) add_definitions(copied.ncid, number, shadow.options(), ended);
    static_cast<void>(WEIR_NETCDF(nc_set_fill)(number, fill, nullptr));
    if (put_kept) code = put_in_data_mode(number, shadow.classic_model() && defining, put_kept);
    add_definitions(copied.ncid, number, shadow.options(), NC_MAX_INT);
  }
  static_cast<void>(WEIR_NETCDF(nc_close)(copied.ncid));
  return code;
}

}  // namespace weir::bridge
