// SPDX-License-Identifier: Apache-2.0
// The control process: the first rank of a program's communicator, as in CFIO2. Where Weir's strategy keeps a rank for
// itself it gets this one, which it expects to be the last; where not, the rank waits here until the others have ended,
// so that a program is the same under any strategy. With `control: hosted` no rank is kept.
#pragma once

#include <mpi.h>
#include <weir/weir.h>

#include <string>

#include "base/config.hpp"
#include "mpi/comm.hpp"

namespace weir::cfio2 {

// What Weir was started with on this rank; `weir` is nullptr on one that has served.
struct Started {
  weir_t* weir = nullptr;
  MPI_Comm model = MPI_COMM_NULL;
};

class Control {
 public:
  Control() = default;
  // Collective over `comm`, with a configuration that is alike on all ranks.
  Control(MPI_Comm comm, const Config& config);

  // Starts Weir on the ranks that put. Returns on the control process when all others have left. Collective; the same
  // Error on all ranks.
  Started start(const std::string& configuration);
  // By which sentences call the ranks that put: the program's own.
  const RankNumbers& numbers() const noexcept { return ranks_.numbers(); }
  // This rank puts no more. `broken`: it cannot wait for the others any more. Collective, save on the control process.
  void leave(bool broken) noexcept;

 private:
  Started start_weir(const std::string& configuration);
  void tell(const Status& status) noexcept;
  void wait_for_all();

  double timeout_seconds_;
  Comm ranks_;               // the program's, the control process last
  bool waits_here_ = false;  // the control process is not Weir's
};

}  // namespace weir::cfio2
