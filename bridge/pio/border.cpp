// SPDX-License-Identifier: Apache-2.0
#include "pio/border.hpp"

#include <cstdlib>

#include "pio/original_calls.hpp"
#include "pio/read_files.hpp"
#include "pio/written_file.hpp"

namespace weir::bridge {

int PioBorder::end_with(int code) const noexcept {
  const int method = error_method_ != 0 ? error_method_ : system_->error_method;
  if (method != PIO_INTERNAL_ERROR) return code;
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::_Exit(1);  // MPICH's MPI_Abort returns since version 5
}

int at_file(int file, LibraryCall body) noexcept {
  if (WrittenFile* const known = called_file(file)) return known->call(body);
  if (PioReadFile* const known = called_read_file(file)) return known->call(body);
  return at_border(bridge_name, body);
}

int at_system(int system, LibraryCall body) noexcept {
  std::shared_ptr<System> known = calls_inside == 0 ? shared_system(system) : nullptr;
  return known != nullptr ? PioBorder(std::move(known)).call(body) : at_border(bridge_name, body);
}

}  // namespace weir::bridge
