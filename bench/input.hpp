// SPDX-License-Identifier: Apache-2.0
// The input of a model that reads before it computes (Wong et al. 2015, section 4): a file like the one it writes, of
// which the ranks read their parts together.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mode.hpp"
#include "peers/pnetcdf_file.hpp"

namespace weir::bench {

class Input {
 public:
  // Writes the file, which goes with this object. Collective over the scene's ranks, as is destruction. The scene's
  // references outlive it.
  Input(const Scene& scene, std::string path);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // Each rank's part of all record variables. Collective. Throws BenchError where PnetCDF cannot read.
  void read(std::int64_t record);

 private:
  struct InputVariable {  // of a record variable
    InputVariable(int number, const Variable& of, PieceList held);
    int id;
    weir_type type;
    PieceList pieces;
    std::vector<std::byte> values;
  };

  Scene scene_;
  std::string path_;
  int file_ = -1;
  std::vector<InputVariable> parts_;
};

}  // namespace weir::bench
