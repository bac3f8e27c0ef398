// SPDX-License-Identifier: Apache-2.0
// How a simulated rank makes the file and commits it, in the library's order (flow/steps.hpp): agreements take
// their time, and rank 0's calls what the storage takes for them. Nothing fails.
#pragma once

#include "flow/steps.hpp"
#include "simulate/job.hpp"

namespace weir::simulate {

class SimulatedFile {
 public:
  SimulatedFile(Job& job, int rank) : job_(job), rank_(rank) {}

  // weir_create and weir_enddef: all ranks agree once rank 0 has looked at the name, over the definitions, when they
  // hear what was made, and when each has what it needs of it.
  void make();
  // weir_close, but for what the rank does of its puts before.
  void commit() { commit_in_order(*this); }

  bool agrees_before() const { return job_.in.target.collective() || job_.in.target.parts || job_.packed; }
  // What is written stays so here: a write is done when the storage has it.
  void bring_to_storage();
  void publish();
  void agree_at(CommitPoint) { job_.barrier(rank_); }
  void end() { job_.spent(rank_, Step::commit, begin_); }

 private:
  // A storage, alone.
  bool calls() const { return rank_ == 0 && job_.in.target.stored(); }
  double created() const;
  double committed() const;

  Job& job_;
  int rank_;
  double begin_ = 0;  // of the commit
};

}  // namespace weir::simulate
