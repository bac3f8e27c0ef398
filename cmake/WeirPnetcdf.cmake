# SPDX-License-Identifier: Apache-2.0
# PnetCDF::PnetCDF: by its pkg-config file, or where its environment module says that it lies (PNETCDF_DIR, PNETCDF_ROOT,
# PNETCDF, or its programs in PATH).
pkg_check_modules(PNETCDF QUIET IMPORTED_TARGET GLOBAL pnetcdf)
add_library(PnetCDF::PnetCDF INTERFACE IMPORTED GLOBAL)
if(PNETCDF_FOUND)
  # Debian 13's pkg-config file names the folder that it was packaged in; its headers are where all are.
  get_target_property(pnetcdf_includes PkgConfig::PNETCDF INTERFACE_INCLUDE_DIRECTORIES)
  foreach(folder IN LISTS pnetcdf_includes)
    if(NOT EXISTS "${folder}")
      list(REMOVE_ITEM pnetcdf_includes "${folder}")
    endif()
  endforeach()
  set_target_properties(PkgConfig::PNETCDF PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${pnetcdf_includes}")
  list(GET PNETCDF_LINK_LIBRARIES 0 PNETCDF_LIBRARY)
  target_link_libraries(PnetCDF::PnetCDF INTERFACE PkgConfig::PNETCDF)
else()
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
endif()
weir_other_mpi("${PNETCDF_LIBRARY}" other_mpi)
if(other_mpi)
  message(FATAL_ERROR "PnetCDF, ${PNETCDF_LIBRARY}, ${other_mpi}: take one of this MPI, by PKG_CONFIG_PATH or PNETCDF_DIR, or "
    "the other MPI, by its module or -DMPI_C_COMPILER=")
endif()
# Installed libraries look for it where it was found, wherever that is (CMake itself leaves out what lies in the source's folder).
cmake_path(GET PNETCDF_LIBRARY PARENT_PATH pnetcdf_folder)
if(NOT pnetcdf_folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
  list(APPEND CMAKE_INSTALL_RPATH ${pnetcdf_folder})
endif()
