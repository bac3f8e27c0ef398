// SPDX-License-Identifier: Apache-2.0
// The library's own files of one rank, made and committed to be timed, with so many small variables. Nothing is left.
#pragma once

#include <memory>
#include <string>

#include "formats/output_file.hpp"
#include "sampler.hpp"
#include "storage/storage_calls.hpp"

namespace weir::profile {

enum class TrialFormat { classic, netcdf4, zarr };

class TrialOutput {
 public:
  TrialOutput(const Site& site, TrialFormat format, int variables);
  ~TrialOutput() { clean(); }
  TrialOutput(const TrialOutput&) = delete;
  TrialOutput& operator=(const TrialOutput&) = delete;

  // In place of what is there. Throws Error. Local, as are all.
  void make();
  void commit();

 private:
  void clean();

  TrialFormat format_;
  Comm alone_;
  LivenessCheck liveness_check_{alone_, {}, Deadline()};
  StorageCalls calls_{liveness_check_, true};
  Schema schema_;
  Machine machine_ = Machine::from_leaders({0});
  std::string path_;
  std::unique_ptr<OutputFile> file_;
  std::int64_t records_ = 0;
};

}  // namespace weir::profile
