# SPDX-License-Identifier: Apache-2.0
# libweir.a and libweirf.a, for programs that carry Weir in themselves. Each is one object, made of all that the shared library is
# made of, and shows the same names: a program may have other C++ code, and another yaml-cpp, beside it. MPI and what else Weir
# stands on stay shared where they are; WEIR_STATIC_LIBS are the words by which a program is linked with them.
option(WEIR_STATIC "Build libweir.a and libweirf.a, where the linker and objcopy are GNU's" ${PROJECT_IS_TOP_LEVEL})
if(WEIR_STATIC)
  execute_process(COMMAND ${CMAKE_LINKER} --help OUTPUT_VARIABLE linker_help ERROR_QUIET)
  if(NOT linker_help MATCHES force-group-allocation OR NOT CMAKE_OBJCOPY)
    weir_left_out("libweir.a" "it wants a linker with --force-group-allocation, and objcopy (binutils 2.30)")
    set(WEIR_STATIC OFF)
  endif()
endif()

# weir_static(NAME INPUTS word... DEPENDS target... NAMES pattern...): libNAME.a, of the INPUTS of ld -r.
function(weir_static name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "INPUTS;DEPENDS;NAMES")
  set(object ${PROJECT_BINARY_DIR}/${name}.o)
  set(archive ${PROJECT_BINARY_DIR}/lib/lib${name}.a)
  list(TRANSFORM arg_NAMES PREPEND --keep-global-symbol=)
  # With groups kept the linker could take a program's copy of a template in the place of one that is local here. What the compiler
  # has made unique objcopy does not make local before it is weak.
  add_custom_command(OUTPUT ${archive}
    COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${object} ${arg_INPUTS}
    COMMAND ${CMAKE_NM} --defined-only ${object} | sed -n "s/^[0-9a-f]* u //p" > ${object}.unique
    COMMAND ${CMAKE_OBJCOPY} --strip-debug --weaken-symbols=${object}.unique ${object}
    COMMAND ${CMAKE_OBJCOPY} --wildcard ${arg_NAMES} ${object}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_AR} rcs ${archive} ${object}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${object} ${object}.unique
    DEPENDS ${arg_DEPENDS} COMMAND_EXPAND_LISTS VERBATIM COMMENT "Making lib${name}.a")
  add_custom_target(${name}_static ALL DEPENDS ${archive})
  install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# weir_linker_words(OUT FILE...): how a program is linked with these libraries.
function(weir_linker_words out)
  set(words "")
  foreach(file IN LISTS ARGN)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET file FILENAME name)
    string(REGEX REPLACE "^lib(.*)[.](so|a)([.].*)?$" "-l\\1" word ${name})
    cmake_path(IS_PREFIX WEIR_FETCHED_DIR ${file} is_fetched)
    if(is_fetched)  # installed beside Weir, by its soname alone
      weir_read_dynamic(${file} SONAME soname)
      set(word -l:${soname})
    elseif(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND words -L${folder} -Wl,-rpath,${folder})
    endif()
    list(APPEND words ${word})
  endforeach()
  set(${out} ${words} PARENT_SCOPE)
endfunction()

if(WEIR_STATIC)
  weir_static(weir INPUTS $<TARGET_OBJECTS:weir_c> --whole-archive $<TARGET_FILE:weir_core> --no-whole-archive
    DEPENDS weir_c weir_core NAMES weir_*)
  if(TARGET weirf)
    weir_static(weirf INPUTS $<TARGET_OBJECTS:weirf> $<TARGET_FILE:weir_descriptors> $<TARGET_FILE:weir_core>
      DEPENDS weirf weir_descriptors weir_core NAMES weir_* __weir_*)
  endif()

  get_target_property(yaml_file ${WEIR_YAML} LOCATION)
  set(stands_on ${WEIR_UTF8PROC} ${yaml_file})
  foreach(target PkgConfig::WEIR_DEFLATE_LIBRARY PkgConfig::WEIR_ZSTD_LIBRARY)
    if(TARGET ${target})
      get_target_property(files ${target} INTERFACE_LINK_LIBRARIES)
      list(APPEND stands_on ${files})
    endif()
  endforeach()
  list(APPEND stands_on ${HIGHWAY_LINK_LIBRARIES})
  weir_linker_words(WEIR_STATIC_LIBS ${stands_on})
  set(runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
  list(FILTER runtime INCLUDE REGEX "^(std)?c\\+\\+$")
  list(TRANSFORM runtime PREPEND -l)
  list(APPEND WEIR_STATIC_LIBS ${runtime} -lm -ldl -pthread)
endif()
