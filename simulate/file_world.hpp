// SPDX-License-Identifier: Apache-2.0
// The world in which a simulated rank makes the file and commits it (flow/file_steps.hpp): meetings take their time,
// and rank 0's calls what the storage takes for them. Nothing fails.
#pragma once

#include <utility>

#include "flow/file_steps.hpp"
#include "simulate/job.hpp"

namespace weir::simulate {

class FileWorld final : public CreateWorld, public DefineWorld, public CommitWorld {
 public:
  // flush: what the rank does of its puts at the end.
  FileWorld(Job& job, int rank, Task flush) : job_(job), rank_(rank), flush_(std::move(flush)) {}

  Task meet(FileMeeting) override { return job_.meet(rank_); }
  Task look() override { return Task::nothing(); }
  Task make() override;
  Task flush() override { return std::move(flush_); }
  bool meets_before() const override { return job_.in.target.collective() || job_.in.target.parts || job_.packed; }
  // What is written stays so here: a write is done when the storage has it.
  Task bring_to_storage() override;
  Task publish() override;
  void end() override { job_.spent(rank_, Step::commit, begin_); }

 private:
  // A storage, alone.
  bool calls() const { return rank_ == 0 && job_.in.target.stored(); }
  double created() const;
  double committed() const;
  Task enter_chunks();

  Job& job_;
  int rank_;
  Task flush_;
  double begin_ = 0;  // of the commit
};

}  // namespace weir::simulate
