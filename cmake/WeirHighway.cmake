# SPDX-License-Identifier: Apache-2.0
# Highway (github.com/google/highway), by which rows are copied, converted and turned to big-endian: src/rearrange/simd.cpp is compiled
# for every instruction set, and takes the machine's best at run time. Without it plain loops do the same.
if(WEIR_HIGHWAY)
  pkg_check_modules(HIGHWAY QUIET libhwy)
endif()
if(HIGHWAY_FOUND)
  set(simd_source ${PROJECT_SOURCE_DIR}/src/rearrange/simd.cpp)
  set_source_files_properties(${simd_source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    COMPILE_DEFINITIONS WEIR_HIGHWAY COMPILE_OPTIONS "${HIGHWAY_CFLAGS}")
  target_link_libraries(weir_core PUBLIC ${HIGHWAY_LINK_LIBRARIES})
else()
  weir_left_out("copies by vectors" "Highway (libhwy-dev) was not found, or WEIR_HIGHWAY is off; plain loops copy")
endif()
