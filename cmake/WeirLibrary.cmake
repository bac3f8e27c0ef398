# SPDX-License-Identifier: Apache-2.0
# libweir.so (C and C++), libweirf.so (Fortran, module weir), and what they are made of: weir_core, all of src/, and
# weir_c, the C interface; weir_simulate, the simulator, which no library of these contains.
file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
file(GLOB simulate_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/simulate/*.cpp ${PROJECT_SOURCE_DIR}/workloads/*.cpp)
file(GLOB hdf5_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/formats/netcdf4/hdf5/*.cpp)
list(REMOVE_ITEM core_sources ${hdf5_sources})
file(GLOB c_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bindings/c/*.cpp)
file(GLOB fortran_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/bindings/fortran/*.f90 ${PROJECT_SOURCE_DIR}/bindings/fortran/*.F90
  ${PROJECT_SOURCE_DIR}/bindings/fortran/*.cpp)

# weir_archive(NAME [EXCLUDE_FROM_ALL] SOURCE...): a part of the libraries and programs. What it has is theirs, and not seen from outside.
function(weir_archive name)
  add_library(${name} STATIC ${ARGN})
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(${name} SYSTEM PUBLIC ${FMT_INCLUDE_DIR})
  target_link_libraries(${name} PUBLIC MPI::MPI_CXX ${WEIR_YAML} nlohmann_json::nlohmann_json Threads::Threads
    PRIVATE weir_warnings)
  weir_unite(${name})
endfunction()

# Sums of samples are defined to the bit (src/accumulate/accumulator.hpp): no product and sum is fused into one rounding, whatever flags the
# build has. The precompiled header is compiled without these.
file(GLOB accumulate_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/accumulate/*.cpp)
set_source_files_properties(${accumulate_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
  COMPILE_OPTIONS "-fno-fast-math;-ffp-contract=off")

weir_archive(weir_core ${core_sources})
target_link_libraries(weir_core PUBLIC ${WEIR_UTF8PROC})
target_include_directories(weir_core PRIVATE ${UTF8PROC_INCLUDE_DIR})
weir_precompile(weir_core)
if(WEIR_SIMULATOR)
  weir_archive(weir_simulate EXCLUDE_FROM_ALL ${simulate_sources})  # of programs and tests
  target_include_directories(weir_simulate PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(weir_simulate PUBLIC weir_core Boost::context)
  weir_precompile(weir_simulate)
endif()
weir_archive(weir_c ${c_sources})
set_target_properties(weir_c PROPERTIES CXX_VISIBILITY_PRESET default)  # weir_* are seen from outside
target_link_libraries(weir_c PUBLIC weir_core)

# weir_exports(LIBRARY [VERSIONED] NAMES PATTERN...): the names that the library shows. Versioned ones bear the soname's version, so
# that two versions of the library in one program keep apart, and a program that finds another one says which it wants.
function(weir_exports library)
  cmake_parse_arguments(PARSE_ARGV 1 arg "VERSIONED" "" "NAMES")
  list(JOIN arg_NAMES "; " names)
  set(version "")
  if(arg_VERSIONED)
    set(version "WEIR_${WEIR_SOVERSION} ")
  endif()
  set(map ${PROJECT_BINARY_DIR}/${library}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "${version}{ global: ${names}; local: *; };\n")
  target_link_options(${library} PRIVATE -Wl,--version-script,${map})
  set_target_properties(${library} PROPERTIES LINK_DEPENDS ${map})
endfunction()

add_library(weir SHARED $<TARGET_OBJECTS:weir_c>)
add_library(weir::weir ALIAS weir)
set_target_properties(weir PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION ${WEIR_SOVERSION})
target_compile_features(weir PUBLIC cxx_std_20)
target_include_directories(weir
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(weir
  PUBLIC $<BUILD_INTERFACE:MPI::MPI_C> $<BUILD_INTERFACE:MPI::MPI_CXX>
  PRIVATE $<BUILD_INTERFACE:weir_core> $<BUILD_INTERFACE:weir_warnings>)
weir_exports(weir VERSIONED NAMES weir_*)

# Merging part files: for weir-merge, and for the tests of parts.
add_library(weir_merging STATIC EXCLUDE_FROM_ALL
  ${PROJECT_SOURCE_DIR}/programs/merge/merge.cpp ${PROJECT_SOURCE_DIR}/programs/merge/parts.cpp)
target_include_directories(weir_merging PUBLIC ${PROJECT_SOURCE_DIR}/programs/merge)
target_link_libraries(weir_merging PUBLIC weir_core PRIVATE weir_warnings)
weir_unite(weir_merging)

if(WEIR_FORTRAN)
  # What Fortran's arrays and texts are to C++.
  list(REMOVE_ITEM fortran_sources ${PROJECT_SOURCE_DIR}/bindings/fortran/descriptor.cpp)
  weir_archive(weir_descriptors ${PROJECT_SOURCE_DIR}/bindings/fortran/descriptor.cpp)
  target_link_libraries(weir_descriptors PUBLIC weir_core)
  target_include_directories(weir_descriptors SYSTEM PUBLIC ${WEIR_DESCRIPTORS_DIR})
  add_library(weirf SHARED ${fortran_sources})
  weir_unite(weirf)
  add_library(weir::weirf ALIAS weirf)
  set_target_properties(weirf PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${WEIR_SOVERSION} Fortran_MODULE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
  target_include_directories(weirf
    PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/bindings)
  target_link_libraries(weirf
    PUBLIC weir $<BUILD_INTERFACE:MPI::MPI_Fortran>
    PRIVATE $<BUILD_INTERFACE:weir_descriptors> $<BUILD_INTERFACE:weir_warnings>)
  weir_exports(weirf VERSIONED NAMES weir_* __weir_*)
endif()
