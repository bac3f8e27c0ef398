// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/takeover.hpp"

#include <unistd.h>

#include <utility>

#include "base/outcome.hpp"
#include "core/border.hpp"
#include "pnetcdf/definition.hpp"

namespace weir::bridge {

Takeover::Takeover(std::shared_ptr<RankGroup> group, FileName name, Reason obstacle)
    : group_(std::move(group)), name_(std::move(name)), obstacle_(obstacle) {
  own_counts_.path = name_.given;
  if (group_->comm().rank() == 0 && !made()) named_ = std::make_unique<NamedFile>(name_.path);
}

Takeover::~Takeover() {
  if (group_->comm().rank() != 0) return;
  if (carrier_ == nullptr) group_->process().done(own_counts_);
  if (made()) ::unlink(name_.stand_in.c_str());
}

std::optional<DefinedFile> Takeover::decide(bool well, const LibraryState& library) {
  Reason known = well ? obstacle_ : Reason::unusual;
  DefinedFile defined;
  try {
    if (known == Reason::none) defined = library.ask();
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
  return reason_ == Reason::none ? std::optional(std::move(defined)) : std::nullopt;
}

void Takeover::pass(Reason reason) noexcept {
  if (reason_ != Reason::none) reason = reason_;
  counts().pass(reason == Reason::none ? Reason::unusual : reason);
}

void Takeover::complain_if_lost() {
  if (carrier_ != nullptr && carrier_->afloat())
    carrier_->complain(carrier_->counts().path +
                       ": closed by a call that did not come through the bridge, so what was put since the last sync "
                       "is lost; make all calls of a file in the same way");
}

}  // namespace weir::bridge
