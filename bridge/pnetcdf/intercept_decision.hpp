// SPDX-License-Identifier: Apache-2.0
// Decides who writes a file: the library alone, for a reason, or Weir. All ranks decide that together when the
// definitions end, or when the file is opened; the outcome of its calls is counted here.
//
// Weir always writes a file that it makes in a format that the library does not have: the shadow that the library has
// open holds no data, and no data call goes there. Rank 0 removes the shadow at the end.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/file_writer.hpp"
#include "pnetcdf/library_state.hpp"

namespace weir::bridge {

class InterceptDecision {
 public:
  // `obstacle`: why the file is the library's alone, as far as this rank knows.
  InterceptDecision(std::shared_ptr<RankGroup> group, FileName name, Reason obstacle);
  ~InterceptDecision();
  InterceptDecision(const InterceptDecision&) = delete;
  InterceptDecision& operator=(const InterceptDecision&) = delete;

  RankGroup& group() const noexcept { return *group_; }
  // As the program gave it.
  const std::string& path() const noexcept { return name_.given; }
  bool made() const noexcept { return name_.made(); }

  // The library has ended definitions, or has opened the file; `well`: in order on this rank. Returns what is defined,
  // where the file is Weir's. Where ranks have defined different things that is said, and all of it is the library's
  // from then on; of one that Weir makes nothing is. Collective.
  std::optional<DefinedFile> decide(bool well, const LibraryState& library);

  // Why it is the library's; none: it is Weir's, or not decided yet.
  Reason reason() const noexcept { return reason_; }
  // The sentence that the program gets from every call on a file that Weir should make and cannot.
  const std::string& obstacle_in_words() const noexcept { return obstacle_in_words_; }
  // Whether Weir can carry it.
  bool ready() const noexcept { return file_writer_ != nullptr && reason_ == Reason::none; }
  // nullptr until the file was Weir's for the first time.
  FileWriter* file_writer() const noexcept { return file_writer_.get(); }
  // The definitions that a file has by now which Weir makes; nullptr while it has none. Names and what a variable is
  // stay, and more may be defined.
  const Schema* written() const noexcept {
    return made() && file_writer_ != nullptr ? file_writer_->made_file().written() : nullptr;
  }

  Counts& counts() noexcept { return file_writer_ ? file_writer_->counts() : own_counts_; }
  // A call goes to the library: by the reason of the whole file, or else by this one.
  void pass(Reason reason) noexcept;
  // The library has given the file's number to another one: it was closed behind the bridge's back.
  void complain_if_lost();

 private:
  void explain_difference(const DefinedFile& defined);

  std::shared_ptr<RankGroup> group_;
  FileName name_;
  Reason obstacle_;
  std::unique_ptr<NamedFile> named_;  // on rank 0, until there is a carrier
  Reason reason_ = Reason::none;
  std::string obstacle_in_words_ = "PnetCDF does not report its definitions on all ranks";
  std::unique_ptr<FileWriter> file_writer_;
  Counts own_counts_;  // where there is no carrier
};

}  // namespace weir::bridge
