# SPDX-License-Identifier: Apache-2.0
# The bridges: libraries that come before another one's and write through Weir, by preload or linked first.
# PnetCDF's header has the codes of all three, and its library is behind two of them.
if(NOT TARGET PnetCDF::PnetCDF)
  return()
endif()
file(GLOB bridge_core_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bridge/core/*.cpp)
add_library(weir_bridge_core STATIC ${bridge_core_sources})
target_include_directories(weir_bridge_core PUBLIC ${PROJECT_SOURCE_DIR}/bridge)
target_compile_options(weir_bridge_core PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>)
# Only a bridge's own names are seen from outside: two bridges in one program, and Weir itself, keep apart.
set_target_properties(weir_bridge_core PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_link_libraries(weir_bridge_core PUBLIC weir_core PnetCDF::PnetCDF ${CMAKE_DL_LIBS} PRIVATE weir_warnings)
weir_unite(weir_bridge_core)
weir_precompile_as(weir_bridge_core weir_core)

# weir_bridge(NAME SOURCES FILE... PREFIX LETTERS): one of them, which exports the functions whose names begin so. They have no version:
# they stand for those of a library that may have versions of its own, or none. And lib/NAME.link, what the linker is told where that
# library is a static one.
function(weir_bridge name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "SOURCES")
  add_library(${name} SHARED ${arg_SOURCES})
  add_library(weir::${name} ALIAS ${name})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION ${WEIR_SOVERSION}
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:weir_bridge_core> $<BUILD_INTERFACE:weir_warnings>)
  weir_precompile_as(${name} weir_core)
  # A source with macros has hundreds of doors, each of a few lines: what they call is optimized more. They are compiled without the
  # precompiled headers, which would bring their own level.
  foreach(source IN LISTS arg_SOURCES)
    file(STRINGS ${source} macro REGEX "^#define" LIMIT_COUNT 1)
    if(macro AND CMAKE_BUILD_TYPE STREQUAL Release)
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  set(names ${PROJECT_BINARY_DIR}/${name}.names)
  add_custom_command(TARGET ${name} PRE_LINK
    COMMAND ${CMAKE_COMMAND} -D NM=${CMAKE_NM} -D "OBJECTS=$<TARGET_OBJECTS:${name}>" -D PATTERN=${arg_PREFIX} -D NAMES=${names}
      -D LINK=${PROJECT_BINARY_DIR}/lib/${name}.link -P ${PROJECT_SOURCE_DIR}/cmake/BridgeNames.cmake
    BYPRODUCTS ${PROJECT_BINARY_DIR}/lib/${name}.link VERBATIM)
  target_link_options(${name} PRIVATE @${names})
  weir_exports(${name} NAMES ${arg_PREFIX}* __wrap_${arg_PREFIX}*)
endfunction()

file(GLOB bridge_pnetcdf_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bridge/pnetcdf/*.cpp)
weir_bridge(weir_pnetcdf SOURCES ${bridge_pnetcdf_sources} PREFIX ncmpi_)
weir_unite(weir_pnetcdf)
# PnetCDF's functions are looked up by name, so the linker sees no need of it; a program that speaks netCDF has none.
target_link_options(weir_pnetcdf PRIVATE LINKER:--no-as-needed)
