// SPDX-License-Identifier: Apache-2.0
// Files that Weir makes in another format: PnetCDF has a stand-in with their definitions, and none of their data.
#include <mpi.h>

#include <algorithm>
#include <utility>

#include "core/codes.hpp"
#include "pnetcdf/files.hpp"
#include "pnetcdf/original_calls.hpp"

namespace weir::bridge {

int BridgedFile::refuse(const std::string& why) {
  RankGroup& group = takeover_.group();
  if (!std::exchange(refused_, true) && group.comm().rank() == 0) group.process().say(takeover_.path() + ": " + why);
  pass(Reason::packed);
  return NC_ENOTSUPPORT;
}

int refuse_undefined(BridgedFile& file) {
  const int code = file.refuse(file.takeover().obstacle_in_words());
  return file.takeover().reason() == Reason::differing ? NC_EMULTIDEFINE : code;
}

int BridgedFile::refuse_alone(const std::string& why) {
  RankGroup& group = takeover_.group();
  if (!std::exchange(refused_alone_, true))
    group.process().say("rank " + std::to_string(group.comm().number()) + ": " + takeover_.path() + ": " + why);
  pass(Reason::packed);
  return NC_ENOTSUPPORT;
}

int BridgedFile::keep_alone(Prepared put) {
  const Config* const config = takeover_.group().config_for(takeover_.path());
  if (config != nullptr && kept_.bytes() + put.elements * type_bytes(put.part.type) > config->buffer_limit_bytes) {
    refuse_alone(
        "more than buffer_limit waits of puts that one rank made alone; put collectively, or raise buffer_limit");
    return NC_ENOMEM;
  }
  const Type external = variables()[static_cast<std::size_t>(put.part.var)].type;
  const bool fits = misfits(put.part.values, put.elements, put.part.type, external, Infinities::misfit) == 0;
  takeover_.carrier()->learn_records(put.records);
  kept_.add(std::move(put));
  return fits ? NC_NOERR : NC_ERANGE;
}

// All ranks put what they have kept. What of it cannot be put is lost, long after the call that put it: the next sync
// and the close say so too. Collective.
int BridgedFile::put_kept() {
  int code = NC_NOERR;
  kept_.put_all(
      takeover_.group(),
      [&](const KeptPuts::Batch& batch) {
        const Answer answer = put(batch.parts, batch.records, Reason::none);
        if (!answer.taken) return false;
        takeover_.counts().bytes_taken_over += batch.bytes;
        if (answer.code != NC_ERANGE && code == NC_NOERR) code = answer.code;
        return true;
      },
      [&] { code = refuse("by themselves " + takeover_.carrier()->overlap_in_words()); });
  if (lost_ == NC_NOERR) lost_ = code;
  return code;
}

int BridgedFile::look_made(Then then) {
  if (!ready()) return takeover_.reason() == Reason::none ? NC_NOERR : refuse_undefined(*this);
  int code = learn_again();
  if (code == NC_NOERR) code = put_kept();
  Status status;
  MadeFile& file = takeover_.carrier()->made_file();
  if (then == Then::stores) status = file.commit();
  if (then == Then::closes) status = file.finish();
  if (!status.ok()) return fail(status);
  if (then == Then::redefines) library_.forget();
  // The library moves the stand-in's records where definitions need room, so it is told of none that it need not know.
  const int told = library_.mode() == Mode::collective && then == Then::transfers ? tell() : NC_NOERR;
  if (code == NC_NOERR && (then == Then::stores || then == Then::closes)) code = lost_;
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
