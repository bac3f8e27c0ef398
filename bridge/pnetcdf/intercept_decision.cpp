// SPDX-License-Identifier: Apache-2.0
#include "pnetcdf/intercept_decision.hpp"

#include <unistd.h>

#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "core/border.hpp"
#include "core/definition_agreement.hpp"
#include "mpi/agree.hpp"
#include "pnetcdf/definition.hpp"

namespace weir::bridge {

namespace {

// A header's length is one of what its variables' places depend on.
std::optional<std::string> other_places(const DefinedFile& defined, const Geometry& first) {
  const std::vector<std::int64_t>&here = defined.geometry.begin, &there = first.begin;
  for (std::size_t var = 0; var < here.size(); ++var)
    if (here[var] != there[var])
      return formatted(
          "variable \"{}\" begins at byte {} here and at byte {} on rank 0, because the lengths of attributes differ",
          defined.schema.variables()[var].name, here[var], there[var]);
  return std::nullopt;
}

// Rank 0's is in the file; others' may be of another length, by their attributes. Collective.
void take_header_of_rank_0(const RankGroup& group, DefinedFile& defined) {
  std::int64_t bytes = defined.geometry.header_bytes;
  broadcast(group.comm(), std::span(&bytes, 1), 0, group.deadline(), "the header's length");
  derive_ends(defined.geometry, defined.schema, bytes);
}

// The same on all ranks. Collective.
Status difference_of_places(const RankGroup& group, const DefinedFile& defined) {
  const std::string what = "comparison of headers";
  const Geometry first = broadcast_value(group.comm(), defined.geometry, 0, group.deadline(), what);
  Status here;
  if (const auto words = other_places(defined, first))
    here = {WEIR_EMISMATCH, formatted("rank {}: {}", group.comm().number(), *words)};
  return agree(group.comm(), {AgreementPoint::bridge_intercept, 0, what, nullptr}, here, group.deadline());
}

}  // namespace

InterceptDecision::InterceptDecision(std::shared_ptr<RankGroup> group, FileName name, Reason obstacle)
    : group_(std::move(group)), name_(std::move(name)), obstacle_(obstacle) {
  own_counts_.path = name_.given;
  own_counts_.of_one_rank = group_->comm().size() == 1;
  if (group_->comm().rank() == 0 && !made()) named_ = std::make_unique<NamedFile>(name_.path);
}

InterceptDecision::~InterceptDecision() {
  if (group_->comm().rank() != 0) return;
  if (file_writer_ == nullptr) group_->process().done(own_counts_);
  if (made()) ::unlink(name_.shadow.c_str());
}

std::optional<DefinedFile> InterceptDecision::decide(bool well, const LibraryState& library) {
  Reason known = well ? obstacle_ : Reason::unusual;
  DefinedFile defined;
  try {
    if (known == Reason::none) defined = library.ask();
  } catch (const std::exception&) {
    known = Reason::header;
  }
  try {
    const std::int64_t signature = made() ? signature_of(structure_of(defined.schema)) : signature_of(defined);
    RankGroup::Decision decision = group_->decide(name_.given, known, signature);
    reason_ = decision.reason;
    if (reason_ == Reason::differing) explain_difference(defined);
    if (reason_ == Reason::none && !made()) take_header_of_rank_0(*group_, defined);
    if (reason_ == Reason::none && file_writer_ == nullptr) {
      file_writer_ = std::make_unique<FileWriter>(group_, std::move(decision), name_, std::move(named_));
      file_writer_->counts().add(own_counts_);  // of calls before its definitions ended
    }
  } catch (const std::exception&) {
    const Status problem = caught();
    raise_if_diverged(problem);
    reason_ = Reason::unusual;
    if (group_->comm().rank() == 0)
      group_->process().say(formatted("{}; {} falls back to the underlying library", problem.message, name_.given));
  }
  return reason_ == Reason::none ? std::optional(std::move(defined)) : std::nullopt;
}

// Collective.
void InterceptDecision::explain_difference(const DefinedFile& defined) {
  Status difference = difference_of_ranks(*group_, made() ? structure_of(defined.schema) : defined.schema);
  if (difference.ok()) difference = difference_of_places(*group_, defined);
  obstacle_in_words_ = difference.message + define_alike;
  if (!made() && group_->comm().rank() == 0)
    group_->process().say(
        formatted("{}: {}; PnetCDF alone writes the file, under rank 0's header", name_.given, difference.message));
}

void InterceptDecision::pass(Reason reason) noexcept {
  if (reason_ != Reason::none) reason = reason_;
  counts().pass(reason == Reason::none ? Reason::unusual : reason);
}

void InterceptDecision::complain_if_lost() {
  if (file_writer_ != nullptr && file_writer_->has_unflushed_puts())
    file_writer_->complain(
        formatted("{}: closed by a call that bypassed the bridge, so data put since the last sync are lost; make all "
                  "calls of a file through the bridge, or none",
                  file_writer_->counts().path));
}

}  // namespace weir::bridge
