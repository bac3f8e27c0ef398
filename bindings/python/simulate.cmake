# SPDX-License-Identifier: Apache-2.0
# The module weir._simulate, built by the Python package itself: of a build's archives, or of the sources.
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
include(${root}/cmake/WeirUtf8proc.cmake)
find_path(FMT_INCLUDE_DIR fmt/core.h REQUIRED)
set(Boost_USE_STATIC_LIBS ON)  # nothing of it is wanted where the package runs
find_package(Boost 1.74 REQUIRED CONFIG COMPONENTS context)
if(TARGET yaml-cpp::yaml-cpp)
  set(yaml yaml-cpp::yaml-cpp)
else()
  set(yaml yaml-cpp)
endif()

nanobind_add_module(_simulate NOMINSIZE module.cpp)
if(WEIR_ARCHIVES)
  target_link_libraries(_simulate PRIVATE ${WEIR_ARCHIVES}/libweir_simulate.a ${WEIR_ARCHIVES}/libweir_core.a)
else()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    ${root}/src/base/*.cpp ${root}/src/schema/*.cpp ${root}/src/plan/*.cpp ${root}/src/schedule/*.cpp
    ${root}/src/flow/*.cpp ${root}/simulate/*.cpp ${root}/workloads/*.cpp)
  target_sources(_simulate PRIVATE ${sources})
endif()
target_include_directories(_simulate PRIVATE ${root} ${root}/include ${root}/src ${UTF8PROC_INCLUDE_DIR})
target_include_directories(_simulate SYSTEM PRIVATE ${FMT_INCLUDE_DIR})
target_link_libraries(_simulate PRIVATE ${WEIR_UTF8PROC} ${yaml} nlohmann_json::nlohmann_json Boost::context)
install(TARGETS _simulate LIBRARY DESTINATION weir)
