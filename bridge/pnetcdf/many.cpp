// SPDX-License-Identifier: Apache-2.0
// mput and mget: several variables in one call, of forms var, var1, vara, vars and varm.
//
//: mput_var[1amsn]?(_[a-z]+)?_all | written by Weir
//: mget_var[1amsn]?(_[a-z]+)?_all | the library reads, after a flush
//: m(put|get)_var[1amsn]?(_[a-z]+)? | the library's, and counted: independent mode
#include "pnetcdf/files.hpp"
#include "pnetcdf/original_calls.hpp"
#include "pnetcdf/put_calls.hpp"
#include "pnetcdf/types.hpp"

#define DECLARE_var
#define DECLARE_var1 , MPI_Offset* const* starts
#define DECLARE_vara DECLARE_var1, MPI_Offset* const* counts
#define DECLARE_vars DECLARE_vara, MPI_Offset* const* strides
#define DECLARE_varm DECLARE_vars, MPI_Offset* const* imaps
#define PASS_var
#define PASS_var1 , starts
#define PASS_vara , starts, counts
#define PASS_vars , starts, counts, strides
#define PASS_varm , starts, counts, strides, imaps
#define MANY_var                     \
  Many {                             \
    Access::Form::whole, num, varids \
  }
#define MANY_var1                          \
  Many {                                   \
    Access::Form::one, num, varids, starts \
  }
#define MANY_vara                                  \
  Many {                                           \
    Access::Form::box, num, varids, starts, counts \
  }
#define MANY_vars                                           \
  Many {                                                    \
    Access::Form::box, num, varids, starts, counts, strides \
  }
#define MANY_varm                                                  \
  Many {                                                           \
    Access::Form::box, num, varids, starts, counts, strides, imaps \
  }

#define PASSED(name, FORM, DECLARED, PASSED_ON, CALL)                                                               \
  WEIR_BRIDGED ncmpi_##name(int ncid, int num, int* varids DECLARE_##FORM DECLARED) {                               \
    const auto library_call = [&] { return WEIR_ORIGINAL(ncmpi_##name)(ncid, num, varids PASS_##FORM PASSED_ON); }; \
    BridgedFile* const file = bridged(ncid);                                                                        \
    return file == nullptr ? library_call() : CALL(*file, library_call);                                            \
  }
#define MPUT(name, FORM, DECLARED, PASSED_ON, CALL, BUFFER)                                                         \
  WEIR_BRIDGED ncmpi_##name(int ncid, int num, int* varids DECLARE_##FORM DECLARED) {                               \
    const auto library_call = [&] { return WEIR_ORIGINAL(ncmpi_##name)(ncid, num, varids PASS_##FORM PASSED_ON); }; \
    BridgedFile* const file = bridged(ncid);                                                                        \
    if (file == nullptr) return library_call();                                                                     \
    return put_many(                                                                                                \
        *file, MANY_##FORM, [&](int i) { return BUFFER; }, CALL, library_call);                                     \
  }
#define OF_TYPE(ctype) , ctype* const* buf
#define OF_TYPE_TO_GET(ctype) , ctype* bufs[]
#define OF_DATATYPES , void *const *buf, const MPI_Offset *bufcounts, const MPI_Datatype datatypes[]
#define OF_DATATYPES_TO_GET , void *bufs[], const MPI_Offset *bufcounts, const MPI_Datatype *datatypes
#define TO_PUT , buf
#define TO_GET , bufs
#define TO_PUT_OF_DATATYPES , buf, bufcounts, datatypes
#define TO_GET_OF_DATATYPES , bufs, bufcounts, datatypes
#define ONE_TYPE(FORM, suffix, ctype, wtype)                                                                    \
  PASSED(mget_##FORM##suffix, FORM, OF_TYPE_TO_GET(ctype), TO_GET, get_alone)                                   \
  PASSED(mget_##FORM##suffix##_all, FORM, OF_TYPE_TO_GET(ctype), TO_GET, get_all)                               \
  MPUT(mput_##FORM##suffix, FORM, OF_TYPE(ctype), TO_PUT, put_alone, (Buffer{.values = buf[i], .type = wtype})) \
  MPUT(mput_##FORM##suffix##_all, FORM, OF_TYPE(ctype), TO_PUT, put_all, (Buffer{.values = buf[i], .type = wtype}))
#define FLEXIBLE(FORM)                                                                                \
  PASSED(mget_##FORM, FORM, OF_DATATYPES_TO_GET, TO_GET_OF_DATATYPES, get_alone)                      \
  MPUT(mput_##FORM, FORM, OF_DATATYPES, TO_PUT_OF_DATATYPES, put_alone,                               \
       (Buffer{.values = buf[i], .flexible = true, .count = bufcounts[i], .datatype = datatypes[i]})) \
  PASSED(mget_##FORM##_all, FORM, OF_DATATYPES_TO_GET, TO_GET_OF_DATATYPES, get_all)                  \
  MPUT(mput_##FORM##_all, FORM, OF_DATATYPES, TO_PUT_OF_DATATYPES, put_all,                           \
       (Buffer{.values = buf[i], .flexible = true, .count = bufcounts[i], .datatype = datatypes[i]}))

namespace weir::bridge {

namespace {

struct Many {
  Access::Form form;
  int number;
  const int* vars;
  MPI_Offset* const* starts = nullptr;
  MPI_Offset* const* counts = nullptr;
  MPI_Offset* const* strides = nullptr;
  MPI_Offset* const* imaps = nullptr;
};

using Put = int (*)(BridgedFile&, std::span<const Access>, LibraryCall) noexcept;

template <class BufferOf>
int put_many(BridgedFile& file, const Many& many, BufferOf buffer_of, Put put, LibraryCall original) {
  const auto row = [](MPI_Offset* const* rows, int i) { return rows == nullptr ? nullptr : rows[i]; };
  return file.call([&] {
    std::vector<Access> accesses;
    for (int i = 0; i < many.number; ++i)
      accesses.push_back({.form = many.form,
                          .var = many.vars[i],
                          .start = row(many.starts, i),
                          .count = row(many.counts, i),
                          .stride = row(many.strides, i),
                          .imap = row(many.imaps, i),
                          .buffer = buffer_of(i)});
    return put(file, accesses, original);
  });
}

}  // namespace

WEIR_EACH_TYPE(ONE_TYPE, var)
WEIR_EACH_TYPE(ONE_TYPE, var1)
WEIR_EACH_TYPE(ONE_TYPE, vara)
WEIR_EACH_TYPE(ONE_TYPE, vars)
WEIR_EACH_TYPE(ONE_TYPE, varm)
FLEXIBLE(var)
FLEXIBLE(var1)
FLEXIBLE(vara)
FLEXIBLE(vars)
FLEXIBLE(varm)

}  // namespace weir::bridge
