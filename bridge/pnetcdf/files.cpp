// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/files.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/outcome.hpp"
#include "pnetcdf/definition.hpp"
#include "pnetcdf/original_calls.hpp"
#include "pnetcdf/read_files.hpp"

namespace weir::bridge {

namespace {

// Never destroyed: a program that ends without closing its files runs no destructor of theirs.
std::vector<std::unique_ptr<BridgedFile>>& table() {
  static auto* const files = new std::vector<std::unique_ptr<BridgedFile>>;
  return *files;
}

// "1.12.3" of "1.12.3 of 21 Jan 2022".
std::string version_of_original() {
  const auto inquire = find_original<decltype(ncmpi_inq_libvers)>("ncmpi_inq_libvers");
  const std::string text = inquire != nullptr ? inquire() : "";
  return text.substr(0, text.find(' '));
}

}  // namespace

BridgedFile* bridged(int ncid) noexcept {
  auto& files = table();
  return ncid >= 0 && ncid < std::ssize(files) ? files[static_cast<std::size_t>(ncid)].get() : nullptr;
}

Process* process() noexcept {
  static const bool fits = is_built_for(bridge_name, version_of_original(), PNETCDF_VERSION);
  if (!fits) return nullptr;
  static Process& process = []() -> Process& {
    Process& started = Process::start(bridge_name, Makes::both);
    started.at_finalize(end_files);
    return started;
  }();
  return process.forked() ? nullptr : &process;
}

int at_file(int ncid, Again body) noexcept {
  if (BridgedFile* const file = bridged(ncid)) return file->call(body);
  if (ReadFile* const file = numbered<ReadFile>().find(ncid)) return file->call(body);
  return at_border(bridge_name, body);
}

void end_files() noexcept {
  numbered<ReadFile>().end_all(
      [](ReadFile& file) { static_cast<void>(file.call([&] { return file.close([] { return NC_NOERR; }); })); });
  for (auto& file : table()) {
    if (!file) continue;
    const BridgedFile::Then then = file->made() ? BridgedFile::Then::closes : BridgedFile::Then::redefines;
    static_cast<void>(file->call([&] { return file->look(then); }));
    file.reset();
  }
}

void add_file(int ncid, std::unique_ptr<BridgedFile> file) {
  auto& files = table();
  if (std::ssize(files) <= ncid) files.resize(static_cast<std::size_t>(ncid) + 1);
  auto& place = files[static_cast<std::size_t>(ncid)];
  if (place) place->complain_if_lost();
  place = std::move(file);
}

std::unique_ptr<BridgedFile> take_file(int ncid) {
  return bridged(ncid) == nullptr ? nullptr : std::move(table()[static_cast<std::size_t>(ncid)]);
}

BridgedFile::BridgedFile(std::shared_ptr<RankGroup> group, Opened opened)
    : Border(*group),
      group_(std::move(group)),
      name_(std::move(opened.name)),
      obstacle_(opened.obstacle),
      shared_(opened.shared),
      library_(opened.ncid, name_.made()) {
  own_counts_.path = name_.given;
  if (group_->comm().rank() == 0 && !made()) named_ = std::make_unique<NamedFile>(name_.path);
}

BridgedFile::~BridgedFile() {
  if (group_->comm().rank() != 0) return;
  if (carrier_ == nullptr) group_->process().done(own_counts_);
  if (made()) ::unlink(name_.stand_in.c_str());
}

void BridgedFile::complain_if_lost() {
  if (carrier_ != nullptr && carrier_->afloat())
    carrier_->complain(carrier_->counts().path +
                       ": closed by a call that did not come through the bridge, so what was put since the last sync "
                       "is lost; make all calls of a file in the same way");
}

void BridgedFile::end_definitions(int code) {
  if (code == NC_NOERR) library_.enter(Mode::collective);
  if (reason_ != Reason::none || written() != nullptr) return;
  decide(code == NC_NOERR);
  if (carries()) carrier_->library_file().lengthen(library_.records());
}

void BridgedFile::begin() {
  library_.enter(Mode::collective);
  decide(true);
}

// `well`: the library has the file in order here.
void BridgedFile::decide(bool well) {
  Reason known = well ? obstacle_ : Reason::unusual;
  DefinedFile defined;
  try {
    if (known == Reason::none) defined = library_.ask();
  } catch (const std::exception&) {
    known = Reason::header;
  }
  try {
    RankGroup::Decision decision = group_->decide(name_.given, known, signature_of(defined));
    reason_ = decision.reason;
    if (reason_ == Reason::none && carrier_ == nullptr) {
      carrier_ = std::make_unique<Carrier>(group_, std::move(decision), name_, std::move(named_));
      carrier_->counts().add(own_counts_);  // of calls before its definitions ended
    }
  } catch (const std::exception&) {
    const Status trouble = caught();
    raise_if_parted(trouble);
    reason_ = Reason::unusual;
    if (group_->comm().rank() == 0)
      group_->process().say(trouble.message + "; " + name_.given + " is left to the library behind");
  }
  if (reason_ == Reason::none) learn_definition(std::move(defined));
}

void BridgedFile::pass(Reason reason) noexcept {
  if (reason_ != Reason::none) reason = reason_;
  if (reason == Reason::none && library_.mode() == Mode::independent) reason = Reason::independent;
  counts().pass(reason == Reason::none ? Reason::unusual : reason);
}

const std::vector<Variable>& BridgedFile::variables() {
  if (!library_.known()) learn_definition(library_.ask());
  return library_.variables();
}

void BridgedFile::learn_definition(DefinedFile defined) {
  library_.learn(defined);
  if (carrier_ != nullptr) carrier_->learn(std::move(defined));
}

void BridgedFile::learn() {
  if (carrier_ != nullptr && library_.count_records()) carrier_->learn_records(library_.records());
}

BridgedFile::Answer BridgedFile::put(std::span<const LocalSlabs> parts, std::int64_t records, Reason refusal,
                                     bool* question) {
  try {
    variables();  // Weir may not know yet how the file is now
  } catch (const std::exception&) {
    refusal = std::max(refusal, Reason::unusual);
  }
  const Outcome outcome = carrier_->put(parts, records, refusal, question);
  if (!outcome.trouble.ok()) return {true, fail(outcome.trouble)};
  if (outcome.reason != Reason::none) {
    pass(outcome.reason);
    return {false, NC_NOERR, outcome.reason};
  }
  ++counts().taken_over;
  if (const int trouble = shared_ ? look(Then::stores) : NC_NOERR; trouble != NC_NOERR) return {true, trouble};
  return {true, outcome.out_of_range > 0 ? NC_ERANGE : NC_NOERR};
}

int BridgedFile::look(Then then) {
  if (made()) return look_made(then);
  if (!carries()) return NC_NOERR;
  const Status status = bring(then);
  if (!status.ok()) return fail(status);
  const int code = tell();
  if (then != Then::reads && then != Then::stores) carrier_->library_file().shorten();
  return code;
}

Status BridgedFile::bring(Then then) {
  switch (then) {
    case Then::reads:
    case Then::transfers:
      return carrier_->library_file().land(false);
    case Then::stores:
      return carrier_->library_file().land(true);
    case Then::redefines:
      library_.forget();
      return carrier_->library_file().detach(false);
    case Then::closes:
      break;
  }
  return carrier_->library_file().detach(shared_ || carrier_->stores());
}

// A put of nothing beyond the last record: the library then counts the records before it. It tells only the rank that
// writes the count where that fails, and the others' next call is collective: all have the code.
int BridgedFile::tell() {
  const std::int64_t records = carrier_->records();
  const int var = library_.record_variable();
  if (records <= library_.records() || var < 0) return NC_NOERR;
  const std::size_t ndims = library_.variables()[static_cast<std::size_t>(var)].shape.size();
  std::vector<MPI_Offset> start(ndims, 0), count(ndims, 0);
  start[0] = records;
  if (!carrier_->made()) carrier_->library_file().lengthen(records);
  std::int64_t trouble = -WEIR_ORIGINAL(ncmpi_put_vara_all)(library_.number(), var, start.data(), count.data(), nullptr,
                                                            0, MPI_DATATYPE_NULL);  // errors are negative
  allreduce_max(group_->comm(), std::span(&trouble, 1), group_->deadline(), "the record count of " + name_.given);
  if (trouble != 0) return static_cast<int>(-trouble);
  learn();
  if (library_.records() >= records) return NC_NOERR;
  return fail({WEIR_EINTERNAL,
               carrier_->counts().path + ": PnetCDF counts " + std::to_string(library_.records()) + " records where " +
                   std::to_string(records) + " were put; switch the bridge off for this file",
               -1});
}

}  // namespace weir::bridge
