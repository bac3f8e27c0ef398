# SPDX-License-Identifier: Apache-2.0
# WEIR_UTF8PROC, the library that composes names (NFC), and UTF8PROC_INCLUDE_DIR: by its pkg-config file, or where a prefix says.
pkg_check_modules(UTF8PROC QUIET libutf8proc)
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h HINTS ${UTF8PROC_INCLUDEDIR})
find_library(WEIR_UTF8PROC utf8proc HINTS ${UTF8PROC_LIBDIR})
if(NOT UTF8PROC_INCLUDE_DIR OR NOT WEIR_UTF8PROC)
  message(FATAL_ERROR "utf8proc is missing: load its module or install it (on Debian libutf8proc-dev), and say where it is by "
    "PKG_CONFIG_PATH or by -DCMAKE_PREFIX_PATH=")
endif()
cmake_path(GET WEIR_UTF8PROC PARENT_PATH utf8proc_folder)
if(NOT utf8proc_folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
  list(APPEND CMAKE_INSTALL_RPATH ${utf8proc_folder})
endif()
