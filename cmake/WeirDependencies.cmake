# SPDX-License-Identifier: Apache-2.0
# What Weir stands on (docs/installing.md). The libraries want MPI, PnetCDF, yaml-cpp and nlohmann_json; the last two are
# fetched where they are missing. What only programs and tests want may be missing: they are left out then, and it is said.
set(MPI_CXX_SKIP_MPICXX ON) # the C++ bindings that MPI 3 removed
find_package(MPI REQUIRED COMPONENTS C CXX Fortran)
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
include(WeirPnetcdf)
include(WeirFetch)

# weir_left_out(WHAT WHY): the one line that says that something is not built.
function(weir_left_out what why)
  message(NOTICE "weir: not built: ${what}: ${why}")
endfunction()

if(WEIR_PROGRAMS)
  find_package(CLI11 QUIET)
  if(NOT CLI11_FOUND)
    weir_left_out("weir-bench, weir-merge, weir-profile, weir-simulate and weir-verify" "they want CLI11 (libcli11-dev)")
  endif()
  find_package(benchmark QUIET)
  pkg_check_modules(NETCDF_FORTRAN QUIET IMPORTED_TARGET netcdf-fortran)
  pkg_get_variable(NETCDF_FORTRAN_MODULES netcdf-fortran fmoddir)
  # PnetCDF's module lies with its headers, or, on Debian, above MPI's modules.
  set(module_dirs ${NETCDF_FORTRAN_MODULES})
  foreach(dir IN LISTS MPI_Fortran_INCLUDE_DIRS)
    list(APPEND module_dirs ${dir} ${dir}/..)
  endforeach()
  find_path(PNETCDF_MODULES pnetcdf.mod HINTS ${PNETCDF_INCLUDE_DIRS} ${PNETCDF_INCLUDE_DIR} ${module_dirs})
endif()
# For netCDF's bridge and for weir-bench. Debian's parallel netCDF has its headers in a folder of its own, which its
# pkg-config file does not name.
pkg_check_modules(NETCDF_MPI QUIET IMPORTED_TARGET netcdf-mpi)
pkg_get_variable(NETCDF_MPI_PREFIX netcdf-mpi prefix)
find_path(NETCDF_MPI_INCLUDE_DIR netcdf_par.h HINTS ${NETCDF_MPI_PREFIX}/include)
if(NOT NETCDF_MPI_INCLUDE_DIR)
  weir_left_out("libweir_netcdf.so" "it wants the headers of a netCDF with parallel HDF5 (libnetcdf-mpi-dev)")
endif()
if(WEIR_TESTS)
  find_package(GTest QUIET)
  find_package(rapidcheck QUIET)
  if(NOT GTest_FOUND OR NOT rapidcheck_FOUND OR NOT CLI11_FOUND)
    weir_left_out("the tests" "they want GoogleTest, RapidCheck and the programs (tools/install-deps --list names all)")
    set(WEIR_TESTS OFF)
  endif()
endif()
