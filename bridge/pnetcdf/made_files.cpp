// SPDX-License-Identifier: Apache-2.0
// Files that Weir makes in another format: PnetCDF has a shadow with their definitions, and none of their data.
#include <mpi.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "core/codes.hpp"
#include "pnetcdf/files.hpp"
#include "pnetcdf/original_calls.hpp"

namespace weir::bridge {

int BridgedFile::refuse(const std::string& why) {
  RankGroup& group = intercept_.group();
  if (!std::exchange(refused_, true) && group.comm().rank() == 0) group.process().say(intercept_.path() + ": " + why);
  pass(Reason::packed);
  return NC_ENOTSUPPORT;
}

int refuse_undefined(BridgedFile& file) {
  const int code = file.refuse(file.intercept().obstacle_in_words());
  return file.intercept().reason() == Reason::differing ? NC_EMULTIDEFINE : code;
}

int BridgedFile::refuse_alone(const std::string& why) {
  RankGroup& group = intercept_.group();
  if (!std::exchange(refused_alone_, true))
    group.process().say(formatted("rank {}: {}: {}", group.comm().number(), intercept_.path(), why));
  pass(Reason::packed);
  return NC_ENOTSUPPORT;
}

int BridgedFile::keep_alone(const Prepared& put) {
  const Config* const config = intercept_.group().config_for(intercept_.path());
  if (config != nullptr && kept_.bytes() + put.elements * type_bytes(put.part.type) > config->buffer_limit_bytes) {
    refuse_alone(
        "independent puts of one rank need more memory than buffer_limit; put collectively, or raise buffer_limit");
    return NC_ENOMEM;
  }
  const Type external = variables()[static_cast<std::size_t>(put.part.var)].type;
  const bool fits = misfits(put.part.values, put.elements, put.part.type, external, Infinities::misfit) == 0;
  intercept_.file_writer()->learn_records(put.records);
  kept_.add(put);
  return fits ? NC_NOERR : NC_ERANGE;
}

// All ranks put what they have kept. What of it cannot be put is lost, long after the call that put it: the next sync
// and the close say so too. Collective.
int BridgedFile::put_kept() {
  int code = NC_NOERR;
  kept_.put_all(
      intercept_.group(),
      [&](const KeptPuts::Batch& batch) {
        const Answer answer = put(batch.parts, batch.records, Reason::none);
        if (!answer.taken) return false;
        intercept_.counts().bytes_taken_over += batch.bytes;
        if (answer.code != NC_ERANGE && code == NC_NOERR) code = answer.code;
        return true;
      },
      [&] { code = refuse(formatted("by themselves {}", intercept_.file_writer()->overlap_in_words())); });
  if (lost_ == NC_NOERR) lost_ = code;
  return code;
}

int BridgedFile::look_made(NextAccess next_access) {
  if (!ready()) return intercept_.reason() == Reason::none ? NC_NOERR : refuse_undefined(*this);
  int code = learn_again();
  if (code == NC_NOERR) code = put_kept();
  Status status;
  MadeFile& file = intercept_.file_writer()->made_file();
  if (next_access == NextAccess::stores) status = file.commit();
  if (next_access == NextAccess::closes) status = file.finish();
  if (!status.ok()) return fail(status);
  if (next_access == NextAccess::redefines) library_.forget();
  // PnetCDF moves the records of the shadow when definitions need room, so the bridge reports only the records it
  // needs.
  const int told = library_.mode() == Mode::collective && next_access == NextAccess::transfers ? tell() : NC_NOERR;
  if (code == NC_NOERR && (next_access == NextAccess::stores || next_access == NextAccess::closes)) code = lost_;
  return code != NC_NOERR ? code : told;
}

// Local; alike on all ranks.
int BridgedFile::learn_again() {
  if (library_.known() || library_.mode() == Mode::define) return NC_NOERR;
  try {
    learn_definition(library_.ask());
    return NC_NOERR;
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
}

}  // namespace weir::bridge
