// SPDX-License-Identifier: Apache-2.0
// The interface in C. Contracts are in cfio2.h.
#include <cfio2.h>

#include <cstring>

#include "base/error.hpp"
#include "calls.hpp"
#include "session.hpp"

namespace weir::cfio2 {

namespace {

thread_local std::string last_error;

// No exception leaves the library; the sentence stays for cfio2_error.
template <class Call>
int answer(Call call) noexcept {
  try {
    call();
    last_error.clear();
    return WEIR_OK;
  } catch (const std::exception&) {
    Status status = caught();
    last_error = std::move(status.message);
    return status.code;
  }
}

// How many dimensions there are where the arrays do not tell: three, as in CFIO2, or fewer where the names end.
int dimensions_named(int ndims, const char* const names[]) {
  constexpr int of_pointers = 3;
  const int most = ndims < 0 ? of_pointers : ndims;
  for (int d = 0; names != nullptr && d < most; ++d)
    if (names[d] == nullptr || *names[d] == '\0') return d;
  return most;
}

Shape widened(const int* values, int ndims) {
  return values == nullptr ? Shape() : Shape(values, values + ndims);
}

const std::int64_t* pointer(const int* given, const Shape& values) {
  return given == nullptr ? nullptr : values.data();
}

}  // namespace

int put(MPI_Comm comm, const Arguments& call, const Status& refused) {
  return answer([&] {
    Session& session = Session::of(comm);
    Put put;
    Status status = read_arguments(call, put);
    if (!refused.ok()) status = refused;
    session.put(put, status);
  });
}

int put_attribute(MPI_Comm comm, const AttributeArguments& call, const Status& refused) {
  return answer([&] {
    Session& session = Session::of(comm);
    Status status = refused;
    Attribute attribute{call.name == nullptr ? "" : call.name, WEIR_CHAR, 0, {}};
    try {
      attribute.type = type_of(call.datatype);
      require(call.name != nullptr, WEIR_EARGUMENT, "an attribute's name is NULL");
      require(call.length >= 0 && (call.length == 0 || call.values != nullptr), WEIR_EARGUMENT,
              "the attribute \"{}\" needs a length of 0 or more, and its values", attribute.name);
      attribute.count = call.length;
      const auto* first = static_cast<const std::byte*>(call.values);
      attribute.values.assign(first, first + call.length * type_bytes(attribute.type));
    } catch (const Error& error) {
      status.merge({error.code(), formatted("cfio2_put_att: {}", error.what())});
    }
    const std::string var = call.var_name == nullptr ? "" : call.var_name;
    session.put_attribute(file_path(call.filename), var, std::move(attribute), status);
  });
}

}  // namespace weir::cfio2

using namespace weir::cfio2;

extern "C" {

int cfio2_init(MPI_Comm comm, int IO_process_per_node, int IO_process_per_var) {
  return answer([&] { Session::begin(comm, IO_process_per_node, IO_process_per_var); });
}

int cfio2_put_vara_nd(MPI_Comm comm, const char* filename, const char* var_name, int datatype, int ndims,
                      const char* const dim_name[], const int64_t global[], const int64_t start[],
                      const int64_t count[], const void* buf, int append) {
  return put(comm, {filename, var_name, datatype, ndims, dim_name, global, start, count, buf, append != 0}, {});
}

int cfio2_put_vara_sized(MPI_Comm comm, const char* filename, const char* var_name, int datatype, int ndims,
                         const char* const dim_name[], const int global[], const int start[], const int count[],
                         const void* buf, int append) {
  const int seen = dimensions_named(ndims, dim_name);
  const weir::Shape wide_global = widened(global, seen), wide_start = widened(start, seen),
                    wide_count = widened(count, seen);
  return cfio2_put_vara_nd(comm, filename, var_name, datatype, seen, dim_name, pointer(global, wide_global),
                           pointer(start, wide_start), pointer(count, wide_count), buf, append);
}

// The function behind the macro of that name.
int cfio2_put_vara(MPI_Comm comm, const char* filename, const char* var_name, int datatype,
                   const char* const dim_name[], const int global[], const int start[], const int count[],
                   const void* buf, int append) {
  return cfio2_put_vara_sized(comm, filename, var_name, datatype, -1, dim_name, global, start, count, buf, append);
}

int cfio2_wait_output(MPI_Comm comm) {
  return answer([&] { Session::of(comm).wait(); });
}

int cfio2_finalize(MPI_Comm comm) {
  return answer([&] { Session::end(comm); });
}

int cfio2_put_att(MPI_Comm comm, const char* filename, const char* var_name, const char* name, int datatype,
                  int64_t length, const void* values) {
  return put_attribute(comm, {filename, var_name, name, datatype, length, values}, {});
}

int cfio2_put_att_text(MPI_Comm comm, const char* filename, const char* var_name, const char* name, const char* text) {
  const auto length = text == nullptr ? -1 : static_cast<int64_t>(std::strlen(text));
  return put_attribute(comm, {filename, var_name, name, cfio2_data_type_char, length, text}, {});
}

int cfio2_control_process(MPI_Comm comm) {
  const Session* session = Session::find(comm);
  return session != nullptr && session->served() ? 1 : 0;
}

const char* cfio2_error(void) {
  return last_error.c_str();
}

}  // extern "C"
