// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/files.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/text.hpp"
#include "pnetcdf/original_calls.hpp"
#include "pnetcdf/read_files.hpp"

namespace weir::bridge {

namespace {

// Never destroyed: a program that ends without closing its files runs no destructor of theirs.
std::vector<std::unique_ptr<BridgedFile>>& table() {
  static auto* const files = new std::vector<std::unique_ptr<BridgedFile>>;
  return *files;
}

}  // namespace

BridgedFile* bridged(int ncid) noexcept {
  auto& files = table();
  return ncid >= 0 && ncid < std::ssize(files) ? files[static_cast<std::size_t>(ncid)].get() : nullptr;
}

Process* process() noexcept {
  static const std::string version = version_of_original("ncmpi_inq_libvers");
  static const bool fits = is_built_for(bridge_name, version, PNETCDF_VERSION);
  if (!fits) return nullptr;
  static Process& process = []() -> Process& {
    Process& started = Process::start(bridge_name, Makes::both);
    started.note_newer("PnetCDF", version, PNETCDF_VERSION);
    started.at_finalize(end_files);
    return started;
  }();
  return process.forked() ? nullptr : &process;
}

int at_file(int ncid, LibraryCall body) noexcept {
  if (BridgedFile* const file = bridged(ncid)) return file->call(body);
  if (ReadFile* const file = numbered<ReadFile>().find(ncid)) return file->call(body);
  return at_border(bridge_name, body);
}

void end_files() noexcept {
  numbered<ReadFile>().end_all(
      [](ReadFile& file) { static_cast<void>(file.call([&] { return file.close([] { return NC_NOERR; }); })); });
  for (auto& file : table()) {
    if (!file) continue;
    const BridgedFile::NextAccess next_access =
        file->made() ? BridgedFile::NextAccess::closes : BridgedFile::NextAccess::redefines;
    static_cast<void>(file->call([&] { return file->flush_before(next_access); }));
    file.reset();
  }
}

void add_file(int ncid, std::unique_ptr<BridgedFile> file) {
  auto& files = table();
  if (std::ssize(files) <= ncid) files.resize(static_cast<std::size_t>(ncid) + 1);
  auto& place = files[static_cast<std::size_t>(ncid)];
  if (place) place->intercept().complain_if_lost();
  place = std::move(file);
}

std::unique_ptr<BridgedFile> take_file(int ncid) {
  return bridged(ncid) == nullptr ? nullptr : std::move(table()[static_cast<std::size_t>(ncid)]);
}

BridgedFile::BridgedFile(std::shared_ptr<RankGroup> group, Opened opened)
    : Border(*group),
      shared_(opened.shared),
      library_(opened.ncid, opened.name.made()),
      intercept_(std::move(group), std::move(opened.name), opened.obstacle) {}

int BridgedFile::end_definitions(int code) {
  if (code == NC_NOERR) library_.enter(Mode::collective);
  if (intercept_.reason() != Reason::none || intercept_.written() != nullptr) return code;
  decide(code == NC_NOERR);
  if (made() && intercept_.reason() == Reason::differing) return refuse_undefined(*this);
  if (written_by_weir()) intercept_.file_writer()->library_file().lengthen(library_.records());
  return code;
}

void BridgedFile::begin() {
  library_.enter(Mode::collective);
  decide(true);
}

// `well`: the library has the file in order here.
void BridgedFile::decide(bool well) {
  if (auto defined = intercept_.decide(well, library_)) learn_definition(std::move(*defined));
}

void BridgedFile::pass(Reason reason) noexcept {
  const bool independent = reason == Reason::none && library_.mode() == Mode::independent;
  intercept_.pass(independent ? Reason::independent : reason);
}

const std::vector<Variable>& BridgedFile::variables() {
  if (!library_.known()) learn_definition(library_.ask());
  return library_.variables();
}

void BridgedFile::learn_definition(DefinedFile defined) {
  library_.learn(defined);
  if (intercept_.file_writer() != nullptr) intercept_.file_writer()->learn(std::move(defined));
}

void BridgedFile::learn() {
  if (intercept_.file_writer() != nullptr && library_.count_records())
    intercept_.file_writer()->learn_records(library_.records());
}

BridgedFile::Answer BridgedFile::put(std::span<const LocalSlabs> parts, std::int64_t records, Reason refusal,
                                     bool* question) {
  try {
    variables();  // Weir may not know yet how the file is now
  } catch (const std::exception&) {
    refusal = std::max(refusal, Reason::unusual);
  }
  const Outcome outcome = intercept_.file_writer()->put(parts, records, refusal, question);
  if (!outcome.problem.ok()) return {true, fail(outcome.problem)};
  if (outcome.reason != Reason::none) {
    pass(outcome.reason);
    return {false, NC_NOERR, outcome.reason};
  }
  ++intercept_.counts().taken_over;
  if (const int problem = shared_ ? flush_before(NextAccess::stores) : NC_NOERR; problem != NC_NOERR)
    return {true, problem};
  return {true, outcome.out_of_range > 0 ? NC_ERANGE : NC_NOERR};
}

int BridgedFile::flush_before(NextAccess next_access) {
  if (made()) return look_made(next_access);
  if (!written_by_weir()) return NC_NOERR;
  const Status status = bring(next_access);
  if (!status.ok()) return fail(status);
  const int code = tell();
  if (next_access != NextAccess::reads && next_access != NextAccess::stores)
    intercept_.file_writer()->library_file().shorten();
  return code;
}

Status BridgedFile::bring(NextAccess next_access) {
  LibraryFile& file = intercept_.file_writer()->library_file();
  switch (next_access) {
    case NextAccess::reads:
    case NextAccess::transfers:
      return file.flush_to_library(false);
    case NextAccess::stores:
      return file.flush_to_library(true);
    case NextAccess::redefines:
      library_.forget();
      return file.detach(false);
    case NextAccess::closes:
      break;
  }
  return file.detach(shared_ || intercept_.file_writer()->wants_storage());
}

// The library counts records by a put. Up to PnetCDF 1.13 a put of nothing beyond the last record will do. Later ones
// count puts of something alone.
int BridgedFile::tell() {
  FileWriter& file_writer = *intercept_.file_writer();
  const std::int64_t records = file_writer.records();
  const int var = library_.record_variable();
  if (records <= library_.records() || var < 0) return NC_NOERR;
  if (!file_writer.made()) file_writer.library_file().lengthen(records);
  for (const bool puts_element : {false, true}) {
    const int code = puts_element ? put_last_element(var, records - 1) : put_nothing(var, records);
    if (code != NC_NOERR) return code;
    learn();
    if (library_.records() >= records) return NC_NOERR;
  }
  return fail(
      {WEIR_EINTERNAL, formatted("{}: PnetCDF counts {} records where {} were put; switch the bridge off for this file",
                                 intercept_.path(), library_.records(), records)});
}

int BridgedFile::put_nothing(int var, std::int64_t record) {
  return put_to_tell(var, record, 0, nullptr);
}

// What the file has there already; the shadow of a file that Weir makes has nothing. All ranks put the same: PnetCDF
// 1.15 hangs where some put nothing into a record and others do not.
int BridgedFile::put_last_element(int var, std::int64_t record) {
  FileWriter& file_writer = *intercept_.file_writer();
  const RankGroup& group = intercept_.group();
  Element element{};
  Status here;
  try {
    if (group.comm().rank() == 0 && !file_writer.made())
      element = file_writer.library_file().read_first_element(var, record);
  } catch (...) {
    here = caught();
  }
  std::int64_t told[] = {here.ok() ? 0 : 1, std::bit_cast<std::int64_t>(element)};
  broadcast(group.comm(), std::span<std::int64_t>(told), 0, group.deadline(),
            formatted("the record count of {}", intercept_.path()));
  if (!here.ok()) return fail(here);
  if (told[0] != 0) return NC_EWRITE;
  element = std::bit_cast<Element>(told[1]);
  return put_to_tell(var, record, 1, element.data());
}

// `count` elements of the variable's type, on this rank. The library tells only the rank that writes the count where
// that fails, and the others' next call is collective: all have the code.
int BridgedFile::put_to_tell(int var, std::int64_t record, std::int64_t count, const void* values) {
  const std::size_t ndims = library_.variables()[static_cast<std::size_t>(var)].shape.size();
  std::vector<MPI_Offset> start(ndims, 0), counts(ndims, count);
  start[0] = record;
  std::int64_t problem = -WEIR_ORIGINAL(ncmpi_put_vara_all)(library_.number(), var, start.data(), counts.data(), values,
                                                            0, MPI_DATATYPE_NULL);  // errors are negative
  const RankGroup& group = intercept_.group();
  allreduce_max(group.comm(), std::span(&problem, 1), group.deadline(),
                formatted("the record count of {}", intercept_.path()));
  return static_cast<int>(-problem);
}

}  // namespace weir::bridge
