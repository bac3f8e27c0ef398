// SPDX-License-Identifier: Apache-2.0
// Makes the controls of a run (schedule/control.hpp): puts their event lists into shared memory and their messages on
// MPI. Also the loop of a rank that runs the scheduler.
#pragma once

#include <memory>

#include "mpi/comm.hpp"
#include "schedule/control.hpp"

namespace weir {

// Make the control of one host (all ranks run the scheduler on a shared list of events), and of several hosts without a
// control rank. `machine` numbers ranks as the model does. `window`: units in flight, at most.
// Collective over `host` for make_hosted_control(), else Local.
std::unique_ptr<Control> make_hosted_control(const Comm& host, const Machine& machine, const ScheduleParameters& how,
                                             int window, const Deadline& deadline);
std::unique_ptr<Control> make_implied_control(const Machine& machine, const ScheduleParameters& how, int window);
// Makes the control that asks a control rank.
// Requires: `link` has the model's ranks in their order, then the control rank. It outlives the control.
// Ensures: the destructor takes leave of the control rank, and waits for its answer at most `timeout_seconds`.
// Local.
std::unique_ptr<Control> make_remote_control(const Comm& link, const Machine& machine, double timeout_seconds);
// Tells the control rank to give up, from a rank that has no control yet. Local.
void abandon_control(const Comm& link) noexcept;

// Runs the scheduler for the model's ranks, until all of them have finished.
// Thread: the control rank's; calls MPI.
// Errors: WEIR_ETIMEOUT if a rank gives up, the model does not start, or a rank does not finish within
// `timeout_seconds` of the first; `link` must then not be freed.
void serve_control(const Comm& link, const ScheduleParameters& how, double timeout_seconds);

}  // namespace weir
