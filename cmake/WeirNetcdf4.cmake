# SPDX-License-Identifier: Apache-2.0
# netCDF-4: libweir_netcdf4_NAME.so for each netCDF-C with an HDF5 that is here (a machine may have a serial and a parallel
# one, which must not meet in a program), and the libraries that pack chunks. Weir loads the module that fits when a
# program makes such a file.
set(netcdf4_modules "")

# What a program and its module must have alike: a module of another build is refused in words.
string(TOUPPER "CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE}" flags_of_type)
set(netcdf4_border ${PROJECT_BINARY_DIR}/netcdf4/netcdf4_border.hpp)
add_custom_command(OUTPUT ${netcdf4_border}
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D OUTPUT=${netcdf4_border} -D DEPFILE=${netcdf4_border}.d
    -D "BUILD=${PROJECT_VERSION} ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CXX_FLAGS} ${${flags_of_type}}"
    -P ${PROJECT_SOURCE_DIR}/cmake/Netcdf4Border.cmake
  DEPENDS ${PROJECT_SOURCE_DIR}/cmake/Netcdf4Border.cmake ${hdf5_sources} DEPFILE ${netcdf4_border}.d VERBATIM)
target_sources(weir_core PRIVATE ${netcdf4_border})

# weir_hdf5_beside(RESULT NETCDF-PACKAGE HDF5...): these pkg-config names of HDF5, first those that were installed with netCDF:
# a machine may have another one, with which netCDF was not built.
function(weir_hdf5_beside result netcdf_package)
  pkg_get_variable(netcdf_libraries ${netcdf_package} libdir)
  set(beside "")
  foreach(hdf5 IN LISTS ARGN)
    pkg_get_variable(hdf5_libraries ${hdf5} libdir)
    if(hdf5_libraries AND hdf5_libraries STREQUAL netcdf_libraries)
      list(APPEND beside ${hdf5})
    endif()
  endforeach()
  set(all ${beside} ${ARGN})
  list(REMOVE_DUPLICATES all)
  set(${result} ${all} PARENT_SCOPE)
endfunction()

# weir_netcdf4_module(NAME INCLUDE_DIR NETCDF HDF5...): of this netCDF-C (of weir_find_netcdf) and the first of these
# pkg-config names of HDF5.
function(weir_netcdf4_module name include_dir netcdf)
  pkg_search_module(hdf5_${name} QUIET IMPORTED_TARGET ${ARGN})
  if(NOT ${netcdf}_FOUND OR NOT TARGET PkgConfig::hdf5_${name})
    return()
  endif()
  list(FILTER hdf5_${name}_LIBRARIES INCLUDE REGEX hdf5)
  find_library(hdf5_${name}_file NAMES ${hdf5_${name}_LIBRARIES} PATHS ${hdf5_${name}_LIBRARY_DIRS} NO_DEFAULT_PATH)
  if(NOT hdf5_${name}_file)
    find_library(hdf5_${name}_file NAMES ${hdf5_${name}_LIBRARIES})
  endif()
  if(NOT hdf5_${name}_file)
    return()
  endif()
  file(REAL_PATH ${hdf5_${name}_file} real)
  cmake_path(GET real FILENAME real)
  string(REGEX REPLACE "[.]so.*" "" stem ${real})
  add_library(weir_netcdf4_${name} MODULE ${hdf5_sources})
  set_target_properties(weir_netcdf4_${name} PROPERTIES PREFIX lib CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(weir_netcdf4_${name} PRIVATE cxx_std_20)
  target_compile_options(weir_netcdf4_${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>)
  target_include_directories(weir_netcdf4_${name} BEFORE PRIVATE ${include_dir} ${PROJECT_BINARY_DIR}/netcdf4)
  target_link_options(weir_netcdf4_${name} PRIVATE -Wl,--as-needed -Wl,--exclude-libs,ALL)
  target_link_libraries(weir_netcdf4_${name} PRIVATE weir_core weir_warnings PkgConfig::${netcdf}
    PkgConfig::hdf5_${name})
  weir_unite(weir_netcdf4_${name})
  weir_precompile_as(weir_netcdf4_${name} weir_core)
  weir_exports(weir_netcdf4_${name} NAMES weir_netcdf4_border weir_netcdf4_define weir_netcdf4_reopen
    weir_netcdf4_read weir_netcdf4_redefine)
  install(TARGETS weir_netcdf4_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set(netcdf4_modules "${netcdf4_modules}Module{\"libweir_netcdf4_${name}.so\", \"${stem}\"}, " PARENT_SCOPE)
endfunction()

if(WEIR_NETCDF4)
  weir_hdf5_beside(hdf5_packages netcdf hdf5-serial hdf5)
  weir_netcdf4_module(serial "" NETCDF ${hdf5_packages})
  set(hdf5_packages hdf5-openmpi hdf5-mpich hdf5-mpi)
  if(netcdf_of_mpi STREQUAL netcdf)
    weir_hdf5_beside(hdf5_packages netcdf hdf5 ${hdf5_packages})
  endif()
  weir_netcdf4_module(mpi "${NETCDF_MPI_INCLUDE_DIR}" NETCDF_MPI ${hdf5_packages})
endif()
if(netcdf4_modules STREQUAL "")
  weir_left_out("netCDF-4" "netCDF-C with HDF5 was not found, or WEIR_NETCDF4 is off")
endif()
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/formats/netcdf4/module.cpp PROPERTIES
  COMPILE_DEFINITIONS "WEIR_NETCDF4_MODULES=${netcdf4_modules}" INCLUDE_DIRECTORIES ${PROJECT_BINARY_DIR}/netcdf4
  SKIP_PRECOMPILE_HEADERS ON)
target_link_libraries(weir_core PUBLIC ${CMAKE_DL_LIBS})

# weir_packs_by(OPTION PACKAGE): a library that packs, or one line that it is missing.
function(weir_packs_by option package)
  if(${option})
    pkg_check_modules(${option}_LIBRARY QUIET IMPORTED_TARGET ${package})
  endif()
  if(TARGET PkgConfig::${option}_LIBRARY)
    target_link_libraries(weir_core PUBLIC PkgConfig::${option}_LIBRARY)
    target_compile_definitions(weir_core PUBLIC ${option})
  else()
    weir_left_out("${package} for netCDF-4" "it was not found, or ${option} is off")
  endif()
endfunction()
weir_packs_by(WEIR_DEFLATE libdeflate)
weir_packs_by(WEIR_ZSTD libzstd)
