# SPDX-License-Identifier: Apache-2.0
# libweir_cfio2.so (cfio2.h) and libweir_cfio2f.so (module cfio2): the interface of CFIO2 over Weir.
file(GLOB cfio2_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bindings/cfio2/*.cpp)
add_library(weir_cfio2 SHARED ${cfio2_sources})
add_library(weir::weir_cfio2 ALIAS weir_cfio2)
set_target_properties(weir_cfio2 PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION ${WEIR_SOVERSION})
target_compile_options(weir_cfio2 PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>)
target_include_directories(weir_cfio2 PRIVATE ${PROJECT_SOURCE_DIR}/bindings)
target_link_libraries(weir_cfio2 PUBLIC weir PRIVATE $<BUILD_INTERFACE:weir_core> $<BUILD_INTERFACE:weir_warnings>)
weir_exports(weir_cfio2 VERSIONED NAMES cfio2_*)
weir_unite(weir_cfio2)

set(cfio2_libraries weir_cfio2)
if(TARGET weirf)
  # What the module calls stands on what C's functions stand on, which is not seen from outside.
  target_sources(weir_cfio2 PRIVATE ${PROJECT_SOURCE_DIR}/bindings/cfio2/fortran/cfio2.cpp)
  target_link_libraries(weir_cfio2 PRIVATE $<BUILD_INTERFACE:weir_descriptors>)
  add_library(weir_cfio2f SHARED ${PROJECT_SOURCE_DIR}/bindings/cfio2/fortran/cfio2.f90)
  add_library(weir::weir_cfio2f ALIAS weir_cfio2f)
  set_target_properties(weir_cfio2f PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${WEIR_SOVERSION} Fortran_MODULE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(weir_cfio2f PUBLIC weir_cfio2 weirf PRIVATE $<BUILD_INTERFACE:weir_warnings>)
  weir_exports(weir_cfio2f VERSIONED NAMES __cfio2_*)
  list(APPEND cfio2_libraries weir_cfio2f)
  # One pkg-config file serves both languages: a program without Fortran is not bound to the Fortran library.
  set(CFIO2_FORTRAN_LIBS "-Wl,--push-state,--as-needed -lweir_cfio2f -Wl,--pop-state ")
endif()
