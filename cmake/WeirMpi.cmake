# SPDX-License-Identifier: Apache-2.0
# MPI, in C, C++ and, where the MPI and the compilers have what the module weir needs, Fortran: WEIR_FORTRAN. Whether a library
# is linked to this MPI or to another: weir_other_mpi.
set(MPI_CXX_SKIP_MPICXX ON) # the C++ bindings that MPI 3 removed
# mpicc.mpich belongs to mpiexec.mpich, where mpiexec may be another MPI's.
if(MPI_C_COMPILER MATCHES "mpicc([.-][^/]+)$")
  set(suffix ${CMAKE_MATCH_1})
  find_program(MPI_C_COMPILER_PATH ${MPI_C_COMPILER})
  cmake_path(GET MPI_C_COMPILER_PATH PARENT_PATH bin)
  find_program(MPIEXEC_EXECUTABLE mpiexec${suffix} HINTS ${bin})
  find_program(MPI_CXX_COMPILER mpicxx${suffix} HINTS ${bin})
  find_program(MPI_Fortran_COMPILER mpifort${suffix} HINTS ${bin})
endif()
# A wrapper may be there without the headers, as in Debian's openmpi-bin: find_package then fails in words of its own.
set(no_header OFF)
find_program(WEIR_MPICC NAMES ${MPI_C_COMPILER} mpicc)
mark_as_advanced(WEIR_MPICC)
if(WEIR_MPICC)
  file(WRITE ${PROJECT_BINARY_DIR}/includes_mpi.c "#include <mpi.h>\n")
  execute_process(COMMAND ${WEIR_MPICC} -E ${PROJECT_BINARY_DIR}/includes_mpi.c
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE said)
  if(failed AND said MATCHES "mpi[.]h")
    set(no_header ON)
  endif()
endif()
if(NOT no_header)
  find_package(MPI QUIET COMPONENTS C CXX)
endif()
if(NOT MPI_C_FOUND OR NOT MPI_CXX_FOUND)
  unset(WEIR_MPICC CACHE) # another may be there next time
  message(FATAL_ERROR "MPI, or its headers, are missing: load its module or install it (on Debian libopenmpi-dev), and say which it is "
    "by PATH, where its mpicc and mpicxx are, or by -DMPI_C_COMPILER=")
endif()
# The C++ compiler's wrapper names their library all the same. What is linked with it does not start under an MPI without it: what was
# built over Open MPI 4 would not run under 5.
get_target_property(libraries MPI::MPI_CXX INTERFACE_LINK_LIBRARIES)
if(libraries)
  list(FILTER libraries EXCLUDE REGEX "/libmpi_?cxx[.][^/]*$")
  set_target_properties(MPI::MPI_CXX PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
endif()
# What tools/launch starts the programs of this build with.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/launcher CONTENT "@MPIEXEC_EXECUTABLE@\n" @ONLY)

# The header that Fortran's compiler brings for its descriptors, in a folder of its own: beside it lie headers that only this
# compiler may see.
function(weir_find_descriptors out)
  set(folder ${PROJECT_BINARY_DIR}/descriptors)
  execute_process(COMMAND ${CMAKE_Fortran_COMPILER} -print-file-name=include/ISO_Fortran_binding.h
    OUTPUT_VARIABLE header OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT IS_ABSOLUTE "${header}" OR NOT EXISTS "${header}")
    file(REAL_PATH "${CMAKE_Fortran_COMPILER}" compiler)  # Debian's flang is a link into LLVM's own folder
    cmake_path(GET compiler PARENT_PATH bin)
    find_file(WEIR_DESCRIPTORS ISO_Fortran_binding.h HINTS ${bin}/.. PATH_SUFFIXES include include/flang)
    set(header ${WEIR_DESCRIPTORS})
  endif()
  if(header)
    configure_file(${header} ${folder}/ISO_Fortran_binding.h COPYONLY)
    set(${out} ${folder} PARENT_SCOPE)
  endif()
endfunction()

option(WEIR_FORTRAN "Build the Fortran modules, where MPI has mpi_f08" ON)
if(WEIR_FORTRAN)
  include(CheckLanguage)
  check_language(Fortran)
  set(why "there is no Fortran compiler")
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    find_package(MPI QUIET COMPONENTS Fortran)
    weir_find_descriptors(WEIR_DESCRIPTORS_DIR)
    set(why "${CMAKE_Fortran_COMPILER} has no ISO_Fortran_binding.h")
  endif()
  if(CMAKE_Fortran_COMPILER AND NOT MPI_Fortran_HAVE_F08_MODULE)
    set(why "this MPI has no module mpi_f08 that ${CMAKE_Fortran_COMPILER} can read")
  endif()
  if(NOT MPI_Fortran_HAVE_F08_MODULE OR NOT WEIR_DESCRIPTORS_DIR)
    weir_left_out("the Fortran modules and the ocean" "${why}")
    set(WEIR_FORTRAN OFF)
  endif()
endif()
if(WEIR_FORTRAN)
  # mpifort's options are Fortran's alone; a library in Fortran and C++ has both compiled.
  get_target_property(options MPI::MPI_Fortran INTERFACE_COMPILE_OPTIONS)
  if(options)
    set_property(TARGET MPI::MPI_Fortran PROPERTY INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:Fortran>:${options}>")
  endif()
endif()

# The shared library that FILE is; where it is a linker script, as in the MPIs of PyPI, the one that the script names first.
function(weir_shared_library file out)
  if(EXISTS "${file}" AND NOT IS_DIRECTORY "${file}")
    file(STRINGS "${file}" script REGEX "^(INPUT|GROUP) *\\(" LIMIT_COUNT 1 LIMIT_INPUT 4096)
    if(script MATCHES "\\( *([^ )]+)")
      set(named ${CMAKE_MATCH_1})
      cmake_path(GET file PARENT_PATH folder)
      cmake_path(ABSOLUTE_PATH named BASE_DIRECTORY "${folder}")
      set(file ${named})
    endif()
  endif()
  set(${out} "${file}" PARENT_SCOPE)
endfunction()

# What a shared library says of itself and wants: its SONAME, or the libraries it NEEDS.
function(weir_read_dynamic file word out)
  set(names "")
  weir_shared_library("${file}" file)
  if(CMAKE_OBJDUMP AND EXISTS "${file}")
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${file} OUTPUT_VARIABLE said ERROR_QUIET)
    string(REGEX MATCHALL "${word} +[^ \n]+" names "${said}")
    list(TRANSFORM names REPLACE "${word} +" "")
  endif()
  set(${out} ${names} PARENT_SCOPE)
endfunction()

# weir_only_mpi(LIST): of library names, those of an MPI's C library.
macro(weir_only_mpi names)
  list(FILTER ${names} INCLUDE REGEX "^libmpi")
  list(FILTER ${names} EXCLUDE REGEX "cxx|fort|mpifh|usempi")
endmacro()

# weir_other_mpi(FILE OUT): the MPI that FILE is linked to, where it is another than Weir's; both would be in one program.
function(weir_other_mpi file out)
  weir_read_dynamic("${file}" NEEDED needed)
  weir_only_mpi(needed)
  set(own "")
  foreach(library IN LISTS MPI_C_LIBRARIES)
    weir_read_dynamic("${library}" SONAME soname)
    list(APPEND own ${soname})
  endforeach()
  weir_only_mpi(own)
  set(${out} "" PARENT_SCOPE)
  foreach(other IN LISTS needed)
    if(own AND NOT other IN_LIST own)
      set(${out} "is linked to another MPI (${other}) than Weir would be (${own})" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
