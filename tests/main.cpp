// SPDX-License-Identifier: Apache-2.0
// main() of the tests without MPI.
#include <gtest/gtest.h>

#include "files_run.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return choose_files(argc, argv) ? RUN_ALL_TESTS() : 2;
}
