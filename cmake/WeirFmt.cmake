# SPDX-License-Identifier: Apache-2.0
# FMT_INCLUDE_DIR, the folder of fmt's headers: by its pkg-config file, or where a prefix says.
pkg_check_modules(FMT QUIET fmt)
find_path(FMT_INCLUDE_DIR fmt/core.h HINTS ${FMT_INCLUDEDIR})
