// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/put_calls.hpp"

#include <climits>

#include "pnetcdf/files.hpp"
#include "pnetcdf/original_calls.hpp"
#include "pnetcdf/types.hpp"

namespace weir::bridge {

namespace {

using Then = BridgedFile::Then;

// All ranks make the call behind, each with what it has; what Weir carried before comes first.
int pass_all(BridgedFile& file, Again original) {
  if (const int trouble = file.look(Then::transfers); trouble != NC_NOERR) return trouble;
  const int code = original();
  file.learn();
  return code;
}

// Where there is no memory to pack values in, the library may still find some.
std::optional<Prepared> prepare_if_possible(const Access& access, BridgedFile& file) noexcept {
  try {
    const std::vector<Variable>& variables = file.variables();  // may learn what the form is
    return prepare(access, variables, file.form());
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

int put_all(BridgedFile& file, std::span<const Access> accesses, Again original) {
  if (!file.carries()) return pass_through(file, original);
  std::vector<Prepared> puts;
  std::vector<LocalSlabs> parts;
  std::int64_t records = 0, bytes = 0;
  Reason refusal = Reason::none;
  for (const Access& access : accesses) {
    auto put = prepare_if_possible(access, file);
    if (!put) {
      refusal = access.form == Access::Form::datatype ? Reason::datatype : Reason::unusual;
      break;
    }
    records = std::max(records, put->records);
    bytes += put->bytes;
    parts.push_back(std::move(put->part));
    puts.push_back(std::move(*put));  // keeps what was packed, which does not move by this
  }
  if (bytes > INT_MAX) refusal = Reason::unusual;
  const BridgedFile::Answer answer = file.put(parts, records, refusal);
  if (!answer.taken) return pass_all(file, original);
  file.count_bytes(bytes);
  return answer.code;
}

int get_all(BridgedFile& file, Again original) {
  if (!file.carries()) return pass_through(file, original);
  if (const int trouble = file.look(Then::reads); trouble != NC_NOERR) return trouble;
  file.pass(Reason::reading);
  return original();
}

int pass_through(BridgedFile& file, Again original) {
  file.pass();
  return original();
}

// What is posted must be accepted at once, and no other rank may be asked. So a get of records that the library has not
// been told of waits here, if it is one that surely succeeds, and gets elements one after another.
int post_get(BridgedFile& file, const Access& access, int* request, Again original) {
  if (!file.carries()) return pass_through(file, original);
  file.pass(Reason::reading);
  if (file.records() == file.told_records()) return original();
  auto get = prepare_if_possible(access, file);
  const bool here = get && get->packed.empty() && get->records <= file.records() && get->records > file.told_records();
  if (!here) return original();
  const bool nothing = get->elements == 0;  // is not counted among what waits
  const int number = nothing ? NC_REQ_NULL : file.requests().post(std::move(*get), Request::Kind::get);
  if (request != nullptr) *request = number;
  return NC_NOERR;
}

int post_put(BridgedFile& file, const Access& access, bool buffered, int* request, Again original) {
  if (!file.carries()) return pass_through(file, original);
  Requests& requests = file.requests();
  auto put = prepare_if_possible(access, file);
  if (!put || put->elements == 0 || (buffered && requests.buffer_bytes() == 0)) return pass_through(file, original);
  if (buffered) {
    MPI_Offset used = 0;
    WEIR_ORIGINAL(ncmpi_inq_buffer_usage)(file.number(), &used);
    if (used + requests.used_bytes() + put->bytes > requests.buffer_bytes()) return NC_EINSUFFBUF;
  }
  const Type external = file.variables()[static_cast<std::size_t>(access.var)].type;
  const bool fits = misfits(put->part.values, put->elements, put->part.type, external) == 0;
  const int number = requests.post(std::move(*put), buffered ? Request::Kind::buffered_put : Request::Kind::put);
  if (request != nullptr) *request = number;
  return fits ? NC_NOERR : NC_ERANGE;
}

}  // namespace weir::bridge
