# SPDX-License-Identifier: Apache-2.0
# The programs, into bin/: weir-merge, weir-verify, weir-convert, those of WeirCommandLines.cmake, the ocean in four ways to
# write, and one for every file examples/NAME.c or .f90.
if(WEIR_FORTRAN)
  file(GLOB ocean_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/ocean/*.f90)
endif()
file(GLOB example_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c ${PROJECT_SOURCE_DIR}/examples/*.f90)

# What a login node needs is built wherever the library is.
file(GLOB verify_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/programs/verify/*.cpp)
file(GLOB convert_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/programs/convert/*.cpp)
foreach(name weir-merge weir-verify weir-convert)
  add_executable(${name} ${PROJECT_SOURCE_DIR}/programs/plain_options.cpp)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/programs)
  target_link_libraries(${name} PRIVATE weir weir_core weir_merging weir_warnings)
endforeach()
target_sources(weir-merge PRIVATE ${PROJECT_SOURCE_DIR}/programs/merge/main.cpp)
target_sources(weir-verify PRIVATE ${verify_sources})
target_sources(weir-convert PRIVATE ${convert_sources})
weir_unite(weir-verify)
weir_unite(weir-convert)
if(CLI11_FOUND)
  include(WeirCommandLines)
endif()

# weir_ocean(NAME SOURCE... LIBRARIES lib...): the ocean, with the sources that write its files in one way or another.
function(weir_ocean name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES Fortran_MODULE_DIRECTORY ${CMAKE_BINARY_DIR}/modules/${name})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} weir_warnings)
  # Where the compiler may fuse a product and a sum, it does so here and not there: the result would depend on the ranks.
  target_compile_options(${name} PRIVATE $<$<Fortran_COMPILER_ID:GNU>:-ffp-contract=off>)
endfunction()

set(ocean_model ${ocean_sources})
list(FILTER ocean_model EXCLUDE REGEX /\(output|restart\).f90$)
if(ocean_sources AND TARGET weirf)
  weir_ocean(ocean ${ocean_sources} LIBRARIES weirf)
endif()
# The ocean as a model that knows nothing of Weir.
if(ocean_sources AND NETCDF_FORTRAN_FOUND)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/ocean/netcdf/*.f90)
  weir_ocean(ocean_netcdf ${ocean_model} ${sources} LIBRARIES PkgConfig::NETCDF_FORTRAN MPI::MPI_Fortran)
  # As an option: CMake would leave out /usr/include, where GNU Fortran looks for modules only when told to.
  target_compile_options(ocean_netcdf PRIVATE -I${NETCDF_FORTRAN_MODULES})
  # As many models do it: one rank gathers and writes.
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/ocean/serial/*.f90)
  set(shared ${PROJECT_SOURCE_DIR}/examples/ocean/netcdf/variables.f90 ${PROJECT_SOURCE_DIR}/examples/ocean/netcdf/restart_file.f90)
  weir_ocean(ocean_serial ${ocean_model} ${sources} ${shared} LIBRARIES PkgConfig::NETCDF_FORTRAN MPI::MPI_Fortran)
  target_compile_options(ocean_serial PRIVATE -I${NETCDF_FORTRAN_MODULES})
endif()
if(ocean_sources AND PNETCDF_MODULES)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/ocean/pnetcdf/*.f90)
  weir_ocean(ocean_pnetcdf ${ocean_model} ${sources} LIBRARIES PnetCDF::PnetCDF MPI::MPI_Fortran)
  target_compile_options(ocean_pnetcdf PRIVATE -I${PNETCDF_MODULES})
endif()

# What `make demo` runs, as far as it is built here, and a library under it, to see what a slower storage does.
add_library(slow_storage MODULE ${PROJECT_SOURCE_DIR}/tools/slow_storage.c)
target_link_libraries(slow_storage PRIVATE ${CMAKE_DL_LIBS} weir_warnings)
add_custom_target(demo DEPENDS weir-verify slow_storage)
foreach(each weir_simulate ocean ocean_serial ocean_pnetcdf)
  if(TARGET ${each})
    add_dependencies(demo ${each})
  endif()
endforeach()

# NAME.c becomes bin/NAME_c, NAME.f90 becomes bin/NAME_f90.
foreach(source ${example_sources})
  cmake_path(GET source STEM name)
  cmake_path(GET source EXTENSION LAST_ONLY extension)
  string(REPLACE . _ suffix ${extension})
  if(extension STREQUAL .c OR TARGET weirf)
    add_executable(${name}${suffix} ${source})
    target_link_libraries(${name}${suffix} PRIVATE weir weir_warnings)
  endif()
  if(extension STREQUAL .f90 AND TARGET weirf)
    set_target_properties(${name}_f90 PROPERTIES Fortran_MODULE_DIRECTORY ${CMAKE_BINARY_DIR}/modules/${name})
    target_link_libraries(${name}_f90 PRIVATE weirf)
  endif()
endforeach()
