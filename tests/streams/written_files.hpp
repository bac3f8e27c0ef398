// SPDX-License-Identifier: Apache-2.0
// A test whose streams write files, and which reads them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "faults/faults.hpp"

namespace weir::streams_tests {

class WrittenFilesTest : public faults::FaultTest {
 protected:
  // What a file has, read by this rank alone.
  std::vector<double> read(const std::string& name, const std::string& variable) {
    weir_t* weir = nullptr;
    MPI_Comm alone = MPI_COMM_NULL;
    EXPECT_EQ(weir_init(MPI_COMM_SELF, "strategy: remap\n", &alone, &weir), WEIR_OK);
    weir_file* file = nullptr;
    EXPECT_EQ(weir_open(weir, path(name).c_str(), WEIR_NOWRITE, &file), WEIR_OK) << weir_error(weir);
    std::vector<double> values;
    if (file) {
      int var = -1, ndims = 0, dims[4];
      EXPECT_EQ(weir_inq_varid(file, variable.c_str(), &var), WEIR_OK) << variable;
      weir_inq_var(file, var, nullptr, nullptr, &ndims, dims, nullptr);
      std::int64_t start[4] = {}, count[4], all = 1;
      for (int d = 0; d < ndims; ++d) {
        weir_inq_dim(file, dims[d], nullptr, &count[d]);
        all *= count[d];
      }
      values.resize(static_cast<std::size_t>(all));
      if (all > 0) {
        EXPECT_EQ(weir_get_vara(file, var, start, count, WEIR_DOUBLE, values.data()), WEIR_OK) << weir_file_error(file);
      }
      weir_close(file);
    }
    weir_finalize(&weir);
    MPI_Comm_free(&alone);
    return values;
  }
};

}  // namespace weir::streams_tests
