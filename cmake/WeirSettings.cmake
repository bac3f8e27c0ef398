# SPDX-License-Identifier: Apache-2.0
# Language levels, flags and where the products go.
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
# Installed libraries and programs find each other, and what they were linked with where that is in no system folder.
set(CMAKE_INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
# Until 1.0 each minor version may change the binary interface.
set(WEIR_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# Assertions stay on in a release (no NDEBUG): a model's lost week costs more than they do. Nothing names the building
# machine's processor, so that a library made on a login node runs on every node.
foreach(language C CXX Fortran)
  set(CMAKE_${language}_FLAGS_RELEASE "-O3 -g1")
  set(CMAKE_${language}_FLAGS_DEBUG "-Og -g")
endforeach()
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

if(WEIR_SANITIZE)
  # Without any optimisation the planner's tests, of thousands of simulated ranks, take longer than their limit.
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -O1 -g1)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
  if(WEIR_SANITIZE MATCHES undefined)
    add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize-recover=undefined>)
  endif()
endif()

find_program(CCACHE ccache)
if(CCACHE)
  foreach(language C CXX)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      # Without these ccache leaves out whatever is compiled with a precompiled header.
      set(CMAKE_${language}_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
    endif()
  endforeach()
endif()

# What most files begin with is read once a target. The debug presets do without: there a file that includes too little
# does not compile.
set(weir_common_headers <algorithm> <array> <chrono> <cstdint> <filesystem> <fstream> <functional> <map> <memory> <mpi.h>
  <optional> <span> <string> <vector>)
# weir_precompile(TARGET HEADER...): the common headers and these.
function(weir_precompile target)
  target_precompile_headers(${target} PRIVATE ${weir_common_headers} ${ARGN})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endfunction()

# weir_precompile_as(TARGET OTHER): the precompiled headers of OTHER, which is compiled by the same flags and hides its names too. Its own
# would cost more than a few sources save.
function(weir_precompile_as target other)
  target_precompile_headers(${target} REUSE_FROM ${other})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endfunction()

# weir_unite(TARGET [APART HEADER]): the C++ sources of a folder are compiled as one, which takes a third of the time, since what they
# include is read once. What no other file sees must be named differently within a folder; a source that defines macros stays by itself.
# APART: the sources that include this header are one by themselves, where others include what it does not bear.
function(weir_unite target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "APART" "")
  if(NOT WEIR_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^/.*[.]cpp$")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER ${folder} folder)
    if(arg_APART)
      file(STRINGS ${source} apart REGEX "^#include <${arg_APART}>" LIMIT_COUNT 1)
      if(apart)
        string(APPEND folder _apart)
      endif()
    endif()
    file(STRINGS ${source} macro REGEX "^#define" LIMIT_COUNT 1)
    if(NOT macro)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

add_library(weir_warnings INTERFACE)
target_compile_options(weir_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow>
  # GCC 12 sees overlapping copies in std::string's own code (GCC bug 105651).
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<COMPILE_LANG_AND_ID:Fortran,GNU>:-Wall;-Wextra;-Wno-compare-reals;-Wno-unused-dummy-argument;-Wno-maybe-uninitialized>)
