# SPDX-License-Identifier: Apache-2.0
# libweir.so (C and C++), libweirf.so (Fortran, module weir), and weir_internals: what a test of the internals needs.
file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/*.cpp ${PROJECT_SOURCE_DIR}/bindings/c/*.cpp)
file(GLOB fortran_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/bindings/fortran/*.f90 ${PROJECT_SOURCE_DIR}/bindings/fortran/*.F90
  ${PROJECT_SOURCE_DIR}/bindings/fortran/*.cpp)

# The symbols are not hidden: the tests reach the internals through the very library that is shipped.
add_library(weir_internals INTERFACE)
target_include_directories(weir_internals INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(weir_internals INTERFACE
  MPI::MPI_CXX PkgConfig::PNETCDF ${WEIR_YAML} nlohmann_json::nlohmann_json Threads::Threads)

add_library(weir SHARED ${core_sources})
add_library(weir::weir ALIAS weir)
set_target_properties(weir PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION 0)
target_compile_features(weir PUBLIC cxx_std_20)
target_compile_options(weir PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>)
target_include_directories(weir
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(weir
  PUBLIC $<BUILD_INTERFACE:MPI::MPI_C> $<BUILD_INTERFACE:MPI::MPI_CXX>
  PRIVATE $<BUILD_INTERFACE:weir_internals> $<BUILD_INTERFACE:weir_warnings>)

weir_precompile(weir)

# Merging part files: for weir-merge, and for the tests of parts.
add_library(weir_merging STATIC ${PROJECT_SOURCE_DIR}/bench/merge/merge.cpp ${PROJECT_SOURCE_DIR}/bench/merge/parts.cpp)
target_include_directories(weir_merging PUBLIC ${PROJECT_SOURCE_DIR}/bench/merge)
target_link_libraries(weir_merging PUBLIC weir weir_internals PRIVATE weir_warnings)

if(fortran_sources)
  add_library(weirf SHARED ${fortran_sources})
  add_library(weir::weirf ALIAS weirf)
  set_target_properties(weirf PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION 0 Fortran_MODULE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
  target_include_directories(weirf
    PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/bindings)
  target_link_libraries(weirf
    PUBLIC weir $<BUILD_INTERFACE:MPI::MPI_Fortran> PRIVATE $<BUILD_INTERFACE:weir_warnings>)
endif()
