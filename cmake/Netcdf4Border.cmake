# SPDX-License-Identifier: Apache-2.0
# cmake -D SOURCE=FOLDER -D "BUILD=WORDS" -D OUTPUT=HEADER [-D DEPFILE=FILE] -P Netcdf4Border.cmake
# One sum over all that a program and its netCDF-4 module must have alike: every header of Weir that a source of src/formats/netcdf4/hdf5
# includes, directly or by another, the sources by which both write and read bytes that cross, and WORDS (which Weir,
# which compiler). Weir loads no module that has another sum, so nobody need remember a number where something that
# crosses between the two is changed.
cmake_minimum_required(VERSION 3.25)
file(GLOB queue RELATIVE ${SOURCE}/src ${SOURCE}/src/formats/netcdf4/hdf5/*.cpp)
set(bytes_that_cross formats/chunked/deferred_values.cpp)
list(APPEND queue ${bytes_that_cross})
set(seen "")
set(sums "")
while(queue)
  list(POP_FRONT queue file)
  foreach(path IN ITEMS ${SOURCE}/src/${file} ${SOURCE}/include/${file})
    if(path IN_LIST seen OR NOT EXISTS ${path} OR IS_DIRECTORY ${path})
      continue()
    endif()
    list(APPEND seen ${path})
    if(NOT file MATCHES "[.]cpp$" OR file IN_LIST bytes_that_cross)
      file(SHA256 ${path} sum)
      list(APPEND sums "${file} ${sum}")
    endif()
    file(STRINGS ${path} includes REGEX "^#include")
    list(TRANSFORM includes REPLACE "^#include +[<\"]([^>\"]+)[>\"].*" "\\1")
    list(APPEND queue ${includes})
  endforeach()
endwhile()
list(SORT sums)  # in whatever order they are included
string(SHA256 border "${BUILD} ${sums}")
# Written where it is another one only, so that an edited source alone has nothing compiled.
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define WEIR_NETCDF4_BORDER \"${border}\"\n")
if(DEPFILE)
  list(JOIN seen " " seen)
  file(WRITE ${DEPFILE} "${OUTPUT}: ${seen}\n")
endif()
