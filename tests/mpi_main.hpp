// SPDX-License-Identifier: Apache-2.0
// What an MPI test may say of how it is started.
#pragma once

// The level of threads that MPI is initialised with. A test that defines it has its own.
int thread_level();
