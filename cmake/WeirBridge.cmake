# SPDX-License-Identifier: Apache-2.0
# The bridges: libraries that come before another one's and write through Weir, by preload or linked first.
file(GLOB bridge_core_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bridge/core/*.cpp)
add_library(weir_bridge_core STATIC ${bridge_core_sources})
target_include_directories(weir_bridge_core PUBLIC ${PROJECT_SOURCE_DIR}/bridge)
target_compile_options(weir_bridge_core PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>)
# Only a bridge's own names are seen from outside: two bridges in one program, and Weir itself, keep apart.
set_target_properties(weir_bridge_core PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_link_libraries(weir_bridge_core PUBLIC weir_core ${CMAKE_DL_LIBS} PRIVATE weir_warnings)

file(GLOB bridge_pnetcdf_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bridge/pnetcdf/*.cpp)
if(bridge_pnetcdf_sources)
  add_library(weir_pnetcdf SHARED ${bridge_pnetcdf_sources})
  add_library(weir::weir_pnetcdf ALIAS weir_pnetcdf)
  set_target_properties(weir_pnetcdf PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION ${WEIR_SOVERSION}
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(weir_pnetcdf PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>)
  target_link_libraries(weir_pnetcdf PRIVATE
    $<BUILD_INTERFACE:weir_bridge_core> $<BUILD_INTERFACE:weir_warnings>)
  weir_exports(weir_pnetcdf ncmpi_*)
endif()
