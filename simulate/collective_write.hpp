// SPDX-License-Identifier: Apache-2.0
// Writes of all ranks together, in two phases (Thakur et al. 1999): all ranks tell each other what they have; then, in
// rounds of as much as the aggregators' buffers hold, pieces travel to the aggregator whose stretch of the file they
// belong to, which writes its buffer. Weir's own join short runs by the rules of plan/file_runs.hpp; other libraries'
// are ROMIO's: where no rank's pieces lie between another's, and no hint wants it, there is no exchange, and each
// writes for itself. The exchange and the write of a round do not overlap. Pure, Local.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plan/file_runs.hpp"
#include "simulate/job.hpp"

namespace weir::simulate {

class CollectiveWrite {
 public:
  explicit CollectiveWrite(Job& job);
  // All ranks come. Ends when the cycle is written.
  void write(int cycle);

 private:
  struct Call {
    explicit Call(Engine& engine) : signal(engine) {}
    int came = 0;
    bool done = false;
    std::int64_t writing = 0;  // aggregators that have not written
    Signal signal;
    std::deque<Writing> writings;
  };
  struct Amount {
    std::int64_t bytes = 0, pieces = 0, first = -1, last = 0;
  };

  Amount amount(int cycle) const;
  static IoHints hints_of(const JobInputs& in);
  std::int64_t hint(const char* key, std::int64_t otherwise) const;
  std::int64_t aggregators() const;
  std::vector<Writing> domains(const Amount& all, int cycle) const;
  std::vector<Writing> windows(const Amount& all, int cycle) const;
  std::int64_t rounds_of(std::int64_t bytes) const;
  bool interleaved(int cycle) const;
  bool any_short_runs(int cycle) const;
  bool exchanges(int cycle) const;
  double telling_seconds(int cycle, double times) const;
  int writer_of(int owner) const;
  std::vector<double> bytes_at_nodes(int cycle) const;
  // In which the bytes that each node had get to where each takes as many: by its card, or through its memory.
  double crossing_seconds(const std::vector<double>& had, const std::vector<double>& taken) const;
  void run(Call& call, int cycle);
  void tell_offsets(Call& call, int cycle);
  void exchange(Call& call, int cycle);
  void aggregate(Call& call, const Writing& writing);

  Job& job_;
  bool of_weir_;  // and not of another library
  IoHints hints_;
  Windows windows_;
  std::deque<std::unique_ptr<Call>> calls_;  // by cycle
};

}  // namespace weir::simulate
