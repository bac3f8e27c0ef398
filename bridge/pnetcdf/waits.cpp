// SPDX-License-Identifier: Apache-2.0
// wait_all, wait and cancel of requests, some of which belong to the bridge and some to the library; the buffer of
// bput.
//
//: wait_all | written by Weir, all puts of the call together; gets by the library
//: wait|cancel | of the bridge's requests and the library's
//: buffer_(at|de)tach|inq_buffer_usage|inq_nreqs | the library's, and of the bridge's requests
#include <algorithm>
#include <climits>
#include <utility>

#include "base/text.hpp"
#include "pnetcdf/files.hpp"
#include "pnetcdf/original_calls.hpp"
#include "pnetcdf/put_calls.hpp"

namespace weir::bridge {

namespace {

using NextAccess = BridgedFile::NextAccess;

// What a wait or cancel names: all requests of a kind, or a list of numbers, with room for a status of each.
struct Waiting {
  int count;
  int* numbers;
  int* statuses;

  bool list() const noexcept { return count >= 0; }
  std::span<const int> ids() const { return {numbers, list() ? static_cast<std::size_t>(count) : 0}; }
};

std::vector<Request> take_named(Requests& requests, const Waiting& wait) {
  if (wait.list()) return wait.numbers == nullptr ? std::vector<Request>() : requests.take(wait.ids());
  if (wait.count == NC_PUT_REQ_ALL) return requests.take_puts();
  if (wait.count == NC_GET_REQ_ALL) return requests.take_gets();
  return wait.count == NC_REQ_ALL ? requests.take_all() : std::vector<Request>();
}

// PnetCDF takes a list as long as all that waits for all that waits, whatever numbers it has; its Fortran calls, which
// forget the number of a put with values out of range, rely on that.
std::vector<Request> take_waited(BridgedFile& file, const Waiting& wait) {
  Requests& requests = file.requests();
  const bool as_long = wait.numbers != nullptr && std::cmp_equal(wait.count, requests.size());
  int of_library = 0;
  if (as_long) WEIR_ORIGINAL(ncmpi_inq_nreqs)(file.library().number(), &of_library);
  return as_long && of_library == 0 ? requests.take_all() : take_named(requests, wait);
}

// A request of the list; of a list that took all, every one.
bool is_own(const Waiting& wait, const std::vector<Request>& own, int number) {
  return std::ssize(own) == wait.count ||
         std::any_of(own.begin(), own.end(), [&](const Request& request) { return request.id == number; });
}

// Those of the list that are done (a put of nothing never had a number): without a number, without an error.
void mark_done(const Waiting& wait, const std::vector<Request>& own) {
  for (int i = 0; i < wait.count && wait.numbers != nullptr; ++i) {
    if (wait.numbers[i] != NC_REQ_NULL && !is_own(wait, own, wait.numbers[i])) continue;
    wait.numbers[i] = NC_REQ_NULL;
    if (wait.statuses != nullptr) wait.statuses[i] = NC_NOERR;
  }
}

// The library has something to do: requests of its own are named, or something that it must refuse.
bool concerns_library(int ncid, const Waiting& wait, const std::vector<Request>& own) {
  if (wait.list())
    return wait.count > 0 && (wait.numbers == nullptr ||
                              std::any_of(wait.numbers, wait.numbers + wait.count,
                                          [&](int id) { return id != NC_REQ_NULL && !is_own(wait, own, id); }));
  int waiting = 0;
  WEIR_ORIGINAL(ncmpi_inq_nreqs)(ncid, &waiting);
  return waiting > 0 || wait.count < NC_PUT_REQ_ALL;
}

// The library's call, on its own requests of the list and on those handed over to it. `named`: the list as it was.
template <class Original>
int ask_library(int ncid, const Waiting& wait, const std::vector<ReturnedRequests::Number>& handed_over,
                const std::vector<int>& named, Original original) {
  if (!wait.list()) return original(ncid, wait.count, wait.numbers, wait.statuses);
  std::vector<int> ids(wait.ids().begin(), wait.ids().end());
  for (const ReturnedRequests::Number& each : handed_over) ids.push_back(each.of_library);
  std::vector<int> statuses(ids.size() + 1, NC_NOERR);
  const int code = original(ncid, static_cast<int>(ids.size()), ids.data(), statuses.data());
  for (int i = 0; i < wait.count; ++i) {
    if (wait.numbers[i] == NC_REQ_NULL) continue;
    wait.numbers[i] = ids[static_cast<std::size_t>(i)];
    if (wait.statuses != nullptr) wait.statuses[i] = statuses[static_cast<std::size_t>(i)];
  }
  for (std::size_t k = 0; k < handed_over.size() && wait.statuses != nullptr; ++k) {
    const auto place = std::find(named.begin(), named.end(), handed_over[k].id) - named.begin();
    const int status = statuses[named.size() + k];
    if (place < std::ssize(named) && status != NC_NOERR) wait.statuses[place] = status;
  }
  return code;
}

template <class Original>
int give_all_to_library(BridgedFile& file, const Waiting& wait, std::vector<Request> own, Original original) {
  int code = NC_NOERR;
  const std::vector<int> named(wait.ids().begin(), wait.ids().end());
  mark_done(wait, own);
  const std::vector<ReturnedRequests::Number> handed_over =
      file.handed_over().post(file.library().number(), std::move(own), code);
  const int result = ask_library(file.library().number(), wait, handed_over, named, original);
  file.handed_over().forget();
  return code != NC_NOERR ? code : result;
}

int carry_all(BridgedFile& file, const Waiting& wait) {
  std::vector<Request> own = take_waited(file, wait);
  std::vector<Request> gets = take_gets(own);  // the library's, once what was put is flushed
  std::vector<LocalSlabs> parts;
  std::int64_t records = 0, bytes = 0;
  for (const Request& request : own) {
    parts.push_back(request.put.part);
    records = std::max(records, request.put.records);
    bytes += request.put.bytes;
  }
  bool library = !gets.empty() || concerns_library(file.library().number(), wait, own);
  // The library refuses so much at once.
  const Reason refusal = bytes > INT_MAX && !file.made() ? Reason::unusual : Reason::none;
  const BridgedFile::Answer answer = file.put(parts, records, refusal, &library);
  if (answer.taken) {
    file.intercept().counts().bytes_taken_over += bytes;
    mark_done(wait, own);
    if (answer.code != NC_NOERR && answer.code != NC_ERANGE) return answer.code;
    if (!library) return NC_NOERR;
    own.clear();
  }
  if (!answer.taken && file.made())
    return file.refuse(formatted("at one wait_all {}", file.intercept().file_writer()->overlap_in_words()));
  if (const int problem = file.flush_before(NextAccess::transfers); problem != NC_NOERR) return problem;
  own.insert(own.end(), std::make_move_iterator(gets.begin()), std::make_move_iterator(gets.end()));
  const int code = give_all_to_library(file, wait, std::move(own), WEIR_ORIGINAL(ncmpi_wait_all));
  file.learn();
  return code;
}

// Of a file that Weir makes: its puts are kept until all ranks agree.
int keep_all(BridgedFile& file, const Waiting& wait) {
  std::vector<Request> own = take_waited(file, wait);
  mark_done(wait, own);
  int code = NC_NOERR;
  for (Request& request : own) {
    const int one = file.keep_alone(request.put);
    if (one != NC_NOERR && one != NC_ERANGE) code = one;
  }
  if (code != NC_NOERR || !concerns_library(file.library().number(), wait, own)) return code;
  return ask_library(file.library().number(), wait, {}, {}, WEIR_ORIGINAL(ncmpi_wait));
}

}  // namespace

WEIR_BRIDGED ncmpi_wait_all(int ncid, int count, int* numbers, int* statuses) {
  BridgedFile* const file = bridged(ncid);
  if (file == nullptr) return WEIR_ORIGINAL(ncmpi_wait_all)(ncid, count, numbers, statuses);
  const Waiting wait{count, numbers, statuses};
  return file->call([&] {
    if (file->written_by_weir()) return carry_all(*file, wait);
    file->pass();
    if (file->made()) return WEIR_ORIGINAL(ncmpi_wait_all)(ncid, count, numbers, statuses);  // it is refused
    return give_all_to_library(*file, wait, take_waited(*file, wait), WEIR_ORIGINAL(ncmpi_wait_all));
  });
}

// In collective mode the library refuses it.
WEIR_BRIDGED ncmpi_wait(int ncid, int count, int* numbers, int* statuses) {
  BridgedFile* const file = bridged(ncid);
  if (file == nullptr || file->written_by_weir()) return WEIR_ORIGINAL(ncmpi_wait)(ncid, count, numbers, statuses);
  const Waiting wait{count, numbers, statuses};
  return file->call([&] {
    if (file->made()) return keep_all(*file, wait);
    file->pass();
    return give_all_to_library(*file, wait, take_waited(*file, wait), WEIR_ORIGINAL(ncmpi_wait));
  });
}

WEIR_BRIDGED ncmpi_cancel(int ncid, int count, int* numbers, int* statuses) {
  BridgedFile* const file = bridged(ncid);
  if (file == nullptr) return WEIR_ORIGINAL(ncmpi_cancel)(ncid, count, numbers, statuses);
  const Waiting wait{count, numbers, statuses};
  return file->call([&] {
    mark_done(wait, take_named(file->requests(), wait));
    return ask_library(ncid, wait, {}, {}, WEIR_ORIGINAL(ncmpi_cancel));
  });
}

WEIR_BRIDGED ncmpi_inq_nreqs(int ncid, int* nreqs) {
  const int code = WEIR_ORIGINAL(ncmpi_inq_nreqs)(ncid, nreqs);
  if (BridgedFile* file = bridged(ncid); file != nullptr && code == NC_NOERR && nreqs != nullptr)
    *nreqs += static_cast<int>(file->requests().size());
  return code;
}

WEIR_BRIDGED ncmpi_buffer_attach(int ncid, MPI_Offset bytes) {
  const int code = WEIR_ORIGINAL(ncmpi_buffer_attach)(ncid, bytes);
  if (BridgedFile* file = bridged(ncid); file != nullptr && code == NC_NOERR) file->requests().attach(bytes);
  return code;
}

WEIR_BRIDGED ncmpi_buffer_detach(int ncid) {
  BridgedFile* const file = bridged(ncid);
  if (file != nullptr && file->requests().used_bytes() > 0) return NC_EPENDINGBPUT;
  const int code = WEIR_ORIGINAL(ncmpi_buffer_detach)(ncid);
  if (file != nullptr && code == NC_NOERR) file->requests().attach(0);
  return code;
}

WEIR_BRIDGED ncmpi_inq_buffer_usage(int ncid, MPI_Offset* usage) {
  const int code = WEIR_ORIGINAL(ncmpi_inq_buffer_usage)(ncid, usage);
  if (BridgedFile* file = bridged(ncid); file != nullptr && code == NC_NOERR && usage != nullptr)
    *usage += file->requests().used_bytes();
  return code;
}

}  // namespace weir::bridge
