# SPDX-License-Identifier: Apache-2.0
# PnetCDF::PnetCDF: by its pkg-config file, or where its environment module says that it lies (PNETCDF_DIR, PNETCDF_ROOT,
# PNETCDF, or its programs in PATH).
pkg_check_modules(PNETCDF QUIET IMPORTED_TARGET GLOBAL pnetcdf)
add_library(PnetCDF::PnetCDF INTERFACE IMPORTED GLOBAL)
if(PNETCDF_FOUND)
  target_link_libraries(PnetCDF::PnetCDF INTERFACE PkgConfig::PNETCDF)
  return()
endif()

find_program(PNETCDF_PROGRAM ncmpidump)
cmake_path(GET PNETCDF_PROGRAM PARENT_PATH pnetcdf_bin)
set(pnetcdf_places ${PNETCDF_ROOT} $ENV{PNETCDF_ROOT} $ENV{PNETCDF_DIR} $ENV{PNETCDF} $ENV{PNETCDF_PATH} ${pnetcdf_bin}/..)
find_path(PNETCDF_INCLUDE_DIR pnetcdf.h HINTS ${pnetcdf_places} PATH_SUFFIXES include)
find_library(PNETCDF_LIBRARY pnetcdf HINTS ${pnetcdf_places} PATH_SUFFIXES lib lib64)
if(NOT PNETCDF_INCLUDE_DIR OR NOT PNETCDF_LIBRARY)
  message(FATAL_ERROR "PnetCDF is missing: load its module or install libpnetcdf-dev, and say where it is by "
    "PKG_CONFIG_PATH, by PNETCDF_DIR in the environment or by -DPNETCDF_ROOT=")
endif()
target_include_directories(PnetCDF::PnetCDF INTERFACE ${PNETCDF_INCLUDE_DIR})
target_link_libraries(PnetCDF::PnetCDF INTERFACE ${PNETCDF_LIBRARY})
