// SPDX-License-Identifier: Apache-2.0
// What the files of one communicator share: the Weir below them, and the points at which their ranks agree.
#pragma once

#include <weir/weir.h>

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "request.hpp"

namespace weir::cfio2 {

// Throws what a call of Weir's C interface has answered.
void check(int code, const weir_t* weir);

class Shared {
 public:
  Shared(weir_t* weir, Comm comm, double timeout_seconds, bool part_files)
      : weir_(weir), comm_(std::move(comm)), timeout_seconds_(timeout_seconds), part_files_(part_files) {}

  weir_t* weir() noexcept { return weir_; }
  weir_t*& handle() noexcept { return weir_; }
  const Comm& comm() const noexcept { return comm_; }
  // The strategy leaves part files, which cannot be read back.
  bool part_files() const noexcept { return part_files_; }

  // All ranks agree at `call`, having said `lines` since they last did, each as it fares. Returns the status that all
  // of them get: the lowest rank's that failed; WEIR_EMISMATCH, with the first difference in words, where they are not
  // alike. Throws Error(WEIR_ETIMEOUT) where one does not come. Collective.
  Status agree_on(const std::string& call, const std::vector<std::string>& lines, const Status& mine);
  // Each value becomes the largest over all ranks. Collective, after a agreement.
  void share_largest(std::span<std::int64_t> values, const std::string& call);

  // Ranks that are out of sync, or did not come: what every later call answers.
  const Status& broken() const noexcept { return broken_; }
  // Keeps in mind what ends everything, and nothing else.
  void note(Code code, const std::string& sentence);
  // A rank did not come: nothing collective is possible any more.
  bool abandoned() const noexcept { return broken_.code == WEIR_ETIMEOUT || broken_.code == WEIR_EMPI; }

  // The number of the layout in which this rank holds `box`; -1 where it has none yet. Local.
  int known_layout(const OwnBox& box) const;
  // Makes it. Where there are many, all others are forgotten first: their numbers hold for one generation. Collective.
  int make_layout(const OwnBox& box);
  int generation() const noexcept { return generation_; }

 private:
  struct Known {
    OwnBox box;
    int layout;
  };

  Deadline deadline() const noexcept { return Deadline(timeout_seconds_); }

  weir_t* weir_;
  Comm comm_;
  double timeout_seconds_;
  bool part_files_;
  Status broken_;
  std::vector<Known> known_;
  int generation_ = 0;
};

}  // namespace weir::cfio2
