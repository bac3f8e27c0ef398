// SPDX-License-Identifier: Apache-2.0
// The controls of a run: what their lists lie in, what carries their words, and the loop of a rank that runs the
// scheduler.
#pragma once

#include <memory>

#include "mpi/comm.hpp"
#include "schedule/control.hpp"

namespace weir {

// The controls of a run: the memory of their event lists and the transport of their messages.

// Collective over `host`. `machine`: the one host, ranks numbered as in the model. window: units in flight, at most.
std::unique_ptr<Control> make_hosted_control(const Comm& host, const Machine& machine, const ScheduleParameters& how,
                                             int window, const Deadline& deadline);
std::unique_ptr<Control> make_implied_control(const Machine& machine, const ScheduleParameters& how, int window);
// `link`: the model's ranks in their order, then the control rank. Local.
std::unique_ptr<Control> make_remote_control(const Comm& link, const Machine& machine, double timeout_seconds);
// Tells the control rank that it need not wait, from a rank that has no such control yet. Local.
void abandon_control(const Comm& link) noexcept;

// The control rank's life: answers the model's ranks until the model has finished. Throws Error(WEIR_ETIMEOUT) where
// one of them has given up, or does not finish within `timeout_seconds` of the first that does; the link must then not
// be freed.
void serve_control(const Comm& link, const ScheduleParameters& how, double timeout_seconds);

}  // namespace weir
