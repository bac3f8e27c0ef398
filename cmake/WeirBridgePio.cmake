# SPDX-License-Identifier: Apache-2.0
# libweir_pio.so: PIO's distributed arrays, through Weir. It needs no PIO to be built.
if(NOT TARGET weir_bridge_core)
  return()
endif()
file(GLOB bridge_pio_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bridge/pio/*.cpp)
weir_bridge(weir_pio SOURCES ${bridge_pio_sources} PREFIX PIOc_)
weir_unite(weir_pio)
