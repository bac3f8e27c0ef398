# SPDX-License-Identifier: Apache-2.0
# What Weir stands on. Required: MPI, PnetCDF, yaml-cpp, nlohmann_json. For programs and tests only: the rest.
set(MPI_CXX_SKIP_MPICXX ON) # the C++ bindings that MPI 3 removed
find_package(MPI REQUIRED COMPONENTS C CXX Fortran)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PNETCDF REQUIRED IMPORTED_TARGET pnetcdf)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)

if(TARGET yaml-cpp::yaml-cpp)
  set(WEIR_YAML yaml-cpp::yaml-cpp)
else()
  set(WEIR_YAML yaml-cpp)
endif()

if(WEIR_PROGRAMS)
  find_package(CLI11 REQUIRED)
  find_package(benchmark)
  pkg_check_modules(NETCDF_FORTRAN IMPORTED_TARGET netcdf-fortran)
  pkg_get_variable(NETCDF_FORTRAN_MODULES netcdf-fortran fmoddir)
  # PnetCDF's module lies with its headers, or, on Debian, above MPI's modules.
  set(module_dirs ${NETCDF_FORTRAN_MODULES})
  foreach(dir IN LISTS MPI_Fortran_INCLUDE_DIRS)
    list(APPEND module_dirs ${dir} ${dir}/..)
  endforeach()
  find_path(PNETCDF_MODULES pnetcdf.mod HINTS ${module_dirs})
endif()
# For netCDF's bridge and for weir-bench. Debian's parallel netCDF has its headers in a folder of its own, which its
# pkg-config file does not name.
pkg_check_modules(NETCDF_MPI IMPORTED_TARGET netcdf-mpi)
pkg_get_variable(NETCDF_MPI_PREFIX netcdf-mpi prefix)
find_path(NETCDF_MPI_INCLUDE_DIR netcdf_par.h HINTS ${NETCDF_MPI_PREFIX}/include)
if(WEIR_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
