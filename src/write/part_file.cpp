// SPDX-License-Identifier: Apache-2.0
#include "write/output_file.hpp"

namespace weir {

std::unique_ptr<OutputFile> make_part_file(const OutputOptions&, const Schema&) { throw Error(WEIR_EINTERNAL, "part files"); }

}  // namespace weir
