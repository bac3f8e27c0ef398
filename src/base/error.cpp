// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

namespace weir {

void throw_error(Code code, fmt::string_view literal, fmt::format_args arguments, std::source_location where) {
  throw Error(code, format_text(literal, arguments), where);
}

}  // namespace weir
