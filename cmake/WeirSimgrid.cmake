# SPDX-License-Identifier: Apache-2.0
# Weir under SimGrid's SMPI (tools/simgrid), where SimGrid is installed: weir-smpi, the library's own sources with a model
# and without its files, as the module that smpirun loads; weir-smpi-machine, which writes the machine. Built only when asked.
find_path(SMPI_INCLUDE_DIR smpi/mpi.h)
find_library(SIMGRID_LIBRARY simgrid)
if(NOT SMPI_INCLUDE_DIR OR NOT SIMGRID_LIBRARY)
  return()
endif()

set(smpi_dir ${PROJECT_SOURCE_DIR}/bench/simgrid)
file(GLOB_RECURSE smpi_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
# What opens files, or sleeps in the system: bench/simgrid has its own.
list(FILTER smpi_sources EXCLUDE REGEX
  /formats/\(definition|definition_read\).cpp$|/storage/\(pnetcdf_sink|sink\).cpp$|/mpi/futex.cpp$)
file(GLOB workload_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/workloads/*.cpp)
list(APPEND smpi_sources ${PROJECT_SOURCE_DIR}/simulate/workload.cpp ${workload_sources})

add_library(weir-smpi MODULE EXCLUDE_FROM_ALL ${smpi_sources}
  ${smpi_dir}/copies.cpp ${smpi_dir}/files.cpp ${smpi_dir}/model.cpp ${smpi_dir}/mpi_calls.cpp
  ${smpi_dir}/request.cpp ${smpi_dir}/system.cpp)
# SMPI's mpi.h before any other: it is what smpicxx adds, beside replacements that Weir does not want.
target_include_directories(weir-smpi BEFORE PRIVATE ${SMPI_INCLUDE_DIR}/smpi
  ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/bench ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(weir-smpi PRIVATE ${SIMGRID_LIBRARY} ${WEIR_YAML} nlohmann_json::nlohmann_json Threads::Threads
  weir_warnings)
# Its own clock, sleep and MPI calls win (bench/simgrid/system.cpp, mpi_calls.cpp).
target_link_options(weir-smpi PRIVATE -Wl,-Bsymbolic -Wl,-z,defs)
set_target_properties(weir-smpi PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
# Copies are given their price by bench/simgrid/copies.cpp.
set(smpi_copies encode=encode_for_nothing unpack=place_for_nothing)
list(TRANSFORM smpi_copies REPLACE "(.+)" "$<$<STREQUAL:$<TARGET_PROPERTY:NAME>,weir-smpi>:\\1>")
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/rearrange/copy.cpp TARGET_DIRECTORY weir-smpi PROPERTIES
  COMPILE_DEFINITIONS "${smpi_copies}")

add_executable(weir-smpi-machine EXCLUDE_FROM_ALL
  ${smpi_dir}/machine.cpp ${smpi_dir}/platform.cpp ${smpi_dir}/request.cpp)
target_include_directories(weir-smpi-machine PRIVATE ${PROJECT_SOURCE_DIR}/bench)
target_link_libraries(weir-smpi-machine PRIVATE weir_simulate weir_warnings)
