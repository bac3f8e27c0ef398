// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/put_calls.hpp"

#include <climits>

#include "pnetcdf/files.hpp"
#include "pnetcdf/original_calls.hpp"
#include "pnetcdf/types.hpp"

namespace weir::bridge {

namespace {

using NextAccess = BridgedFile::NextAccess;

// All ranks make the call behind, each with what it has; what Weir had before comes first.
int pass_all(BridgedFile& file, LibraryCall original) {
  if (const int problem = file.flush_before(NextAccess::transfers); problem != NC_NOERR) return problem;
  const int code = original();
  file.learn();
  return code;
}

constexpr const char* unreadable =
    "Weir writes this file in a format that PnetCDF cannot read; close it, then read it with a library that can";
constexpr const char* uncarried =
    "a put of more than 2 GiB, or one whose file offsets or datatype Weir cannot interpret";

enum class Direction { put, get };

// Where there is no memory to pack values in, the library may still find some. A get of no elements asks for the
// records that it names, where a put of none may add none.
std::optional<Prepared> prepare_if_possible(const Access& access, BridgedFile& file,
                                            Direction direction = Direction::put) noexcept {
  try {
    const std::vector<Variable>& variables = file.variables();  // may learn what the form is
    FileForm form = file.library().form(file.records());
    if (direction == Direction::get) form.counts_empty = true;
    return prepare(access, variables, form);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// Of a file that Weir makes, what a rank puts that the library would have to: the library judges it, and what it says
// is an error. What it does not refuse is one all the same.
int refuse_put(BridgedFile& file, LibraryCall original) {
  const int code = original();
  return code != NC_NOERR ? code : file.refuse_alone(uncarried);
}

// Some rank's part is refused: those of the others are put without it.
int put_rest(BridgedFile& file, std::span<const LocalSlabs> parts, std::int64_t records, bool prepared,
             LibraryCall original) {
  if (const int problem = file.flush_before(NextAccess::transfers); problem != NC_NOERR)
    return problem;             // it knows of all records
  const int code = original();  // the library's verdict on this rank's call; no rank reads what it writes
  const bool good = prepared && (code == NC_NOERR || code == NC_ERANGE);
  if (!good) parts = {};
  const BridgedFile::Answer answer = file.put(parts, good ? records : 0, Reason::none);
  if (!answer.taken) return file.refuse(file.intercept().file_writer()->overlap_in_words());
  if (good) return answer.code;
  return code != NC_NOERR ? code : file.refuse_alone(uncarried);
}

int pass(BridgedFile& file, LibraryCall original) {
  if (file.made() && file.library().mode() != LibraryState::Mode::define && !file.ready())
    return refuse_undefined(file);
  file.pass();
  return original();
}

int put_together(BridgedFile& file, std::span<const Access> accesses, LibraryCall original) {
  if (!file.written_by_weir()) return pass(file, original);
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
  if (bytes > INT_MAX && !file.made()) refusal = Reason::unusual;
  const BridgedFile::Answer answer = file.put(parts, records, refusal);
  if (!answer.taken && file.made())
    return answer.reason == Reason::overlap ? file.refuse(file.intercept().file_writer()->overlap_in_words())
                                            : put_rest(file, parts, records, refusal == Reason::none, original);
  if (!answer.taken) return pass_all(file, original);
  file.intercept().counts().bytes_taken_over += bytes;
  return answer.code;
}

int get_by_rank(BridgedFile& file, LibraryCall original) {
  if (file.made() && file.library().mode() == LibraryState::Mode::independent) return file.refuse_alone(unreadable);
  return pass(file, original);
}

int get_together(BridgedFile& file, LibraryCall original) {
  if (!file.written_by_weir()) return get_by_rank(file, original);
  if (file.made()) return file.refuse(unreadable);
  if (const int problem = file.flush_before(NextAccess::reads); problem != NC_NOERR) return problem;
  file.pass(Reason::reading);
  return original();
}

int put_by_rank(BridgedFile& file, std::span<const Access> accesses, LibraryCall original) {
  const bool kept = file.made() && file.ready() && file.library().mode() == LibraryState::Mode::independent;
  if (!kept) return pass(file, original);
  std::vector<Prepared> puts;
  for (const Access& access : accesses) {
    auto put = prepare_if_possible(access, file);
    if (!put) return refuse_put(file, original);
    puts.push_back(std::move(*put));
  }
  int code = NC_NOERR;
  for (Prepared& put : puts) {
    const int one = file.keep_alone(put);
    if (code == NC_NOERR || one == NC_ENOMEM) code = one;
  }
  return code;
}

// What is posted must be accepted at once, and no other rank may be asked. So a get of records that the library has not
// been told of waits here, if it is one that surely succeeds, and gets elements one after another.
int post_get_by_rank(BridgedFile& file, const Access& access, int* request, LibraryCall original) {
  if (file.made() && file.library().mode() != LibraryState::Mode::define) return file.refuse_alone(unreadable);
  if (!file.written_by_weir()) return pass(file, original);
  file.pass(Reason::reading);
  if (file.records() == file.library().records()) return original();
  auto get = prepare_if_possible(access, file, Direction::get);
  const bool here =
      get && get->packed.empty() && get->records <= file.records() && get->records > file.library().records();
  if (!here) return original();
  const bool nothing = get->elements == 0;  // is not counted among what waits
  const int number = nothing ? NC_REQ_NULL : file.requests().post(std::move(*get), Request::Kind::get);
  if (request != nullptr) *request = number;
  return NC_NOERR;
}

int post_put_by_rank(BridgedFile& file, const Access& access, bool buffered, int* request, LibraryCall original) {
  const bool kept = file.made() && file.ready() && file.library().mode() == LibraryState::Mode::independent;
  if (!file.written_by_weir() && !kept) return pass(file, original);
  Requests& requests = file.requests();
  auto put = prepare_if_possible(access, file);
  if (!put && file.made()) return refuse_put(file, original);
  if (!put || put->elements == 0 || (buffered && requests.buffer_bytes() == 0)) return pass(file, original);
  if (buffered) {
    MPI_Offset used = 0;
    WEIR_ORIGINAL(ncmpi_inq_buffer_usage)(file.library().number(), &used);
    if (used + requests.used_bytes() + put->bytes > requests.buffer_bytes()) return NC_EINSUFFBUF;
  }
  const Type external = file.variables()[static_cast<std::size_t>(access.var)].type;
  const bool fits = misfits(put->part.values, put->elements, put->part.type, external, Infinities::misfit) == 0;
  const int number = requests.post(std::move(*put), buffered ? Request::Kind::buffered_put : Request::Kind::put);
  if (request != nullptr) *request = number;
  return fits ? NC_NOERR : NC_ERANGE;
}

}  // namespace

int put_all(BridgedFile& file, std::span<const Access> accesses, LibraryCall original) noexcept {
  return file.call([&] { return put_together(file, accesses, original); });
}

int get_all(BridgedFile& file, LibraryCall original) noexcept {
  return file.call([&] { return get_together(file, original); });
}

int put_alone(BridgedFile& file, std::span<const Access> accesses, LibraryCall original) noexcept {
  return file.call([&] { return put_by_rank(file, accesses, original); });
}

int get_alone(BridgedFile& file, LibraryCall original) noexcept {
  return file.call([&] { return get_by_rank(file, original); });
}

int post_get(BridgedFile& file, const Access& access, int* request, LibraryCall original) noexcept {
  return file.call([&] { return post_get_by_rank(file, access, request, original); });
}

int post_put(BridgedFile& file, const Access& access, bool buffered, int* request, LibraryCall original) noexcept {
  return file.call([&] { return post_put_by_rank(file, access, buffered, request, original); });
}

}  // namespace weir::bridge
