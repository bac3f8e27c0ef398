// SPDX-License-Identifier: Apache-2.0
// ranks: 2
#include "mpi/running_mpi.hpp"

#include <gtest/gtest.h>

namespace weir {
namespace {

MpiFamily mpi_family(std::string_view version) {
  return weir::mpi_family(version, -1);
}

TEST(RunningMpi, KnowsTheFamilyByWhatTheLibrarySays) {
  EXPECT_EQ(mpi_family("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"), MpiFamily::open_mpi);
  EXPECT_EQ(mpi_family("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7"), MpiFamily::mpich);
  EXPECT_EQ(mpi_family("Intel(R) MPI Library 2021.18 for Linux* OS\n"), MpiFamily::mpich);
  EXPECT_EQ(mpi_family("MPI VERSION    : CRAY MPICH version 8.1.28.15 (ANL base 3.4a2)"), MpiFamily::mpich);
  EXPECT_EQ(mpi_family("MVAPICH2 Version      :\t2.3.7"), MpiFamily::mpich);
  EXPECT_EQ(mpi_family("an MPI of the year 2099"), MpiFamily::unknown);
  EXPECT_EQ(mpi_family(""), MpiFamily::unknown);
}

TEST(RunningMpi, KnowsTheStandardInterfaceByItsVersion) {
  EXPECT_EQ(weir::mpi_family("MPICH Version:\t5.0.2", 1), MpiFamily::standard);
  EXPECT_EQ(weir::mpi_family("MPICH Version:\t5.0.2", 0), MpiFamily::mpich);
}

TEST(RunningMpi, IsTheOneThatWeirWasBuiltWith) {
  EXPECT_EQ(mpi_mismatch(), "");
}

}  // namespace
}  // namespace weir
