// SPDX-License-Identifier: Apache-2.0
// A file that the underlying library has open for reading, and that Weir reads too. Weir opens it by its name, at the
// first get. The library still answers all inquiries, and makes each get that Weir cannot make, with its own codes and
// values.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/named_file.hpp"
#include "core/rank_group.hpp"

namespace weir::bridge {

class Reading {
 public:
  // `given`: as the program calls it; `path`: where it is, whatever becomes of the working directory. Local.
  Reading(std::shared_ptr<RankGroup> group, std::string given, std::string path);
  ~Reading();
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  // Weir has the file open, or opens it. Why not, where the library has to make all gets of it. Throws Error where
  // ranks do not come, as all do that are Collective here. Collective, and alike on all ranks.
  Reason open();
  // The library has to make all gets of it from now on. Local, and alike on all ranks.
  bool left() const noexcept { return left_ != Reason::none; }
  // After open(): `body` is a get of all ranks. False on all of them where it fails on one. Collective.
  bool get(const std::function<void(File&)>& body);
  // Weir is done with it. Collective.
  void end();

  // The Weir that has it open. Local.
  Running& running() noexcept { return *running_; }
  RankGroup& group() noexcept { return *group_; }
  // The report has these once this is gone.
  Counts& counts() noexcept { return counts_; }

 private:
  void begin(const RankGroup::Decision& decision);
  void leave(const std::string& why);

  std::shared_ptr<RankGroup> group_;
  std::string path_;
  std::unique_ptr<NamedFile> named_;  // on rank 0
  Counts counts_;
  Reason left_ = Reason::none;  // why it is the library's for good; alike on all ranks
  Running* running_ = nullptr;
  File* file_ = nullptr;  // the instance's
};

}  // namespace weir::bridge
