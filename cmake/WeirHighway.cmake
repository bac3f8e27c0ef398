# SPDX-License-Identifier: Apache-2.0
# Highway (github.com/google/highway), by which rows are copied, converted and turned to big-endian, and samples folded: its sources are
# compiled for every instruction set, and take the machine's best at run time. Without it plain loops do the same.
if(WEIR_HIGHWAY)
  pkg_check_modules(HIGHWAY QUIET libhwy)
endif()
if(HIGHWAY_FOUND)
  set(simd_sources ${PROJECT_SOURCE_DIR}/src/rearrange/simd.cpp ${PROJECT_SOURCE_DIR}/src/accumulate/simd_fold.cpp)
  set_source_files_properties(${simd_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_DEFINITIONS WEIR_HIGHWAY)
  set_property(SOURCE ${simd_sources} APPEND PROPERTY COMPILE_OPTIONS ${HIGHWAY_CFLAGS})
  target_link_libraries(weir_core PUBLIC ${HIGHWAY_LINK_LIBRARIES})
else()
  weir_left_out("copies and sums by vectors" "Highway (libhwy-dev) was not found, or WEIR_HIGHWAY is off; plain loops do them")
endif()
