# SPDX-License-Identifier: Apache-2.0
# libweir_netcdf.so: netCDF's classic files as PnetCDF's, and so through libweir_pnetcdf.so.
file(GLOB bridge_netcdf_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bridge/netcdf/*.cpp)
if(NETCDF_MPI_INCLUDE_DIR AND TARGET weir_pnetcdf)
  weir_bridge(weir_netcdf SOURCES ${bridge_netcdf_sources} PREFIX nc_)
  weir_unite(weir_netcdf APART pnetcdf.h)  # the others include netCDF's header
  # The netCDF behind is the program's: of this one only the headers are needed.
  target_include_directories(weir_netcdf BEFORE PRIVATE ${NETCDF_MPI_INCLUDE_DIR})
  target_compile_definitions(weir_netcdf PRIVATE WEIR_PNETCDF_BRIDGE="$<TARGET_SONAME_FILE_NAME:weir_pnetcdf>")
  # Its functions are looked up by name, so the linker sees no need of it. A program may call PnetCDF by itself too: as
  # an auxiliary of this library the other bridge comes right before it in the order of symbols, and so before the
  # PnetCDF of a program that preloads or links this one first.
  target_link_libraries(weir_netcdf PRIVATE -Wl,--no-as-needed weir_pnetcdf)
  target_link_options(weir_netcdf PRIVATE -Wl,--auxiliary,$<TARGET_SONAME_FILE_NAME:weir_pnetcdf>)
endif()
